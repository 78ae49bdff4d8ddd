// The steps of a transaction. Until `journal.json` is there, no file of the project is touched; once
// `done.json` is there, all of them are in place; in between, everything can be rolled back.
import { join } from 'node:path';
import type { ProjectPlace } from '../state/state-dir.ts';
import { errorCode } from './disk.ts';
import type { Disk } from './disk.ts';
import { MARKS, afterFile, beforeFile, draftOf, showMark } from './journal-file.ts';
import type { DoneMark, TransactionJournal, Version } from './journal-file.ts';
import { readVersion } from './kept-version.ts';
import { sha256 } from '../../platform/sha256.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import { isExecutable, modeAfter } from './file-change.ts';
import type { FileChange, OfMode } from './file-change.ts';
import { makeStateFolders } from './state-folders.ts';
import { WayBlockedError, createTree } from './tree.ts';
import type { Found, Tree } from './tree.ts';

export interface Site extends ProjectPlace {
  disk: Disk;
  /** The folder of the transaction. */
  dir: string;
}

/** How many new files are written side by side: waiting for the disk is most of the time. */
const WRITERS = 8;

/** Another program changed a file between the check and the write. */
export class ConflictError extends Error {
  readonly problem: ApplyProblem;
  constructor(problem: ApplyProblem) {
    super(problem.message);
    this.name = 'ConflictError';
    this.problem = problem;
  }
}

/** The folders that these files need and that are not there, outer ones first. */
export async function missingFolders(
  tree: Tree,
  changes: readonly FileChange[],
): Promise<string[]> {
  const missing = new Set<string>();
  for (const { path, after } of changes) {
    if (after === null) continue;
    const found = await tree.find(path);
    if (found.kind === 'missing') for (const folder of found.folders) missing.add(folder);
  }
  return [...missing].sort((a, b) => a.length - b.length);
}

/** Writes the transaction down, whole and for good, and beside it the mark that will end it. */
export async function prepare(
  { disk, stateDir, dir }: Site,
  changes: readonly FileChange[],
  about: Omit<TransactionJournal, 'v' | 'files'>,
  done: DoneMark,
): Promise<TransactionJournal> {
  await makeStateFolders(disk, stateDir, ['txn', about.id]);
  const files = changes.map(({ path, before, after, ...ofMode }) => ({
    path,
    before: before && sha256(before),
    after: after && sha256(after),
    mode: ofMode.mode,
    ...(ofMode.newMode !== undefined && { newMode: ofMode.newMode }),
  }));
  const journal: TransactionJournal = { v: 1, ...about, files };
  const copies = changes.flatMap(({ before, after }, i) => [
    ...(before === null ? [] : [{ file: beforeFile(dir, i), data: before }]),
    ...(after === null ? [] : [{ file: afterFile(dir, i), data: after }]),
  ]);
  await writeAll(disk, [
    ...copies,
    draftOf(dir, { name: MARKS.journal, value: journal }),
    draftOf(dir, { name: MARKS.done, value: done }),
  ]);
  // One sync makes all these names safe. Until it is done no file of the project is touched: a journal
  // that survives a power cut without its copies has nothing to roll back.
  await showMark(disk, dir, MARKS.journal);
  return journal;
}

