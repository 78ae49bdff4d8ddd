// The files of a project, found by the ways in which languages name them.
import { posix } from 'node:path';

export interface ProjectIndex {
  files: readonly string[];
  has(path: string): boolean;
  /** Files directly in a folder (`''` is the root). */
  inFolder(folder: string): readonly string[];
  /** Files whose path ends with these segments: `a/b.java` finds `src/main/a/b.java`. */
  endingWith(tail: string): readonly string[];
}

export function createProjectIndex(files: readonly string[]): ProjectIndex {
  const all = new Set(files);
  const folders = new Map<string, string[]>();
  const names = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, path: string) => {
    const list = map.get(key);
    if (list) list.push(path);
    else map.set(key, [path]);
  };
  for (const path of files) {
    const slash = path.lastIndexOf('/');
    add(folders, slash < 0 ? '' : path.slice(0, slash), path);
    add(names, path.slice(slash + 1), path);
  }
  return {
    files,
    has: (path) => all.has(path),
    inFolder: (folder) => folders.get(folder) ?? [],
    endingWith(tail) {
      const candidates = names.get(tail.slice(tail.lastIndexOf('/') + 1)) ?? [];
      return candidates.filter((path) => path === tail || path.endsWith(`/${tail}`));
    },
  };
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
