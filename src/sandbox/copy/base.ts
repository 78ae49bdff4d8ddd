// What was in the project when the copy came to be: which files, and how to see that one changed since.
import { lstatSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { dirname, join } from 'node:path';

export interface BaseEntry {
  kind: 'file' | 'link';
  mode: number;
  size: number;
  /** In seconds. Builds compare it with that of what they wrote before. */
  modifiedAt: number;
  /** Another one after every change: no process can set the time of a change. */
  version: string;
}

export interface Base {
  folder: string;
  entries: ReadonlyMap<string, BaseEntry>;
  /** Folders that have such files in them, however deep; without the root. */
  folders: ReadonlySet<string>;
}

export function versionOf({ ino, ctimeNs, size }: BigIntStats): string {
  return `${ino} ${ctimeNs} ${size}`;
}

export const isExecutable = ({ kind, mode }: BaseEntry): boolean =>
  kind === 'file' && (mode & 0o100) !== 0;

function statsOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // What was a folder is a file now, or the other way round.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function entryOf(path: string): BaseEntry | undefined {
  const stats = statsOf(path);
  if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return undefined;
  return {
    kind: stats.isFile() ? 'file' : 'link',
    mode: Number(stats.mode) & 0o777,
    size: Number(stats.size),
    modifiedAt: Number(stats.mtimeMs) / 1000,
    version: versionOf(stats),
  };
}

/** From the innermost to the outermost, without the root. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(folder);
  return folders;
}

export function baseOf(folder: string, entries: ReadonlyMap<string, BaseEntry>): Base {
  const folders = new Set<string>();
  for (const path of entries.keys()) {
    for (const above of foldersAbove(path)) {
      if (folders.has(above)) break;
      folders.add(above);
    }
  }
  return { folder, entries, folders };
}

/** Files that are gone meanwhile, and what is neither file nor link, are left out. */
export function readBase(folder: string, files: readonly string[]): Base {
  const entries = new Map<string, BaseEntry>();
  for (const path of files) {
    const entry = entryOf(join(folder, path));
    if (entry !== undefined) entries.set(path, entry);
  }
  return baseOf(folder, entries);
}
