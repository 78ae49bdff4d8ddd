// Records of what was applied: every file as it was before and as it was left.
import { join } from 'node:path';
import { realDisk } from './disk.ts';
import type { Disk } from './disk.ts';
import { readDone, readJournalFile, readUndone } from './journal-file.ts';
import type { ApplyPlace } from './journal-file.ts';
import { readVersion } from './kept-version.ts';
import { modeAfter, modes } from './file-change.ts';
import type { FileChange } from './file-change.ts';
import { recordFolderOf, recordsFolderOf, recordsOf } from './state-folders.ts';

/** Not a name that a stream can have: what `revert` wrote is kept like what streams wrote. */
export const REVERT = '.revert';
/** The same for what reviews took back. */
export const REVIEW = '.review';

export type AppliedState = 'none' | 'applied' | 'undone';

export interface AppliedDir {
  dir: string;
  /** Paths of the files that were changed. */
  files(): Promise<string[]>;
  state(): Promise<AppliedState>;
}

export interface AppliedEntry {
  streamId: string;
  attempt: number;
  dir: string;
  undone: boolean;
  appliedAt: string;
}

export async function stateOf(disk: Disk, dir: string): Promise<AppliedState> {
  if ((await readDone(disk, dir)) === undefined) return 'none';
  return (await readUndone(disk, dir)) === undefined ? 'applied' : 'undone';
}

export function appliedDirOf(place: ApplyPlace): AppliedDir {
  const dir = recordFolderOf(place);
  return {
    dir,
    files: async () => {
      const journal = await readJournalFile(realDisk, dir);
      return journal?.files.map(({ path }) => path) ?? [];
    },
    state: () => stateOf(realDisk, dir),
  };
}

/** In the order in which they were applied; of these streams only, without reading what others have. */
export async function listApplied(
  stateDir: string,
  runId: string,
  streams?: ReadonlySet<string>,
): Promise<AppliedEntry[]> {
  const folder = recordsFolderOf(stateDir, runId);
  const entries: { id: string; entry: AppliedEntry }[] = [];
  const names = await realDisk.list(folder);
  for (const name of streams === undefined ? names : recordsOf(streams, names)) {
    const dir = join(folder, name);
    const journal = await readJournalFile(realDisk, dir);
    const done = await readDone(realDisk, dir);
    if (journal === undefined || done === undefined) continue;
    const undone = (await readUndone(realDisk, dir)) !== undefined;
    const { id, streamId, attempt } = journal;
    entries.push({ id, entry: { streamId, attempt, dir, undone, appliedAt: done.at } });
  }
  entries.sort((a, b) => (a.id < b.id ? -1 : 1));
  return entries.map(({ entry }) => entry);
}

export async function readApplied(dir: string, disk: Disk = realDisk): Promise<FileChange[]> {
  const journal = await readJournalFile(disk, dir);
  const changes: FileChange[] = [];
  for (const [index, file] of (journal?.files ?? []).entries()) {
    const { path, before, after, mode, newMode } = file;
    changes.push({
      path,
      before: await readVersion(disk, { dir, side: 'before', index, version: before }),
      after: await readVersion(disk, { dir, side: 'after', index, version: after }),
      ...modes(mode, newMode ?? mode),
    });
  }
  return changes;
}

/** What several changes, one after the other, come to: the first before and the last after. */
export function combinedChanges(lists: readonly FileChange[][]): FileChange[] {
  const byPath = new Map<string, FileChange>();
  for (const change of lists.flat()) {
    const first = byPath.get(change.path);
    byPath.set(change.path, first ? joined(first, change) : change);
  }
  return [...byPath.values()].filter(
    ({ before, after, newMode }) => !isSame(before, after) || newMode !== undefined,
  );
}

function joined(first: FileChange, last: FileChange): FileChange {
  const { path, before } = first;
  const { after } = last;
  const mode = before === null ? modeAfter(last) : first.mode;
  return { path, before, after, ...modes(mode, after === null ? mode : modeAfter(last)) };
}

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
