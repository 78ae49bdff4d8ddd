// What an assistant writes for a place in the workspace, as a path relative to it. Many assistants know
// absolute paths only, and they may know the folder by a link that leads to it.
import { realpathSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';

const EVERYTHING = '**';

function isRoot(root: string, folder: string): boolean {
  try {
    return realpathSync.native(folder) === root;
  } catch {
    return false;
  }
}

/** `root` without links. An entry that is elsewhere is returned as it is. */
export function relativeEntry(root: string, entry: string): string {
  const trimmed = entry.replace(/^(?:\.\/)+/, '');
  if (trimmed === '' || trimmed === '.') return EVERYTHING;
  if (!isAbsolute(entry)) return entry;
  const parts = entry.split(sep);
  // Links below the root are not followed here: whether they may be is judged for each file.
  for (let count = 1; count <= parts.length; count++) {
    if (!isRoot(root, parts.slice(0, count).join(sep) || sep)) continue;
    const rest = parts.slice(count).join('/').replace(/^\/+/, '');
    return rest === '' ? EVERYTHING : rest;
  }
  return entry;
}
