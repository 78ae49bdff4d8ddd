// A list of the project's files that fits into a few lines: folders near the task are opened, the others
// are one line each with the number of files in them.
import { isSecret } from '../domain/artifact/secret-path.ts';
import { folderOf } from './imports/project-index.ts';
import type { ProjectTree, TreeFolder } from './project-tree.ts';

const MAX_LINES = 200;
/** Paths have fewer characters a token than prose. */
const CHARACTERS_A_TOKEN = 3;
/** Of what a task is about, as many are looked at. */
const MAX_CENTRES = 20;
/** After as many folders for which there was no room, smaller ones are not looked for. */
const MOST_REFUSED = 10;

function partsOf(folder: string): string[] {
  return folder === '' ? [] : folder.split('/');
}

/** Steps from one folder to the nearest of these; none to a folder on the way there. */
function distanceTo(centres: readonly (readonly string[])[], folder: string): number {
  const parts = partsOf(folder);
  let nearest = Infinity;
  for (const centre of centres) {
    let shared = 0;
    while (shared < parts.length && parts[shared] === centre[shared]) shared += 1;
    const steps = shared === parts.length ? 0 : parts.length + centre.length - 2 * shared;
    nearest = Math.min(nearest, steps);
  }
  return nearest === Infinity ? parts.length : nearest;
}

interface Line {
  path: string;
  text: string;
}

/** What is in a folder, a line each; kept with the tree, for the others who list it. */
function createLines() {
  const known = new WeakMap<TreeFolder, { lines: readonly Line[]; length: number }>();
  return (tree: ProjectTree, folder: TreeFolder) => {
    let inside = known.get(folder);
    if (inside === undefined) {
      const files = folder.files.filter((path) => !isSecret(path));
      const lines = [
        ...files.map((path) => ({ path, text: path })),
        ...folder.folders.map((path) => ({ path: `${path}/`, text: folded(tree, path) })),
      ];
      inside = { lines, length: lines.reduce((sum, { text }) => sum + text.length + 1, 0) };
      known.set(folder, inside);
    }
    return inside;
  };
}

function folded(tree: ProjectTree, folder: string): string {
  const { count } = tree.get(folder)!;
  return `${folder}/ (${count} ${count === 1 ? 'file' : 'files'})`;
}

/** Folders that are not open yet, the nearest first and those of one distance as they came. */
function createQueue() {
  const byDistance: string[][] = [];
  return {
    add: (folder: string, distance: number) => void (byDistance[distance] ??= []).push(folder),
    take: () => byDistance.find((folders) => folders !== undefined && folders.length > 0)?.shift(),
  };
}

export interface FileList {
  text: string;
  tokens: number;
}

export interface FileLister {
  /** Undefined when there is no room for it, or nothing to list. */
  list(tree: ProjectTree, near: readonly string[], maxTokens: number): FileList | undefined;
}

export function createFileLister(): FileLister {
  const linesIn = createLines();
  return {
    list(tree, near, maxTokens) {
      const room = maxTokens * CHARACTERS_A_TOKEN;
      const folders = new Set(near.map(folderOf));
      const centres = [...folders].slice(0, MAX_CENTRES).map(partsOf);
      const queue = createQueue();
      const shown = new Map<string, string>();
      let length = 0;
      let refused = 0;

      /** Its own line becomes those of what is in it, if there is room for them. */
      function open(folder: string): boolean {
        const known = tree.get(folder)!;
        // Before its lines are made: a folder of thousands of files is looked at after each change.
        if (shown.size + known.files.length + known.folders.length > MAX_LINES) return false;
        const inside = linesIn(tree, known);
        const own = shown.get(`${folder}/`);
        const more = inside.length - (own === undefined ? 0 : own.length + 1);
        if (length + more > room) return false;
        shown.delete(`${folder}/`);
        for (const { path, text } of inside.lines) shown.set(path, text);
        length += more;
        for (const path of known.folders) queue.add(path, distanceTo(centres, path));
        return true;
      }

      if (!open('')) {
        // The root alone is too long: its folders, as many as fit.
        for (const path of tree.get('')!.folders.slice(0, MAX_LINES)) {
          const text = folded(tree, path);
          if (length + text.length + 1 > room) break;
          shown.set(`${path}/`, text);
          length += text.length + 1;
        }
      }
      while (refused < MOST_REFUSED) {
        const next = queue.take();
        if (next === undefined) break;
        if (!open(next)) refused += 1;
      }
      if (shown.size === 0) return undefined;
      const lines = [...shown].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
      return { text: lines.join('\n'), tokens: Math.ceil(length / CHARACTERS_A_TOKEN) };
    },
  };
}
