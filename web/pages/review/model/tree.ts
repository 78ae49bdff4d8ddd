// The files of a review by folder, as the rows of a list. Folders with nothing but a folder in them are one row with it.
import type { ReviewFileSummary } from '../../../../src/contract/review-api.ts';

export type TreeRow =
  | { kind: 'folder'; path: string; name: string; depth: number; files: number; isOpen: boolean }
  | { kind: 'file'; path: string; name: string; depth: number; file: ReviewFileSummary };

interface Folder {
  path: string;
  name: string;
  folders: Map<string, Folder>;
  files: ReviewFileSummary[];
  count: number;
}

const newFolder = (path: string, name: string): Folder => ({
  path,
  name,
  folders: new Map(),
  files: [],
  count: 0,
});

function folderTree(files: readonly ReviewFileSummary[]): Folder {
  const root = newFolder('', '');
  for (const file of files) {
    let at = root;
    at.count += 1;
    const names = file.path.split('/');
    for (const name of names.slice(0, -1)) {
      let next = at.folders.get(name);
      if (next === undefined) {
        next = newFolder(at.path === '' ? name : `${at.path}/${name}`, name);
        at.folders.set(name, next);
      }
      next.count += 1;
      at = next;
    }
    at.files.push(file);
  }
  return root;
}

const byName = <T extends { name: string }>(a: T, b: T) => (a.name < b.name ? -1 : 1);
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Folders first, then files, each by name. */
export function treeRows(
  files: readonly ReviewFileSummary[],
  closed: ReadonlySet<string>,
): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (folder: Folder, depth: number) => {
    for (let child of [...folder.folders.values()].sort(byName)) {
      let { name } = child;
      while (child.files.length === 0 && child.folders.size === 1) {
        const [only] = child.folders.values();
        child = only!;
        name = `${name}/${child.name}`;
      }
      const { path, count } = child;
      const isOpen = !closed.has(path);
      rows.push({ kind: 'folder', path, name, depth, files: count, isOpen });
      if (isOpen) add(child, depth + 1);
    }
    for (const file of folder.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
      rows.push({ kind: 'file', path: file.path, name: nameOf(file.path), depth, file });
    }
  };
  add(folderTree(files), 0);
  return rows;
}

/** The order of the tree with every folder open: that of the diffs below each other. */
export function inTreeOrder(files: readonly ReviewFileSummary[]): ReviewFileSummary[] {
  return treeRows(files, new Set()).flatMap((row) => (row.kind === 'file' ? [row.file] : []));
}
