// What a run has changed.
import { countChanges, unifiedDiff } from '../apply/diff.ts';
import type { FileChange } from '../apply/file-change.ts';
import type { RunTarget } from '../project/find-run.ts';
import { appliedChanges } from './applied-changes.ts';

export interface ChangedFile {
  path: string;
  kind: 'create' | 'edit' | 'delete';
  additions: number;
  deletions: number;
  /** In the form that `git apply` takes. */
  diff: string;
}

export function toChangedFile(change: FileChange): ChangedFile {
  const { path, before, after } = change;
  const kind = before === null ? 'create' : after === null ? 'delete' : 'edit';
  return { path, kind, ...countChanges(before, after), diff: unifiedDiff(change) };
}

export async function diffRun(
  { stateDir }: { stateDir: string },
  { run, stream }: RunTarget,
): Promise<ChangedFile[]> {
  const { net } = await appliedChanges(stateDir, run.runId, (id) => stream?.ids.has(id) ?? true);
  return net.map(toChangedFile);
}
