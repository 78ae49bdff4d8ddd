// Changes to the files of a project: all of them or none, whatever stops the process. What was done
// is kept as a record with both versions of every file, so that it can be shown and rolled back.
import { basename, dirname, join } from 'node:path';
import {
  ConflictError,
  carryOut,
  hasNewMode,
  missingFolders,
  prepare,
  rollBack,
  versionOf,
} from './commit.ts';
import type { Site } from './commit.ts';
import { realDisk } from './disk.ts';
import type { Disk } from './disk.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import { modes } from './file-change.ts';
import type { FileChange } from './file-change.ts';
import { MARKS, readDone, readJournalFile, readUndone, writeMark } from './journal-file.ts';
import type { ApplyPlace, TransactionJournal, UndoneMark } from './journal-file.ts';
import { readApplied, stateOf } from './record.ts';
import { sha256 } from '../../platform/sha256.ts';
import {
  makeStateFolders,
  recordFolderOf,
  recordsFolderOf,
  removeStateFolder,
  txnFolderOf,
} from './state-folders.ts';
import { createTree } from './tree.ts';
import type { Tree } from './tree.ts';
import { filesOfRun } from '../state/branch-record.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { newId } from '../../platform/ids.ts';

export type { ApplyPlace } from './journal-file.ts';

export interface World {
  disk?: Disk;
  now?: () => Date;
}

export type AppliedOutcome =
  | { kind: 'applied'; dir: string }
  | { kind: 'conflict'; problems: ApplyProblem[] };

export interface Recovered {
  runId: string;
  streamId: string;
  attempt: number;
  /** What holds now for the files of this stream. */
  outcome: 'undone' | 'applied';
  /** Changed since the crash, and left alone. */
  conflicts: string[];
}

type About = Omit<TransactionJournal, 'v' | 'files'>;

/** The changes are in place, or it throws and nothing is; a ConflictError names what changed. */
async function transact(
  site: Site,
  work: {
    changes: readonly FileChange[];
    about: About;
    now: () => Date;
    check?: (() => Promise<void>) | undefined;
  },
): Promise<void> {
  let journal: TransactionJournal | undefined;
  try {
    const done = { at: work.now().toISOString() };
    journal = await prepare(site, work.changes, work.about, done);
    await carryOut(site, journal, work.check);
  } catch (error) {
    await withdraw(site, journal, error);
    throw error;
  }
  await finish(site, journal);
}

async function withdraw(
  site: Site,
  journal: TransactionJournal | undefined,
  cause: unknown,
): Promise<void> {
  try {
    const changed = journal ? await rollBack(site, journal) : [];
    const isFirst =
      cause instanceof ConflictError && changed.every((p) => p === cause.problem.path);
    if (journal && changed.length > 0 && !isFirst) await keepAside(site, journal);
    else await discard(site);
  } catch (error) {
    // The folder of the transaction is still there: the next start takes it back.
    throw new AggregateError(
      [cause, error],
      'Some files could not be restored; run the command again to retry.',
      { cause: error },
    );
  }
}

/**
 * An empty list leaves a record, too: the stream was applied. With a `check`, the changes count once it is
 * through; what it throws, or a crash in the middle of it, takes them back.
 */
export async function applyChanges(
  place: ApplyPlace,
  changes: readonly FileChange[],
  { disk = realDisk, now = () => new Date(), check }: World & { check?: () => Promise<void> } = {},
): Promise<AppliedOutcome> {
  const { root, stateDir, runId, streamId, attempt } = place;
  const dir = recordFolderOf(place);
  if ((await stateOf(disk, dir)) === 'applied') {
    throw new Error(`Attempt ${attempt} of ${streamId} is already applied in ${runId}.`);
  }
  const tree = createTree(disk, root);
  const id = newId('txn', now().getTime());
  const newFolders = await missingFolders(tree, changes);
  const about: About = { id, runId, streamId, attempt, newFolders, end: { kind: 'keep' } };
  const site = { disk, root, stateDir, dir: join(txnFolderOf(stateDir), id) };
  try {
    await transact(site, { changes, about, now, check });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return { kind: 'conflict', problems: [error.problem] };
  }
  return { kind: 'applied', dir };
}

/** How often an undo starts over because a file changes under its hands. */
const UNDO_TRIES = 3;

/**
 * Files that were changed since are conflicts: left alone, unless `force`. Undone once, only
 * what was left can be undone again, by force.
 */
export async function undoApplied(
  { root, stateDir }: ProjectPlace,
  dir: string,
  { force = false, disk = realDisk, now = () => new Date() }: World & { force?: boolean } = {},
): Promise<{ undone: string[]; conflicts: string[] }> {
  const record = await readJournalFile(disk, dir);
  if (record === undefined) throw new Error(`${dir} is not the record of applied changes.`);
  const mark = await readUndone(disk, dir);
  const left = mark && new Set(mark.conflicts);
  if (left && (!force || left.size === 0)) return { undone: [], conflicts: [] };
  const all = await readApplied(dir, disk);
  const open = left ? all.filter(({ path }) => left.has(path)) : all;
  const tree = createTree(disk, root);
  const { runId, streamId, attempt } = record;
  for (let tried = 1; ; tried++) {
    const { changes, conflicts } = await inverse(tree, open, force);
    const id = newId('txn', now().getTime());
    const newFolders = await missingFolders(tree, changes);
    const emptyFolders = record.newFolders;
    const end = { kind: 'undo' as const, record: basename(dir), emptyFolders, conflicts };
    const about: About = { id, runId, streamId, attempt, newFolders, end };
    try {
      const site = { disk, root, stateDir, dir: join(txnFolderOf(stateDir), id) };
      await transact(site, { changes, about, now });
      return { undone: changes.map(({ path }) => path), conflicts };
    } catch (error) {
      if (!(error instanceof ConflictError) || tried === UNDO_TRIES) throw error;
    }
  }
}

