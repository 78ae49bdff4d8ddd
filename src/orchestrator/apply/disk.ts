// The calls that change the disk, in one place: a test can stop the world at each of them.
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { syncFolder, writeSynced } from '../../platform/synced-file.ts';

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

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

// Where the system has it, a path through an open folder cannot be led astray by a symlink that
// is put on the way a moment after the check.
const FD_FOLDER = '/proc/self/fd';
const hasFdFolder = existsSync(FD_FOLDER);

export function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function unless<T>(codes: readonly string[], other: T, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return other;
    throw error;
  }
}

function stateOf(path: string): FileState | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  const kind = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'folder'
      : stats.isSymbolicLink()
        ? 'symlink'
        : 'other';
  return { kind, size: stats.size, mode: stats.mode & 0o7777, names: stats.nlink };
}

// Names are looked up and changed at once, without the way through another thread: an apply makes
// dozens of these calls while no other stream may touch the files. What waits for the disk does not
// hold anybody up.
export const realDisk: Disk = {
  look: async (path) => unless(['ENOTDIR'], undefined, () => stateOf(path)),

  async read(path) {
    // Not to wait for a writer, should it have become a pipe.
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  },

  list: async (path) => unless<string[]>(['ENOENT'], [], () => readdirSync(path)).sort(),

  async openFolder(path) {
    const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return {
      path: hasFdFolder ? `${FD_FOLDER}/${fd}` : path,
      close: async () => closeSync(fd),
    };
  },

  makeFolder: async (path) => unless(['EEXIST'], undefined, () => mkdirSync(path)),

  writeNew: writeSynced,

  rename: async (from, to) => renameSync(from, to),

  removeFile: async (path) => unless(['ENOENT', 'ENOTDIR'], undefined, () => unlinkSync(path)),

  removeFolder: async (path) =>
    unless(['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'], undefined, () => rmdirSync(path)),

  syncFolder,
};
