// Files of the project by their path in it. Every way to one is walked folder by folder from the
// root, and never through a symlink.
import { join } from 'node:path';
import { errorCode } from './disk.ts';
import type { Disk } from './disk.ts';

export interface Refusal {
  code: 'SYMLINK' | 'NOT_A_FILE' | 'TOO_LARGE';
  message: string;
}

export type Found =
  /** With the folders on the way that are missing, too. */
  | { kind: 'missing'; folders: string[] }
  | { kind: 'file'; bytes: Buffer; mode: number }
  | { kind: 'refused'; refusal: Refusal };

export interface Tree {
  find(path: string): Promise<Found>;
  /** In a folder that `inFolderOf` gave. */
  findIn(folder: string, name: string): Promise<Found>;
  /** Runs with a path for the folder of this file, which must be there. */
  inFolderOf<T>(path: string, use: (folder: string, name: string) => Promise<T>): Promise<T>;
  makeFolder(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
}

/** The way to a file is not, or no longer, made of folders. */
export class WayBlockedError extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = 'WayBlockedError';
    this.refusal = refusal;
  }
}

/** Larger files are not worth a copy of before and after; no text that is edited comes near it. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

type Way = { kind: 'open'; path: string } | { kind: 'missing'; from: number };

export function createTree(disk: Disk, root: string): Tree {
  /** Opens one folder after the other; what it opened is closed when `use` is done. */
  async function along<T>(parts: readonly string[], use: (way: Way) => Promise<T>): Promise<T> {
    // The way to the root is the user's own: with the dot, a link there is followed.
    let folder = await disk.openFolder(`${root}/.`);
    try {
      for (const [i, part] of parts.entries()) {
        let next;
        try {
          next = await disk.openFolder(join(folder.path, part));
        } catch (error) {
          const state = await disk.look(join(folder.path, part));
          if (state === undefined) return await use({ kind: 'missing', from: i });
          const refusal = blockedBy(state.kind, parts.slice(0, i + 1).join('/'));
          throw refusal ? new WayBlockedError(refusal) : error;
        }
        await folder.close();
        folder = next;
      }
      return await use({ kind: 'open', path: folder.path });
    } finally {
      await folder.close();
    }
  }

  function inFolder<T>(path: string, use: (folder: string, name: string) => Promise<T>) {
    const parts = path.split('/');
    const name = parts.pop()!;
    return along(parts, async (way) => {
      if (way.kind === 'open') return use(way.path, name);
      const folder = parts.slice(0, way.from + 1).join('/');
      throw new WayBlockedError({ code: 'NOT_A_FILE', message: `The folder ${folder} is gone.` });
    });
  }

  async function readIn(folder: string, name: string): Promise<Found> {
    const file = join(folder, name);
    const state = await disk.look(file);
    if (state === undefined) return { kind: 'missing', folders: [] };
    const refusal = unfit(state);
    if (refusal) return { kind: 'refused', refusal };
    try {
      return { kind: 'file', bytes: await disk.read(file), mode: state.mode };
    } catch (error) {
      // Between the look and the read it was put away, or a symlink put in its place.
      if (errorCode(error) === 'ENOENT') return { kind: 'missing', folders: [] };
      if (errorCode(error) === 'ELOOP') return { kind: 'refused', refusal: SYMLINK };
      throw error;
    }
  }

  return {
    async find(path) {
      const parts = path.split('/');
      const name = parts.pop()!;
      try {
        return await along(parts, async (way) => {
          if (way.kind === 'open') return readIn(way.path, name);
          const missing = parts.slice(way.from).map((_, i) => way.from + i + 1);
          return {
            kind: 'missing',
            folders: missing.map((count) => parts.slice(0, count).join('/')),
          };
        });
      } catch (error) {
        if (!(error instanceof WayBlockedError)) throw error;
        return { kind: 'refused', refusal: error.refusal };
      }
    },
    findIn: readIn,
    inFolderOf: inFolder,
    makeFolder: (path) =>
      inFolder(path, async (folder, name) => {
        await disk.makeFolder(join(folder, name));
        await disk.syncFolder(folder);
      }),
    async removeFolder(path) {
      try {
        await inFolder(path, async (folder, name) => {
          await disk.removeFolder(join(folder, name));
          await disk.syncFolder(folder);
        });
      } catch (error) {
        // Gone, or no folder of ours any more.
        if (!(error instanceof WayBlockedError)) throw error;
      }
    },
  };
}

const SYMLINK: Refusal = { code: 'SYMLINK', message: 'It is a symlink; name the file itself.' };

function blockedBy(kind: string, path: string): Refusal | undefined {
  if (kind === 'symlink') {
    return { code: 'SYMLINK', message: `${path} is a symlink; name the folder it leads to.` };
  }
  if (kind === 'folder') return undefined;
  return { code: 'NOT_A_FILE', message: `${path} is not a folder.` };
}

function unfit(state: { kind: string; size: number; names: number }): Refusal | undefined {
  if (state.kind === 'symlink') return SYMLINK;
  if (state.kind === 'folder') return { code: 'NOT_A_FILE', message: 'It is a folder.' };
  if (state.kind !== 'file') return { code: 'NOT_A_FILE', message: 'It is not a regular file.' };
  if (state.names > 1) {
    const message = 'It is a hard link: its text belongs to another file as well.';
    return { code: 'SYMLINK', message };
  }
  if (state.size > MAX_FILE_BYTES) {
    return { code: 'TOO_LARGE', message: 'The file is larger than 16 MiB.' };
  }
  return undefined;
}
