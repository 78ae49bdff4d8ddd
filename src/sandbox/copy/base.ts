// What was in the project when the copy came to be: which files, and how to see that one changed since.
import { lstatSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { dirname, join } from 'node:path';

export interface BaseEntry {
  kind: 'file' | 'link';
  isExecutable: boolean;
  size: number;
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

export function entryOf(path: string): BaseEntry | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return undefined;
  return {
    kind: stats.isFile() ? 'file' : 'link',
    isExecutable: stats.isFile() && (stats.mode & 0o100n) !== 0n,
    size: Number(stats.size),
    version: versionOf(stats),
  };
}

/** Files that are gone meanwhile, and what is neither file nor link, are left out. */
export function readBase(folder: string, files: readonly string[]): Base {
  const entries = new Map<string, BaseEntry>();
  const folders = new Set<string>();
  for (const path of files) {
    const entry = entryOf(join(folder, path));
    if (entry === undefined) continue;
    entries.set(path, entry);
    for (let above = dirname(path); above !== '.'; above = dirname(above)) {
      if (folders.has(above)) break;
      folders.add(above);
    }
  }
  return { folder, entries, folders };
}
