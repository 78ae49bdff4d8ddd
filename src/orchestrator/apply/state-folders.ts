// Where transactions and their records are kept: `.millrace/txn/<id>` while one is under way, and
// `.millrace/runs/<run>/applied/<stream>-<attempt>` once it is done.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { runFolderOf, stateDirOf } from '../state/run-folder.ts';
import type { Disk } from './disk.ts';
import type { ApplyPlace } from './journal-file.ts';

const LONGEST_NAME = 150;

export function txnFolderOf(root: string): string {
  return join(stateDirOf(root), 'txn');
}

export function recordsFolderOf(root: string, runId: string): string {
  return join(runFolderOf(root, runId), 'applied');
}

/** Ids of streams are free text; a name of a folder is not. */
export function recordNameOf({ streamId, attempt }: ApplyPlace): string {
  const safe = encodeURIComponent(streamId);
  if (safe.length <= LONGEST_NAME) return `${safe}-${attempt}`;
  const hash = createHash('sha256').update(streamId).digest('hex').slice(0, 16);
  return `${safe.slice(0, LONGEST_NAME)}~${hash}-${attempt}`;
}

export function recordFolderOf(place: ApplyPlace): string {
  return join(recordsFolderOf(place.root, place.runId), recordNameOf(place));
}

/** Makes the folders below the root one by one: none may be a symlink that leads out of it. */
export async function makeStateFolders(
  disk: Disk,
  root: string,
  parts: readonly string[],
): Promise<string> {
  let folder = root;
  for (const part of parts) {
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
