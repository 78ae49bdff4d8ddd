// What a process changed in its copy, read from outside without following a link.
import { chmodSync, lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { entryOf, isExecutable, versionOf } from './base.ts';
import type { Base } from './base.ts';

export interface Change {
  path: string;
  change: 'added' | 'modified' | 'deleted';
  /** What it is now; before, where it was deleted. `other` is a pipe, a socket or a device. */
  kind: 'file' | 'link' | 'other';
  isExecutable: boolean;
  /** Its executable bit is another one than before. */
  bitChanged: boolean;
  size: number;
  /** The project's own file changed while the copy was in use: the two must not be mixed. */
  baseMoved: boolean;
}

export interface Difference {
  /** Sorted by path. */
  changes: Change[];
  /** Repositories that a process created below folders: never a part of the difference. */
  repositories: string[];
}

/** What is in the copy now, as far as it may differ from the base. */
export interface Written {
  /** Where contents of changed files are. */
  folder: string;
  candidates: ReadonlySet<string>;
  deleted: readonly string[];
  repositories: string[];
}

interface Found {
  path: string;
  isFolder: boolean;
  /** A device with the number 0: the mark of an overlay for what was deleted. */
  isWhiteout: boolean;
}

/** A process may have closed what it wrote even to its owner. */
function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    chmodSync(folder, 0o700);
    return readdirSync(folder, { withFileTypes: true });
  }
}

/** The same of a file; its executable bit stays. */
function openToRead(path: string): void {
  const entry = entryOf(path);
  if (entry?.kind === 'file' && (entry.mode & 0o400) === 0) chmodSync(path, entry.mode | 0o400);
}

/** All below a folder, without repositories; those are returned apart. */
function walk(root: string): { found: Found[]; repositories: string[] } {
  const found: Found[] = [];
  const repositories: string[] = [];
  const rest = [''];
  for (let folder = rest.pop(); folder !== undefined; folder = rest.pop()) {
    for (const entry of entriesIn(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.toLowerCase() === '.git') {
        if (folder !== '') repositories.push(path);
        continue;
      }
      const isFolder = entry.isDirectory();
      const isWhiteout = entry.isCharacterDevice() && lstatSync(join(root, path)).rdev === 0;
      found.push({ path, isFolder, isWhiteout });
      if (isFolder) rest.push(path);
    }
  }
  return { found, repositories };
}

/** Of an overlay. `entriesOf` lists folders of the mounted copy: above them, an upper folder may hide all. */
export async function writtenInOverlay(
  base: Base,
  upper: string,
  entriesOf: (folders: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<Written> {
  const { found, repositories } = walk(upper);
  const gone = new Set<string>();
  const candidates = new Set<string>();
  const shared: string[] = [];
  for (const { path, isFolder, isWhiteout } of found) {
    if (isWhiteout) gone.add(path);
    else if (!isFolder) candidates.add(path);
    else if (base.folders.has(path)) shared.push(path);
    else if (base.entries.has(path)) gone.add(path);
  }
  for (const path of candidates) if (base.folders.has(path)) gone.add(path);
  const present = shared.length === 0 ? new Set<string>() : await entriesOf(shared);
  const isShared = new Set(shared);
  const isGone = (path: string): boolean => {
    const cut = path.lastIndexOf('/');
    const folder = cut < 0 ? '' : path.slice(0, cut);
    if (gone.has(path)) return true;
    if (folder === '') return false;
    return (isShared.has(folder) && !present.has(path)) || isGone(folder);
  };
  const deleted = [...base.entries.keys()].filter((path) => !candidates.has(path) && isGone(path));
  return { folder: upper, candidates, deleted, repositories };
}

/** Of a plain copy: by what its files were when it was done. */
export function writtenInPlain(
  base: Base,
  tree: string,
  copied: ReadonlyMap<string, string>,
): Written {
  const { found, repositories } = walk(tree);
  const candidates = new Set<string>();
  const present = new Set<string>();
  for (const { path, isFolder } of found) {
    if (isFolder) continue;
    present.add(path);
    const version = versionOf(lstatSync(join(tree, path), { bigint: true }));
    if (copied.get(path) !== version) candidates.add(path);
  }
  const deleted = [...base.entries.keys()].filter((path) => !present.has(path));
  return { folder: tree, candidates, deleted, repositories };
}

function isSame(copy: string, before: string): boolean {
  const [now, then] = [entryOf(copy), entryOf(before)];
  if (now === undefined || then === undefined || now.kind !== then.kind) return false;
  if (isExecutable(now) !== isExecutable(then) || now.size !== then.size) return false;
  return now.kind === 'link'
    ? readlinkSync(copy) === readlinkSync(before)
    : readFileSync(copy).equals(readFileSync(before));
}

/** `pathOf`: where files of the base are as they were; only in the project itself where it is undefined. */
export function differenceOf(
  base: Base,
  written: Written,
  pathOf: ((path: string) => string) | undefined,
): Difference {
  const live = (path: string) => join(base.folder, path);
  const moved = (path: string) => entryOf(live(path))?.version !== base.entries.get(path)?.version;
  const changes: Change[] = [];
  for (const path of written.candidates) {
    const copy = join(written.folder, path);
    openToRead(copy);
    const isNew = !base.entries.has(path);
    const baseMoved = moved(path);
    const isKnown = !isNew && (pathOf !== undefined || !baseMoved);
    if (isKnown && isSame(copy, (pathOf ?? live)(path))) continue;
    const now = entryOf(copy);
    const before = base.entries.get(path);
    const canRun = now !== undefined && isExecutable(now);
    changes.push({
      path,
      change: isNew ? 'added' : 'modified',
      kind: now?.kind ?? 'other',
      isExecutable: canRun,
      bitChanged: before !== undefined && canRun !== isExecutable(before),
      size: now?.size ?? 0,
      baseMoved,
    });
  }
  for (const path of written.deleted) {
    const before = base.entries.get(path)!;
    changes.push({
      path,
      change: 'deleted',
      kind: before.kind,
      isExecutable: isExecutable(before),
      bitChanged: false,
      size: before.size,
      baseMoved: moved(path),
    });
  }
  changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { changes, repositories: written.repositories.sort() };
}
