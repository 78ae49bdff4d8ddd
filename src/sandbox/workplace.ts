// Where this process keeps copies: a folder of its own below the state folder, locked while it lives.
// Folders whose lock is free belong to processes that were killed, and the next one removes them.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../platform/file-lock.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { removeTree } from './copy/remove-tree.ts';

export interface Workplace {
  path: string;
  /** A new empty folder with a plain name, relative to the path. */
  newFolder(name: string): string;
  remove(): void;
}

const LOCK = 'owner.lock';
/** Beside the folders, not in them: a folder appears together with its lock. */
const lockOf = (folder: string) => `${folder}.${LOCK}`;

const OPENED = '.opened';
/** What other processes show of its copies to a person: as long as the workplace itself. */
export const openedFolderOf = (workplace: string): string => `${workplace}${OPENED}`;
const ownerOf = (path: string) => (path.endsWith(OPENED) ? path.slice(0, -OPENED.length) : path);

/** Without those of living processes. */
export function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.endsWith(LOCK)) continue;
    const path = join(folder, name);
    const lock = lockFile(lockOf(ownerOf(path)));
    if (lock === undefined) continue;
    removeTree(path);
    lock.release();
    removeTree(lockOf(ownerOf(path)));
  }
}

export function openWorkplace(stateFolder: string): Workplace {
  makeFolder(join(stateFolder, 'sandboxes'), 0o700);
  const folder = realpathSync.native(join(stateFolder, 'sandboxes'));
  removeAbandoned(folder);
  const path = join(folder, randomUUID());
  const lock = lockFile(lockOf(path));
  if (lock === undefined) throw new Error(`Could not lock ${lockOf(path)}.`);
  mkdirSync(path, { mode: 0o700 });
  let count = 0;
  return {
    path,
    newFolder(name) {
      const own = `${name}-${(count += 1)}`;
      mkdirSync(join(path, own), { mode: 0o700 });
      return own;
    },
    remove() {
      removeTree(path);
      try {
        removeTree(openedFolderOf(path));
      } catch {
        // Another process writes to it at this moment: the next start removes it.
      }
      lock.release();
      removeTree(lockOf(path));
    },
  };
}
