// What a run has written, as it stands now: without what it rolled back itself.
import { combinedChanges, listApplied, readApplied } from '../apply/record.ts';
import type { AppliedEntry } from '../apply/record.ts';
import type { FileChange } from '../apply/file-change.ts';

export interface AppliedChanges {
  entries: AppliedEntry[];
  /** First before and last after of every file; files that are as they were are left out. */
  net: FileChange[];
}

export async function appliedChanges(
  stateDir: string,
  runId: string,
  streams?: ReadonlySet<string>,
): Promise<AppliedChanges> {
  const all = await listApplied(stateDir, runId, streams);
  const entries = all.filter(({ undone }) => !undone);
  const lists: FileChange[][] = [];
  for (const { dir } of entries) lists.push(await readApplied(dir));
  const net = combinedChanges(lists).sort((a, b) => (a.path < b.path ? -1 : 1));
  return { entries, net };
}
