// What the project has but the copy has not: ignored files, secret ones, the person's own `.git`. An
// overlay shows all of the folder below it unless a "whiteout" of the same name lies above: a device with
// the number 0, which anybody may create.
import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import type { Base } from './base.ts';

/** Entries to hide, as paths; of a hidden folder only the folder itself. */
export function hiddenEntries(base: Base, kept: ReadonlySet<string>): string[] {
  const hidden: string[] = [];
  const above = new Set(['']);
  for (const path of kept) {
    for (let one = dirname(path); one !== '.'; one = dirname(one)) above.add(one);
  }
  const rest = [''];
  for (let folder = rest.pop(); folder !== undefined; folder = rest.pop()) {
    for (const entry of readdirSync(join(base.folder, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (base.entries.has(path) || kept.has(path)) continue;
      if (entry.isDirectory() && (base.folders.has(path) || above.has(path))) rest.push(path);
      else hidden.push(path);
    }
  }
  return hidden;
}

/** So many links to one file are allowed everywhere that matters. */
const LINKS = 30_000;

/** False where whiteouts cannot be created. */
export function hide(base: Base, upper: string, paths: readonly string[]): boolean {
  for (const [index, path] of paths.entries()) {
    for (const folder of foldersOf(path)) {
      const own = join(upper, folder);
      if (lstatSync(own, { throwIfNoEntry: false }) !== undefined) continue;
      mkdirSync(own);
      chmodSync(own, lstatSync(join(base.folder, folder)).mode & 0o777);
    }
    const first = join(upper, '..', `whiteout-${Math.floor(index / LINKS)}`);
    if (index % LINKS === 0) {
      const made = spawnSync('mknod', [first, 'c', '0', '0'], { env: { PATH: '/usr/bin:/bin' } });
      if (made.status !== 0) return false;
    }
    linkSync(first, join(upper, path));
  }
  return true;
}

/** From the outermost to the innermost. */
function foldersOf(path: string): string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    folders.unshift(folder);
  return folders;
}
