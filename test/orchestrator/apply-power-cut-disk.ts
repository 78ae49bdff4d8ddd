// A real disk that loses its power: names that were made, changed or removed since their folder was
// last synced may be as they were. Data is synced by the very call that writes it.
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
} from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Disk } from '../../src/orchestrator/apply/disk.ts';
import { createStoppingDisk } from './apply-stopping-disk.ts';

interface NameChange {
  /** Folders that have yet to be synced. */
  unsynced: Set<number>;
  /** The names it is about. */
  names: string[];
  /** Others may be about names in it. */
  isFolder: boolean;
  undo(): void;
}

export type Survivors =
  /** Names became safe in the order in which they were changed. */
  | { kind: 'first'; count: number }
  /** Only this one, and what it cannot be without. */
  | { kind: 'only'; index: number };

export interface PowerCutDisk {
  disk: Disk;
  /** How many changes of names are not safe. */
  unsafe(): number;
  /** The power is gone: only these of the unsafe changes are there afterwards. */
  cut(kept: Survivors): void;
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

/** The graveyard is a folder of the same file system, outside of the project. */
export function createPowerCutDisk(allowed: number, graveyard: string): PowerCutDisk {
  const { disk } = createStoppingDisk(allowed);
  const folders = new Map<number, number>();
  let changes: NameChange[] = [];
  let buried = 0;
  mkdirSync(graveyard, { recursive: true });

  /** A path that stays right when folders on the way to it are renamed. */
  function placeOf(path: string): { inode: number; path: string } {
    const fd = openSync(dirname(path), 'r');
    const inode = fstatSync(fd).ino;
    const known = folders.get(inode);
    if (known === undefined) folders.set(inode, fd);
    else closeSync(fd);
    return { inode, path: `/proc/self/fd/${folders.get(inode)}/${basename(path)}` };
  }

  function keep(
    places: { inode: number; path: string }[],
    undo: () => void,
    isFolder = false,
  ): void {
    const unsynced = new Set(places.map(({ inode }) => inode));
    changes.push({ unsynced, names: places.map(({ path }) => path), isFolder, undo });
  }

  function survivorsOf(kept: Survivors): Set<NameChange> {
    if (kept.kind === 'first') return new Set(changes.slice(0, kept.count));
    const only = changes.slice(kept.index, kept.index + 1);
    const survivors = new Set(only);
    const names = new Set(only.flatMap((change) => change.names));
    for (const change of changes.slice(0, kept.index).toReversed()) {
      if (!change.isFolder && !change.names.some((name) => names.has(name))) continue;
      survivors.add(change);
      for (const name of change.names) names.add(name);
    }
    return survivors;
  }

  /** What stands there, to be put back. */
  function copyOf(path: string): () => void {
    const state = lstatSync(path, { throwIfNoEntry: false });
    if (!state?.isFile()) return () => {};
    const data = readFileSync(path);
    return () => writeFileSync(path, data, { mode: state.mode & 0o7777 });
  }

  return {
    disk: {
      ...disk,
      async makeFolder(path) {
        const place = placeOf(path);
        const isThere = lstatSync(place.path, { throwIfNoEntry: false }) !== undefined;
        await disk.makeFolder(path);
        if (!isThere) keep([place], () => rmSync(place.path, { recursive: true }), true);
      },
      async writeNew(path, data, mode) {
        const place = placeOf(path);
        keep([place], () => rmSync(place.path, { force: true }));
        await disk.writeNew(path, data, mode);
      },
      async rename(from, to) {
        const [old, fresh] = [placeOf(from), placeOf(to)];
        const restore = copyOf(fresh.path);
        await disk.rename(from, to);
        keep([old, fresh], () => {
          renameSync(fresh.path, old.path);
          restore();
        });
      },
      async removeFile(path) {
        const parent = lstatSync(dirname(path), { throwIfNoEntry: false });
        if (parent === undefined) return disk.removeFile(path);
        const place = placeOf(path);
        const restore = copyOf(place.path);
        await disk.removeFile(path);
        keep([place], restore);
      },
      async removeFolder(path) {
        if (!isEmptyFolder(path)) return disk.removeFolder(path);
        const place = placeOf(path);
        // Put away instead: names below it that are lost as well must find the very folder again.
        const away = `${graveyard}/${++buried}`;
        await disk.rename(path, away);
        keep([place], () => renameSync(away, place.path), true);
      },
      async syncFolder(path) {
        await disk.syncFolder(path);
        const inode = placeOf(`${path}/.`).inode;
        for (const { unsynced } of changes) unsynced.delete(inode);
        changes = changes.filter(({ unsynced }) => unsynced.size > 0);
      },
    },
    unsafe: () => changes.length,
    cut(kept) {
      const survivors = survivorsOf(kept);
      for (const change of changes.toReversed()) if (!survivors.has(change)) change.undo();
      for (const fd of folders.values()) closeSync(fd);
    },
  };
}
