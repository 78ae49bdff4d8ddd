// A folder as a list that can be compared.
import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every name below it with its kind, mode and content; `leftOut` are paths relative to it. */
export function pictureOf(root: string, leftOut: readonly string[] = []): string[] {
  const seen: string[] = [];
  const walk = (folder: string, prefix: string): void => {
    for (const name of readdirSync(folder).sort()) {
      const shown = prefix + name;
      if (leftOut.includes(shown)) continue;
      const path = join(folder, name);
      const stats = lstatSync(path);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isDirectory()) {
        seen.push(`${shown}/`);
        walk(path, `${shown}/`);
      } else if (stats.isSymbolicLink()) seen.push(`${shown} -> ${readlinkSync(path)}`);
      else if (stats.isFile()) {
        seen.push(`${shown} ${mode} ${readFileSync(path, 'latin1')}`);
      } else seen.push(`${shown} special`);
    }
  };
  if (lstatSync(root).isDirectory()) walk(root, '');
  return seen;
}