/** The changes that lead back, from what is there now. */
async function inverse(tree: Tree, applied: readonly FileChange[], force: boolean) {
  const changes: FileChange[] = [];
  const conflicts: string[] = [];
  for (const change of applied) {
    const { path, before, after, mode } = change;
    const found = await tree.find(path);
    const now = versionOf(found);
    const [was, became] = [before && sha256(before), after && sha256(after)];
    if (now === was && !(was === became && hasNewMode(found, change))) continue;
    const isOurs = now === became;
    if (found.kind === 'refused' || (!isOurs && !force)) {
      conflicts.push(path);
      continue;
    }
    const current = found.kind === 'file' ? found : { bytes: null, mode };
    const nextMode = before === null ? current.mode : mode;
    changes.push({ path, before: current.bytes, after: before, ...modes(current.mode, nextMode) });
  }
  return { changes, conflicts };
}

/** Finishes or rolls back what a crash interrupted. The caller must hold the lock. */
export async function recoverTransactions(
  { root, stateDir }: ProjectPlace,
  { disk = realDisk }: World = {},
): Promise<Recovered[]> {
  const folder = txnFolderOf(stateDir);
  const recovered: Recovered[] = [];
  // The latest first: it may stand on what an earlier one left.
  for (const name of (await disk.list(folder)).toReversed()) {
    const dir = join(folder, name);
    const journal = name.endsWith('.trash') ? undefined : await readJournalFile(disk, dir);
    const files = journal && (await filesOfRun({ root, stateDir }, journal.runId));
    if (journal === undefined || files === undefined) {
      // Nothing was touched yet, nothing is needed any more, or the files are gone.
      await removeStateFolder(disk, dir);
      continue;
    }
    recovered.push(await recoverOne({ disk, root: files, stateDir, dir }, journal));
  }
  return recovered;
}

async function recoverOne(site: Site, journal: TransactionJournal): Promise<Recovered> {
  const { runId, streamId, attempt, end } = journal;
  const isDone = (await readDone(site.disk, site.dir)) !== undefined;
  let conflicts: string[] = [];
  if (isDone) await finish(site, journal);
  else {
    conflicts = await rollBack(site, journal);
    if (conflicts.length > 0) await keepAside(site, journal);
    else await discard(site);
  }
  const outcome = isDone === (end.kind === 'keep') ? 'applied' : 'undone';
  return { runId, streamId, attempt, outcome, conflicts };
}

// Where the folder of a transaction goes in the end. It is always renamed as a whole first: a folder
// that is half removed must not look like a transaction.

/** May be done again after any interruption. */
export async function finish(site: Site, journal: TransactionJournal): Promise<void> {
  if (journal.end.kind === 'keep') await keep(site, journal);
  else await markUndone(site, journal, journal.end);
}

async function keep(site: Site, journal: TransactionJournal): Promise<void> {
  const { disk, root, stateDir, dir } = site;
  await makeStateFolders(disk, stateDir, ['runs', journal.runId, 'applied']);
  const record = recordFolderOf({ root, stateDir, ...journal });
  // An earlier go at the same attempt, which was undone.
  const earlier = `${dir}-earlier.trash`;
  if ((await disk.look(record)) !== undefined) await disk.rename(record, earlier);
  // Nothing waits for these names to be safe: should the folder come back after a power cut, it says
  // itself that it is done, and is put here again.
  await disk.rename(dir, record);
  if ((await disk.look(earlier)) !== undefined) await removeStateFolder(disk, earlier);
}

async function markUndone(
  site: Site,
  { runId }: TransactionJournal,
  end: Extract<TransactionJournal['end'], { kind: 'undo' }>,
): Promise<void> {
  const { disk, root, stateDir, dir } = site;
  const tree = createTree(disk, root);
  for (const folder of end.emptyFolders.toReversed()) await tree.removeFolder(folder);
  const record = join(recordsFolderOf(stateDir, runId), end.record);
  if ((await disk.look(record)) !== undefined) {
    const done = await readDone(disk, dir);
    const value: UndoneMark = { at: done?.at ?? '', conflicts: end.conflicts };
    await writeMark(disk, record, { name: MARKS.undone, value });
  }
  await discard(site);
}

export async function discard({ disk, dir }: Site): Promise<void> {
  if ((await disk.look(dir)) === undefined) return;
  const trash = `${dir}.trash`;
  await disk.rename(dir, trash);
  // Should it come back after a power cut, it would roll back what others did since.
  await disk.syncFolder(dirname(dir));
  await removeStateFolder(disk, trash);
}

/** The user's work is where ours was: the versions we know of it are not thrown away. */
export async function keepAside(site: Site, { runId, id }: TransactionJournal): Promise<void> {
  const { disk, stateDir, dir } = site;
  const folder = await makeStateFolders(disk, stateDir, ['runs', runId, 'left']);
  await disk.rename(dir, join(folder, basename(id)));
  await disk.syncFolder(folder);
  await disk.syncFolder(dirname(dir));
}
