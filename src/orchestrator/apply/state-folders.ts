// Where transactions and their records are kept: `txn/<id>` while one is under way, and
// `runs/<run>/applied/<stream>-<attempt>` once it is done, both in the project's state folder.
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { runFolderOf } from '../state/run-folder.ts';
import type { Disk } from './disk.ts';
import type { ApplyPlace } from './journal-file.ts';

const LONGEST_NAME = 150;

export function txnFolderOf(stateDir: string): string {
  return join(stateDir, 'txn');
}

export function recordsFolderOf(stateDir: string, runId: string): string {
  return join(runFolderOf(stateDir, runId), 'applied');
}

/** Ids of streams are free text; a name of a folder is not. */
function folderNameOf(streamId: string): string {
  const safe = encodeURIComponent(streamId);
  if (safe.length <= LONGEST_NAME) return safe;
  const hash = createHash('sha256').update(streamId).digest('hex').slice(0, 16);
  return `${safe.slice(0, LONGEST_NAME)}~${hash}`;
}

export function recordNameOf({ streamId, attempt }: ApplyPlace): string {
  return `${folderNameOf(streamId)}-${attempt}`;
}

/** Of these names, those of records of the streams. */
export function recordsOf(streams: ReadonlySet<string>, names: readonly string[]): string[] {
  const wanted = new Set([...streams].map(folderNameOf));
  return names.filter((name) => wanted.has(name.replace(/-\d+$/, '')));
}

export function recordFolderOf(place: ApplyPlace): string {
  return join(recordsFolderOf(place.stateDir, place.runId), recordNameOf(place));
}

/** Makes the state folder and those in it one by one: none may be a symlink that leads elsewhere. */
export async function makeStateFolders(
  disk: Disk,
  stateDir: string,
  parts: readonly string[],
): Promise<string> {
  let folder = dirname(stateDir);
  for (const part of [basename(stateDir), ...parts]) {
    const next = join(folder, part);
    const state = await disk.look(next);
    if (state === undefined) {
      await disk.makeFolder(next);
      await disk.syncFolder(folder);
    } else if (state.kind !== 'folder') {
      throw new Error(`${next} must be a folder, not a link or a file; move it away.`);
    }
    folder = next;
  }
  return folder;
}

/** Removes a folder of ours with the files in it. */
export async function removeStateFolder(disk: Disk, folder: string): Promise<void> {
  for (const name of await disk.list(folder)) await disk.removeFile(join(folder, name));
  await disk.removeFolder(folder);
}