async function writeAll(disk: Disk, all: readonly { file: string; data: Buffer }[]): Promise<void> {
  for (let at = 0; at < all.length; at += WRITERS) {
    const some = all.slice(at, at + WRITERS);
    const written = await Promise.allSettled(
      some.map(({ file, data }) => disk.writeNew(file, data, 0o600)),
    );
    const failed = written.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

function draftName({ id }: TransactionJournal, index: number): string {
  return `.millrace-${id}-${index}.tmp`;
}

/**
 * Puts every file in its place; throws a ConflictError at the first that is not as expected. What `check`
 * throws is thrown as well: until it is through, the transaction is not done.
 */
export async function carryOut(
  { disk, root, dir }: Site,
  journal: TransactionJournal,
  check: () => Promise<void> = async () => {},
): Promise<void> {
  const tree = createTree(disk, root);
  for (const folder of journal.newFolders) {
    await changing(folder, () => tree.makeFolder(folder));
  }
  for (const [index, file] of journal.files.entries()) {
    const { path, before, after } = file;
    const data = await readVersion(disk, { dir, side: 'after', index, version: after });
    await changing(path, () =>
      tree.inFolderOf(path, async (folder, name) => {
        const draft = join(folder, draftName(journal, index));
        if (data !== null) await disk.writeNew(draft, data, modeAfter(file));
        // In the very folder that is written to, and as late as can be.
        if (versionOf(await tree.findIn(folder, name)) !== before) {
          throw new ConflictError(staleProblem(path));
        }
        if (data === null) await disk.removeFile(join(folder, name));
        else await disk.rename(draft, join(folder, name));
      }),
    );
  }
  await syncFolders(disk, tree, journal);
  await check();
  await showMark(disk, dir, MARKS.done);
}

/**
 * Puts everything back as it was; may be done again after any interruption. Files that
 * another program changed meanwhile are left alone and reported.
 */
export async function rollBack(
  { disk, root, dir }: Site,
  journal: TransactionJournal,
): Promise<string[]> {
  const tree = createTree(disk, root);
  const changed: string[] = [];
  for (const [index, file] of [...journal.files.entries()].toReversed()) {
    const { path, before, after, mode } = file;
    const found = await tree.find(path);
    const now = versionOf(found);
    const isOurs = now === after && (now !== before || hasNewMode(found, file));
    if (now !== before && !isOurs) changed.push(path);
    const back = isOurs
      ? await readVersion(disk, { dir, side: 'before', index, version: before })
      : null;
    // Empty folders get lost easily.
    if (back !== null && found.kind === 'missing') {
      for (const folder of found.folders) await tree.makeFolder(folder);
    }
    // The folder may be missing when it was to be made; then there is nothing to clean in it.
    await ifThere(tree, path, async (folder, name) => {
      const draft = join(folder, draftName(journal, index));
      await disk.removeFile(draft);
      if (!isOurs) return;
      if (back === null) await disk.removeFile(join(folder, name));
      else {
        await disk.writeNew(draft, back, mode);
        await disk.rename(draft, join(folder, name));
      }
    });
  }
  for (const folder of journal.newFolders.toReversed()) await tree.removeFolder(folder);
  await syncFolders(disk, tree, journal);
  return changed;
}

/** Where only the mode changes, it alone shows which of the two versions is there. */
export function hasNewMode(found: Found, { newMode }: OfMode): boolean {
  if (newMode === undefined || found.kind !== 'file') return false;
  return isExecutable(found.mode) === isExecutable(newMode);
}

/** Undefined when what is there is not a plain file. */
export function versionOf(found: Found): Version | undefined {
  if (found.kind === 'refused') return undefined;
  return found.kind === 'missing' ? null : sha256(found.bytes);
}

function staleProblem(path: string): ApplyProblem {
  const message = 'The file changed while the artifact was being applied; nothing was applied.';
  return { path, code: 'STALE', message };
}

/** The disk refuses: no rights, no room. */
export class NotWritableError extends Error {
  constructor(path: string, reason: string, cause: unknown) {
    super(`${path} cannot be written (${reason}); nothing was changed.`, { cause });
    this.name = 'NotWritableError';
  }
}

/** A way that is blocked all of a sudden is a conflict as well; what the disk refuses is reported. */
async function changing(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof WayBlockedError) {
      throw new ConflictError({ path, code: error.refusal.code, message: error.refusal.message });
    }
    const reason = errorCode(error);
    if (reason === undefined) throw error;
    throw new NotWritableError(path, reason, error);
  }
}

async function ifThere(
  tree: Tree,
  path: string,
  use: (folder: string, name: string) => Promise<void>,
): Promise<void> {
  try {
    await tree.inFolderOf(path, use);
  } catch (error) {
    if (!(error instanceof WayBlockedError)) throw error;
  }
}

async function syncFolders(disk: Disk, tree: Tree, { files }: TransactionJournal): Promise<void> {
  const byFolder = new Map(
    files.map(({ path }) => [path.slice(0, path.lastIndexOf('/') + 1), path]),
  );
  for (const path of byFolder.values()) {
    await ifThere(tree, path, (folder) => disk.syncFolder(folder));
  }
}
