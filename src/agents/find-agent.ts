// Where an agent's program is: its real file, and what of its package has to be visible for it to start.
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';

export interface FoundProgram {
  /** Links are resolved. */
  file: string;
  paths: readonly string[];
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function onPath(name: string, searchPath: string): string | undefined {
  if (isAbsolute(name)) return isProgram(name) ? name : undefined;
  // A path that is relative would mean another program in each project.
  if (name.includes('/') || name.includes(sep)) return undefined;
  return searchPath
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isProgram);
}

const MODULES = `${sep}node_modules${sep}`;

/** Packages of npm need those beside them: the outermost folder of modules has them all. */
function packageOf(file: string): string | undefined {
  const at = file.indexOf(MODULES);
  if (at >= 0) return file.slice(0, at + MODULES.length - 1);
  const folder = dirname(file);
  return existsSync(join(folder, 'package.json')) ? folder : undefined;
}

export function findProgram(name: string, searchPath: string): FoundProgram | undefined {
  const found = onPath(name, searchPath);
  if (found === undefined) return undefined;
  const file = realpathSync.native(found);
  const folder = packageOf(file);
  return { file, paths: folder === undefined ? [file] : [folder] };
}
