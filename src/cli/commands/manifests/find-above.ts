// A manifest that is not here but farther up in the same repository: most likely the one meant.
import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';

/** Folders above this one, up to the root of its repository; none outside of one. */
function foldersAbove(folder: string): string[] {
  const above: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    if (at !== folder) above.push(at);
    if (existsSync(join(at, '.git'))) return above;
    if (dirname(at) === at) return [];
  }
}

/** The nearest folder above that has the file under the same name. */
export function findAbove(file: string, folder: string): string | undefined {
  if (isAbsolute(file) || normalize(file).startsWith('..')) return undefined;
  return foldersAbove(folder).find(
    (above) => statSync(join(above, file), { throwIfNoEntry: false })?.isFile() === true,
  );
}
