// Where the folder of a transaction goes in the end. It is always renamed as a whole first: a folder
// that is half removed must not look like a transaction.
import { basename, dirname, join } from 'node:path';
import type { Site } from './commit.ts';
import { MARKS, readDone, writeMark } from './journal-file.ts';
import type { TransactionJournal, UndoneMark } from './journal-file.ts';
import {
  makeStateFolders,
  recordFolderOf,
  recordsFolderOf,
  removeStateFolder,
} from './state-folders.ts';
import { createTree } from './tree.ts';

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
  // Should it come back after a power cut, it would take back what others did since.
  await disk.syncFolder(dirname(dir));
  await removeStateFolder(disk, trash);
}

/** Somebody's work stands where ours stood: the versions we know of it are not thrown away. */
export async function keepAside(site: Site, { runId, id }: TransactionJournal): Promise<void> {
  const { disk, stateDir, dir } = site;
  const folder = await makeStateFolders(disk, stateDir, ['runs', runId, 'left']);
  await disk.rename(dir, join(folder, basename(id)));
  await disk.syncFolder(folder);
  await disk.syncFolder(dirname(dir));
}
