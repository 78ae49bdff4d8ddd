// The last run of the workspace, and what it changed.
import {
  diffRun,
  explainRun,
  findRun,
  statusDocument,
  statusOfRun,
} from '../../orchestrator/index.ts';
import type { ChangedFile } from '../../orchestrator/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { allowedIn, whyDenied } from '../denied-files.ts';
import type { Workspace } from '../deps.ts';
import { jsonDocument } from './document.ts';
import type { Document } from './document.ts';

/** As `millrace status --json` prints it, with the reason of a failure. */
export async function runDocument(workspace: Workspace, clock: Clock): Promise<Document> {
  const run = await findRun(workspace.stateDir, undefined);
  const status = statusOfRun(workspace, run, clock.now());
  const { failure, reason } = explainRun(status.projection, status.state);
  return jsonDocument({ ...statusDocument(status), reason, failure });
}

export async function diffDocument(workspace: Workspace): Promise<Document> {
  const run = await findRun(workspace.stateDir, undefined);
  const { applied, pending, rejected } = await diffRun(workspace, { run, isNamed: false });
  const allowed = allowedIn(workspace);
  const denied: string[] = [];
  const textOf = (files: readonly ChangedFile[]) =>
    files
      .filter(({ path }) => {
        const refusal = whyDenied(workspace.root, path, allowed);
        if (refusal !== undefined) denied.push(`${path} ${refusal.why}`);
        return refusal === undefined;
      })
      .map(({ diff }) => diff)
      .join('');
  const text = textOf(applied) + textOf(pending);
  const notes = [
    ...(text === '' ? [`${run.runId} changed nothing that can be shown.`] : []),
    ...(pending.length === 0
      ? []
      : [`Not written yet: ${pending.map(({ path }) => path).join(', ')}.`]),
    ...rejected.map(({ stream, reason }) => `Cannot be written: ${stream} (${reason}).`),
    ...denied.map((each) => `Left out: ${each}.`),
  ];
  return { mimeType: 'text/x-diff', text, note: notes.join('\n') || undefined };
}
