// Where an agent's program is: its real file, and what of its package has to be visible for it to start.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { installationOf } from '../sandbox/tool-folders.ts';

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

const OF_SYSTEM = ['/usr/', '/bin/', '/sbin/'];

const MODULES = `${sep}node_modules${sep}`;

/** Packages of npm need those beside them: the outermost folder of modules has them all. */
function packageOf(file: string): string | undefined {
  const at = file.indexOf(MODULES);
  if (at >= 0) return file.slice(0, at + MODULES.length - 1);
  const folder = dirname(file);
  return existsSync(join(folder, 'package.json')) ? folder : undefined;
}

const LONGEST_FIRST_LINE = 4096;

/** The absolute path in the first line of a script. */
function interpreterOf(file: string): string | undefined {
  const bytes = Buffer.alloc(LONGEST_FIRST_LINE);
  const open = openSync(file, 'r');
  try {
    readSync(open, bytes);
  } finally {
    closeSync(open);
  }
  return /^#![ \t]*(\/[^\s\0]+)/.exec(bytes.toString('latin1'))?.[1];
}

/** One that the system has is there already, and one that `env` looks for is found on the PATH inside. */
function interpreterPaths(file: string, home: string): string[] {
  const path = interpreterOf(file);
  if (path === undefined || OF_SYSTEM.some((folder) => path.startsWith(folder))) return [];
  if (!isProgram(path)) return [];
  const real = realpathSync.native(path);
  // With the libraries of its installation.
  const installed = installationOf(dirname(real), home);
  return [...new Set([path, installed === dirname(real) ? real : installed])];
}

export function findProgram(
  name: string,
  searchPath: string,
  home = homedir(),
): FoundProgram | undefined {
  const found = onPath(name, searchPath);
  if (found === undefined) return undefined;
  const file = realpathSync.native(found);
  const folder = packageOf(file);
  const paths = [folder ?? file, ...interpreterPaths(file, home)];
  return { file, paths };
}
