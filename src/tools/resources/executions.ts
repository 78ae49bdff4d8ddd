// Executions, and the files that their steps made. The server has them, so they need no workspace.
import { lookApplied } from '../apply.ts';
import type { SessionDeps } from '../deps.ts';
import { findId } from '../latest.ts';
import { statusOutput } from '../outcome.ts';
import { ToolError } from '../tool-error.ts';
import { jsonDocument } from './document.ts';
import type { Document } from './document.ts';

async function findExecution(deps: SessionDeps, asked: string) {
  const client = await deps.connect();
  const { id } = await findId(client, deps, asked);
  return client.executions.get(id);
}

/** As millrace_status reports it. */
export async function executionDocument(deps: SessionDeps, asked: string): Promise<Document> {
  const execution = await findExecution(deps, asked);
  return jsonDocument(statusOutput(execution, { applied: await lookApplied(deps, execution) }));
}

/** The plan of a dry run, as text for a `millrace.yaml`. */
export async function planManifestDocument(deps: SessionDeps, asked: string): Promise<Document> {
  const { id, result } = await findExecution(deps, asked);
  const manifest = result?.plan?.manifest;
  if (manifest !== undefined) return { mimeType: 'application/yaml', text: manifest };
  throw new ToolError({
    code: 'NOT_FOUND',
    message: `${id} has no manifest`,
    hint: 'Only dry runs that have completed have one.',
  });
}

/** One step's changes, with the text of the files. */
export async function artifactDocument(
  deps: SessionDeps,
  asked: string,
  index: number,
): Promise<Document> {
  const { id, result } = await findExecution(deps, asked);
  const artifacts = result?.artifacts ?? [];
  const artifact = artifacts[index];
  if (artifact !== undefined) return jsonDocument(artifact);
  throw new ToolError({
    code: 'NOT_FOUND',
    message: `${id} has ${artifacts.length} artifacts, counted from 0; there is no ${index}`,
    hint: 'While it is running, there are none.',
  });
}
