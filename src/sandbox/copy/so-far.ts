// What a process has changed in its copy while it still works there. Only for those who look on: files come and go
// meanwhile, folders that were emptied are not seen, and very many files are not all looked at. Nothing here follows a
// link, waits for a pipe or changes a mode; what is not there any more counts as unchanged.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  readdirSync,
} from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { leadsOutside } from '../../platform/inside-folder.ts';
import { versionOf } from './base.ts';
import type { Base } from './base.ts';

export interface ChangeSoFar {
  path: string;
  change: 'added' | 'modified' | 'deleted';
  /** Another one after every write. */
  version: string;
}

const MOST_ENTRIES = 20_000;
const MOST_BYTES = 1024 ** 2;

interface Seen {
  path: string;
  isFile: boolean;
  isDevice: boolean;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function* walk(root: string): Generator<Seen> {
  const rest = [''];
  let count = 0;
  for (let folder = rest.pop(); folder !== undefined; folder = rest.pop()) {
    for (const entry of entriesIn(join(root, folder))) {
      if (++count > MOST_ENTRIES) return;
      if (entry.name.toLowerCase() === '.git') continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) rest.push(path);
      else yield { path, isFile: entry.isFile(), isDevice: entry.isCharacterDevice() };
    }
  }
}

function versionAt(path: string): string | undefined {
  try {
    const stats = lstatSync(path, { bigint: true });
    return stats.isFile() ? versionOf(stats) : undefined;
  } catch {
    return undefined;
  }
}

const deleted = (path: string): ChangeSoFar => ({ path, change: 'deleted', version: '' });

function written(base: Base, root: string, path: string): ChangeSoFar[] {
  const version = versionAt(join(root, path));
  if (version === undefined) return [];
  return [{ path, change: base.entries.has(path) ? 'modified' : 'added', version }];
}

/** A device is the mark of what was deleted. */
export function soFarInOverlay(base: Base, upper: string): ChangeSoFar[] {
  const changes: ChangeSoFar[] = [];
  for (const { path, isFile, isDevice } of walk(upper)) {
    if (isFile) changes.push(...written(base, upper, path));
    else if (isDevice && base.entries.has(path)) changes.push(deleted(path));
    else if (isDevice && base.folders.has(path)) {
      const below = [...base.entries.keys()].filter((each) => each.startsWith(`${path}/`));
      changes.push(...below.map(deleted));
    }
  }
  return changes;
}

export function soFarInPlain(
  base: Base,
  tree: string,
  copied: ReadonlyMap<string, string>,
): ChangeSoFar[] {
  const changes: ChangeSoFar[] = [];
  const present = new Set<string>();
  for (const { path, isFile } of walk(tree)) {
    present.add(path);
    if (!isFile) continue;
    changes.push(
      ...written(base, tree, path).filter(({ version }) => copied.get(path) !== version),
    );
  }
  // Not all was looked at: what is missing may be there.
  if (present.size >= MOST_ENTRIES) return changes;
  const gone = [...base.entries.keys()].filter((path) => !present.has(path));
  return [...changes, ...gone.map(deleted)];
}

/** A plain file of a moderate size, as it is now; undefined for anything else, and for what lies behind a link. */
export function readSoFar(root: string, path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    // A pipe would wait for a program that writes to it.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    file = openSync(join(root, path), flags);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    if (leadsOutside(root, path) !== undefined) return undefined;
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(file, bytes));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
