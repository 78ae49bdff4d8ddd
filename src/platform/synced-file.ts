// Files that are safe on disk once written. Only the wait for the disk is handed to another thread:
// the calls around it are answered from memory, and to hand each of them over would cost many times
// what it takes.
import { closeSync, constants, fchmodSync, fsync, openSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const NEW = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

const sync = promisify(fsync);

/** A file that was not there: it fails when there is anything of this name, also a symlink. */
export async function writeSynced(
  path: string,
  data: string | Buffer,
  mode: number,
): Promise<void> {
  const fd = openSync(path, NEW, 0o600);
  try {
    writeFileSync(fd, data);
    // The umask has no say in this.
    fchmodSync(fd, mode);
    await sync(fd);
  } finally {
    closeSync(fd);
  }
}

const CANNOT_BE_SYNCED = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR']);

/** Makes new, renamed and removed names in a folder last. */
export async function syncFolder(path: string): Promise<void> {
  const fd = openSync(path, O_RDONLY | O_DIRECTORY);
  try {
    await sync(fd);
  } catch (error) {
    // Some file systems cannot sync a folder; the files themselves are safe.
    if (!CANNOT_BE_SYNCED.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    closeSync(fd);
  }
}
