// How the pins read the project itself: paths are relative to its root and use forward slashes.
import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export function fromRoot(path: string): string {
  return join(ROOT, path);
}

/**
 * Files below a folder whose name ends so, in a fixed order; none when the folder is missing. Packages that were
 * installed there are not the project's.
 */
export function filesUnder(folder: string, ...endings: string[]): string[] {
  if (!existsSync(fromRoot(folder))) return [];
  return readdirSync(fromRoot(folder), { recursive: true, withFileTypes: true })
    .filter(({ parentPath }) => !parentPath.split(sep).includes('node_modules'))
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).split(sep).join('/'))
    .sort();
}

/** Comments go, because a sentence may well contain code; strings stay. */
export function withoutComments(text: string): string {
  const tokens =
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return text.replace(tokens, (token) => (/^\/[/*]/.test(token) ? ' ' : token));
}
