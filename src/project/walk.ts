// The files of a project, as its version control would list them: without what .gitignore leaves
// out, without dependencies, and without a way out through a symbolic link. A folder that is as it
// was at the last snapshot costs one call.
import { deviceOf } from './folder-times.ts';
import { readFolder } from './folder.ts';
import type { Folder } from './folder.ts';
import type { Rules } from './ignore-file.ts';
import { createTimeSlice } from './time-slice.ts';

/** A project with more files than this is seen in part; deeper folders come last. */
const MAX_FILES = 50_000;

export interface Listing {
  /** Sorted paths relative to the root, with `/`. */
  files: readonly string[];
  /** Folders of the project that have packages installed in them, with a slash at the end. */
  packageFolders: readonly string[];
  /** Paths of symbolic links. */
  links: readonly string[];
}

export interface Walk {
  /** The same object as the last time when nothing came or went. */
  listing: Listing;
  /** Files of the list that the last one had not, and the other way round. */
  added: readonly string[];
  removed: readonly string[];
  /**
   * Whatever came, went or became something else since the last time, also what is ignored: it can
   * stand in the way of a file.
   */
  changed: ReadonlySet<string>;
}

export interface Walker {
  walk(): Promise<Walk>;
}

interface Changes {
  all: Set<string>;
  added: string[];
  removed: Set<string>;
}

const NOTHING: Pick<Folder, 'entries' | 'files'> = { entries: new Map(), files: [] };

function note(folder: string, before: typeof NOTHING, after: typeof NOTHING, changes: Changes) {
  for (const [name, kind] of after.entries) {
    if (before.entries.get(name) !== kind) changes.all.add(folder + name);
  }
  for (const name of before.entries.keys()) {
    if (!after.entries.has(name)) changes.all.add(folder + name);
  }
  const had = new Set(before.files);
  for (const path of after.files) if (!had.delete(path)) changes.added.push(path);
  for (const path of had) changes.removed.add(path);
}

/** Both are sorted, and few are added: that is quicker than to sort all again. */
function merged(files: readonly string[], { added, removed }: Changes): string[] {
  added.sort();
  const result: string[] = [];
  let at = 0;
  for (const path of files) {
    while (at < added.length && added[at]! < path) result.push(added[at++]!);
    if (!removed.has(path)) result.push(path);
  }
  for (; at < added.length; at++) result.push(added[at]!);
  return result;
}

function difference(before: readonly string[], after: readonly string[]) {
  const removed = new Set(before);
  return { added: after.filter((path) => !removed.delete(path)), removed: [...removed] };
}

export function createWalker(root: string): Walker {
  const device = deviceOf(root);
  let folders = new Map<string, Folder>();
  let all: readonly string[] = [];
  let listing: Listing = { files: [], packageFolders: [], links: [] };

  /** Level by level, until there are enough files. */
  async function readAll(changes: Changes): Promise<Map<string, Folder>> {
    const slice = createTimeSlice();
    const found = new Map<string, Folder>();
    let level: { folder: string; rules: readonly Rules[] }[] = [{ folder: '', rules: NO_RULES }];
    let count = 0;
    while (level.length > 0 && count < MAX_FILES) {
      const next: typeof level = [];
      for (const { folder, rules } of level) {
        const known = folders.get(folder);
        const now = readFolder({ root, device }, folder, rules, known);
        if (now !== known) note(folder, known ?? NOTHING, now, changes);
        found.set(folder, now);
        count += now.files.length;
        for (const path of now.below) next.push({ folder: path, rules: now.rules });
        if (slice.isOver()) await slice.next();
      }
      level = next;
    }
    for (const [folder, known] of folders) {
      if (!found.has(folder)) note(folder, known, NOTHING, changes);
    }
    return found;
  }

  return {
    async walk() {
      const changes: Changes = { all: new Set(), added: [], removed: new Set() };
      folders = await readAll(changes);
      const changed = changes.all;
      if (changed.size + changes.added.length + changes.removed.size === 0) {
        return { listing, added: [], removed: [], changed };
      }
      const before = { all, files: listing.files };
      all = merged(before.all, changes);
      const isCut = Math.max(all.length, before.all.length) > MAX_FILES;
      const files = isCut ? all.slice(0, MAX_FILES) : all;
      listing = { ...describe(folders), files };
      // What comes can push out of the list what was within the limit.
      const { added, removed } = isCut
        ? difference(before.files, files)
        : { added: changes.added, removed: [...changes.removed] };
      for (const path of [...added, ...removed]) changed.add(path);
      return { listing, added, removed, changed };
    },
  };
}

const NO_RULES: readonly Rules[] = [];

function describe(folders: ReadonlyMap<string, Folder>): Omit<Listing, 'files'> {
  const packageFolders: string[] = [];
  const links: string[] = [];
  for (const [path, folder] of folders) {
    if (folder.hasPackages) packageFolders.push(path);
    links.push(...folder.links);
  }
  return { packageFolders, links };
}
