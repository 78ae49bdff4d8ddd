// A transaction on disk: a folder with the files before (`b0`, `b1`...) and after
// (`n0`...), and `journal.json` that says which is which. `done.json` says that all of them are in
// place. Both appear by a rename, so they are there whole or not at all.
import { join } from 'node:path';
import { z } from 'zod';
import { checkPath } from '../../domain/artifact/check-path.ts';
import { parseState } from '../state/parse-state.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import type { Disk } from './disk.ts';

export interface ApplyPlace extends ProjectPlace {
  runId: string;
  streamId: string;
  attempt: number;
}

// Read as if an enemy had written it: paths by the rules for artifacts, names that stay in the state
// folder, and nothing that is not the shape of what we write.
const SafePath = z
  .string()
  .refine(
    (path) => checkPath(path) === undefined && !path.toLowerCase().split('/').includes('.millrace'),
    'not a path in the project that may be written',
  );
const SafeName = z
  .string()
  .regex(/^[^/\\\0]{1,255}$/)
  .refine((name) => !/^\.{1,2}$/.test(name));
const RunId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** One version of a file, by its hash; null where there is none. */
const Version = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .nullable();
export type Version = z.infer<typeof Version>;

const Mode = z.int().min(0).max(0o7777);

const End = z.discriminatedUnion('kind', [
  /** The folder stays as a record. */
  z.object({ kind: z.literal('keep') }),
  /** The record with this name is marked as undone, and folders it made are removed if empty. */
  z.object({
    kind: z.literal('undo'),
    record: SafeName,
    emptyFolders: z.array(SafePath),
    conflicts: z.array(SafePath),
  }),
]);

const Journal = z.object({
  v: z.literal(1),
  /** Sorts by the time it was made. */
  id: z.string().regex(/^txn_[a-z0-9]{1,64}$/),
  runId: RunId,
  streamId: z.string(),
  attempt: z.int().min(0),
  files: z.array(
    z.object({
      path: SafePath,
      before: Version,
      after: Version,
      mode: Mode,
      newMode: Mode.optional(),
    }),
  ),
  /** Folders that had to be made, outer ones first: removed again when it is rolled back. */
  newFolders: z.array(SafePath),
  end: End,
});
export type TransactionJournal = z.infer<typeof Journal>;

const Done = z.object({ at: z.string() });
export type DoneMark = z.infer<typeof Done>;

/** With the files that were left as they are, because they were changed meanwhile. */
const Undone = Done.extend({ conflicts: z.array(z.string()) });
export type UndoneMark = z.infer<typeof Undone>;

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

async function readShape<T>(disk: Disk, file: string, shape: z.ZodType<T>): Promise<T | undefined> {
  if ((await disk.look(file)) === undefined) return undefined;
  return parseState(file, (await disk.read(file)).toString('utf8'), shape);
}

export function readDone(disk: Disk, dir: string): Promise<DoneMark | undefined> {
  return readShape(disk, join(dir, DONE), Done);
}

export function readUndone(disk: Disk, dir: string): Promise<UndoneMark | undefined> {
  return readShape(disk, join(dir, UNDONE), Undone);
}

export function readJournalFile(disk: Disk, dir: string): Promise<TransactionJournal | undefined> {
  return readShape(disk, join(dir, JOURNAL), Journal);
}
