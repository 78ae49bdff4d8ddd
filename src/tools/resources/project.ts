// The manifest of the workspace, and what it would run.
import { DEFAULT_MANIFEST } from '../../manifest/default-file.ts';
import { createFileReader } from '../../orchestrator/index.ts';
import { allowedIn, whyDenied } from '../denied-files.ts';
import type { Workspace } from '../deps.ts';
import { ToolError } from '../tool-error.ts';
import { jsonDocument } from './document.ts';
import type { Document } from './document.ts';

function notThere(message: string, hint: string): ToolError {
  return new ToolError({ code: 'NOT_FOUND', message, hint });
}

export function readManifest(workspace: Workspace): string {
  const { root } = workspace;
  const denied = whyDenied(root, DEFAULT_MANIFEST, allowedIn(workspace));
  if (denied !== undefined)
    throw notThere(`${DEFAULT_MANIFEST} ${denied.why}`, 'Use another file.');
  // Also where it is larger than the files that go with a task.
  const file = createFileReader(root).read(DEFAULT_MANIFEST, { isOwned: true });
  if (file.kind === 'text') return file.text;
  if (file.kind === 'missing') {
    const hint = 'Write one, or ask the user to run `millrace init`.';
    throw notThere(`There is no ${DEFAULT_MANIFEST} in this workspace`, hint);
  }
  throw notThere(`${DEFAULT_MANIFEST} is ${file.reason}`, 'Use a text file of the workspace.');
}

export function manifestDocument(workspace: Workspace): Document {
  return { mimeType: 'application/yaml', text: readManifest(workspace) };
}

export async function planDocument(workspace: Workspace): Promise<Document> {
  const text = readManifest(workspace);
  const plan = await workspace.makePlan?.(text);
  if (plan === undefined) throw notThere('There are no plans here', 'Read the manifest instead.');
  return jsonDocument(plan);
}
