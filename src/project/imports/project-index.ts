// The files of a project, found by the ways in which languages name them.
import { posix } from 'node:path';
import { createLayeredMap } from '../layered-map.ts';
import type { LayeredMap } from '../layered-map.ts';

export interface ProjectIndex {
  files: readonly string[];
  has(path: string): boolean;
  /** Files directly in a folder (`''` is the root). */
  inFolder(folder: string): readonly string[];
  /** Files whose path ends with these segments: `a/b.java` finds `src/main/a/b.java`. */
  endingWith(tail: string): readonly string[];
}

interface Changes {
  added: Iterable<string>;
  removed: Iterable<string>;
}

export interface KeptIndex extends ProjectIndex {
  /** That of another list, which has only these differences. */
  next(files: readonly string[], changes: Changes): KeptIndex;
}

type Groups = LayeredMap<readonly string[]>;

/** The paths of each group are sorted. */
function regrouped(groups: Groups, changes: Changes, keyOf: (path: string) => string): Groups {
  const changed = new Map<string, Set<string>>();
  const groupOf = (path: string) => {
    const key = keyOf(path);
    let group = changed.get(key);
    if (group === undefined) {
      group = new Set(groups.get(key));
      changed.set(key, group);
    }
    return group;
  };
  for (const path of changes.added) groupOf(path).add(path);
  for (const path of changes.removed) groupOf(path).delete(path);
  return groups.with(
    new Map(
      Array.from(changed, ([key, paths]) => [
        key,
        paths.size === 0 ? undefined : [...paths].sort(),
      ]),
    ),
  );
}

interface Kept {
  all: LayeredMap<true>;
  folders: Groups;
  names: Groups;
}

function createIndex(files: readonly string[], { all, folders, names }: Kept): KeptIndex {
  return {
    files,
    has: (path) => all.get(path) === true,
    inFolder: (folder) => folders.get(folder) ?? [],
    endingWith: (tail) =>
      (names.get(nameOf(tail)) ?? []).filter((path) => path === tail || path.endsWith(`/${tail}`)),
    next: (nextFiles, changes) =>
      createIndex(nextFiles, {
        all: all.with(
          new Map<string, true | undefined>([
            ...Array.from(changes.removed, (path) => [path, undefined] as const),
            ...Array.from(changes.added, (path) => [path, true] as const),
          ]),
        ),
        folders: regrouped(folders, changes, folderOf),
        names: regrouped(names, changes, nameOf),
      }),
  };
}

export function emptyIndex(): KeptIndex {
  return createIndex([], {
    all: createLayeredMap(),
    folders: createLayeredMap(),
    names: createLayeredMap(),
  });
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** Relative to a folder of the project; undefined when it leads out. */
export function joined(folder: string, path: string): string | undefined {
  const result = posix.join(folder === '' ? '.' : folder, path);
  if (result === '..' || result.startsWith('../')) return undefined;
  return result === '.' ? '' : result;
}

/** The first of these that is a file of the project. */
export function firstOf(
  index: ProjectIndex,
  candidates: readonly (string | undefined)[],
): string[] {
  const found = candidates.find((path) => path !== undefined && index.has(path));
  return found === undefined ? [] : [found];
}
