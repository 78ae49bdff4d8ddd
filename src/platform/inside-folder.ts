// Whether a path leads where it seems to: links can lead anywhere.
import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** Both as they are written. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, resolve(folder, path));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The file that a link inside of a folder leads to, when that is outside of it. */
export function leadsOutside(folder: string, path: string): string | undefined {
  if (!isInside(folder, path)) return undefined;
  const real = realpathSync.native(resolve(folder, path));
  return isInside(realpathSync.native(folder), real) ? undefined : real;
}
