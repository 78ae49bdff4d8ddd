// The files of a project by their folders.
import { folderOf } from './imports/project-index.ts';

export interface TreeFolder {
  /** Paths of the files and of the folders that are directly in it. */
  files: string[];
  folders: string[];
  /** Files in it and below it. */
  count: number;
}

/** By path; `''` is the root. */
export type ProjectTree = ReadonlyMap<string, TreeFolder>;

/** `files` are sorted, so that those of a folder follow one another. */
export function toProjectTree(files: readonly string[]): ProjectTree {
  const tree = new Map<string, TreeFolder>([['', { files: [], folders: [], count: 0 }]]);
  /** The folder and all that it is in. */
  function chainOf(path: string): TreeFolder[] {
    let folder = tree.get(path);
    if (folder === undefined) {
      tree.set(path, (folder = { files: [], folders: [], count: 0 }));
      const chain = chainOf(folderOf(path));
      chain[0]!.folders.push(path);
      return [folder, ...chain];
    }
    return path === '' ? [folder] : [folder, ...chainOf(folderOf(path))];
  }
  let last = { path: '', chain: chainOf('') };
  for (const path of files) {
    const parent = folderOf(path);
    if (parent !== last.path) last = { path: parent, chain: chainOf(parent) };
    last.chain[0]!.files.push(path);
    for (const folder of last.chain) folder.count += 1;
  }
  return tree;
}
