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
  return { entries, net: await netOf(entries) };
}

async function netOf(entries: readonly AppliedEntry[]): Promise<FileChange[]> {
  const lists: FileChange[][] = [];
  for (const { dir } of entries) lists.push(await readApplied(dir));
  return combinedChanges(lists).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** What each of these streams has changed; none where it has changed nothing that still stands. */
export async function changesByStream(
  stateDir: string,
  runId: string,
  streams: ReadonlySet<string>,
): Promise<Map<string, FileChange[]>> {
  const all = await listApplied(stateDir, runId, streams);
  const byStream = Map.groupBy(
    all.filter(({ undone }) => !undone),
    ({ streamId }) => streamId,
  );
  const changes = new Map<string, FileChange[]>();
  for (const id of streams) changes.set(id, await netOf(byStream.get(id) ?? []));
  return changes;
}
