// A transaction on disk: a folder with the files as they were (`b0`, `b1`...) and as they are to be
// (`n0`...), and `journal.json` that says which is which. `done.json` says that all of them are in
// place. Both appear by a rename, so they are there whole or not at all.
import { join } from 'node:path';
import type { ProjectPlace } from '../state/state-dir.ts';
import type { Disk } from './disk.ts';

export interface ApplyPlace extends ProjectPlace {
  runId: string;
  streamId: string;
  attempt: number;
}

/** One version of a file, by its hash; null where there is none. */
export type Version = string | null;

export interface JournalFile {
  path: string;
  before: Version;
  after: Version;
  mode: number;
}

export interface TransactionJournal {
  v: 1;
  /** Sorts by the time it was made. */
  id: string;
  runId: string;
  streamId: string;
  attempt: number;
  files: JournalFile[];
  /** Folders that had to be made, outer ones first: removed again when it is taken back. */
  newFolders: string[];
  end:
    /** The folder stays as a record. */
    | { kind: 'keep' }
    /** The record with this name is marked as undone, and folders it made are removed if empty. */
    | { kind: 'undo'; record: string; emptyFolders: string[]; conflicts: string[] };
}

export interface DoneMark {
  at: string;
}

export interface UndoneMark extends DoneMark {
  /** Files that were left as they are, because somebody had changed them. */
  conflicts: string[];
}

const JOURNAL = 'journal.json';
const DONE = 'done.json';
const UNDONE = 'undone.json';

export type MarkName = typeof JOURNAL | typeof DONE | typeof UNDONE;

export const MARKS = { journal: JOURNAL, done: DONE, undone: UNDONE } as const;

export const beforeFile = (dir: string, index: number) => join(dir, `b${index}`);
export const afterFile = (dir: string, index: number) => join(dir, `n${index}`);

export interface Mark {
  name: MarkName;
  value: unknown;
}

/** A mark that nobody sees yet. */
export function draftOf(dir: string, { name, value }: Mark): { file: string; data: Buffer } {
  return { file: join(dir, `${name}.tmp`), data: Buffer.from(JSON.stringify(value)) };
}

/** Makes a draft that is safe on disk a mark. */
export async function showMark(disk: Disk, dir: string, name: MarkName): Promise<void> {
  await disk.rename(join(dir, `${name}.tmp`), join(dir, name));
  await disk.syncFolder(dir);
}

export async function writeMark(disk: Disk, dir: string, mark: Mark): Promise<void> {
  const { file, data } = draftOf(dir, mark);
  // Left by a crash.
  await disk.removeFile(file);
  await disk.writeNew(file, data, 0o600);
  await showMark(disk, dir, mark.name);
}

export async function readMark<T>(disk: Disk, dir: string, name: MarkName): Promise<T | undefined> {
  const file = join(dir, name);
  if ((await disk.look(file)) === undefined) return undefined;
  return JSON.parse((await disk.read(file)).toString('utf8')) as T;
}

export function readJournalFile(disk: Disk, dir: string): Promise<TransactionJournal | undefined> {
  return readMark<TransactionJournal>(disk, dir, JOURNAL);
}
