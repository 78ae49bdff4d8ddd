// The calls that change the disk, in one place: a test can stop the world at each of them.
import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';

export interface FileState {
  kind: 'file' | 'folder' | 'symlink' | 'other';
  size: number;
  mode: number;
  /** How many names the file has: more than one, and a change shows somewhere else as well. */
  names: number;
}

export interface OpenFolder {
  /** Stands for this very folder, even when its name leads elsewhere by now. */
  path: string;
  close(): Promise<void>;
}

export interface Disk {
  /** Undefined when there is nothing; a symlink is not followed. */
  look(path: string): Promise<FileState | undefined>;
  read(path: string): Promise<Buffer>;
  /** Names in a folder, sorted; none when it does not exist. */
  list(path: string): Promise<string[]>;
  /** Fails on a symlink. */
  openFolder(path: string): Promise<OpenFolder>;
  /** Nothing when it is there already. */
  makeFolder(path: string): Promise<void>;
  /** A file that was not there, safe on disk when this returns. */
  writeNew(path: string, data: Buffer, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Nothing when it is gone already. */
  removeFile(path: string): Promise<void>;
  /** Only when it is empty. */
  removeFolder(path: string): Promise<void>;
  /** Makes new, renamed and removed names in a folder last. */
  syncFolder(path: string): Promise<void>;
}

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

// Where the system has it, a path through an open folder cannot be led astray by a symlink that
// somebody puts on the way a moment after the check.
const FD_FOLDER = '/proc/self/fd';
const hasFdFolder = existsSync(FD_FOLDER);

export function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

async function unless<T>(codes: readonly string[], other: T, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return other;
    throw error;
  }
}

async function stateOf(path: string): Promise<FileState> {
  const stats = await lstat(path);
  const kind = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'folder'
      : stats.isSymbolicLink()
        ? 'symlink'
        : 'other';
  return { kind, size: stats.size, mode: stats.mode & 0o7777, names: stats.nlink };
}

export const realDisk: Disk = {
  look: (path) => unless<FileState | undefined>(['ENOENT', 'ENOTDIR'], undefined, stateOf(path)),

  async read(path) {
    // Not to wait for a writer, should it have become a pipe.
    const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  },

  list: async (path) => (await unless<string[]>(['ENOENT'], [], readdir(path))).sort(),

  async openFolder(path) {
    const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return {
      path: hasFdFolder ? `${FD_FOLDER}/${handle.fd}` : path,
      close: () => handle.close(),
    };
  },

  makeFolder: (path) => unless(['EEXIST'], undefined, mkdir(path)),

  async writeNew(path, data, mode) {
    const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      await handle.writeFile(data);
      // The umask has no say in this.
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },

  rename,

  removeFile: (path) => unless(['ENOENT', 'ENOTDIR'], undefined, unlink(path)),

  removeFolder: (path) =>
    unless(['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'], undefined, rmdir(path)),

  async syncFolder(path) {
    const handle = await open(path, O_RDONLY | O_DIRECTORY);
    try {
      // Some file systems cannot sync a folder; the files themselves are safe.
      await unless(['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR'], undefined, handle.sync());
    } finally {
      await handle.close();
    }
  },
};
