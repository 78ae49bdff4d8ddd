// Tools that a person installed outside the folders of the system: a Node of nvm, a Python of pyenv, a
// program in ~/.local/bin. Their folders are shown read-only, and no more of the person's home than that.
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { isInside } from '../platform/inside-folder.ts';

/** Managers whose programs are wrappers that look for the rest of them in their own folder. */
const MANAGERS = new Set(['.pyenv', '.rbenv', '.nodenv', '.asdf', '.volta', '.bun', '.deno']);

/** Found below the real home, whatever HOME is inside; the variable says so to the wrapper. */
const HOMES: readonly { programs: string; folder: string; variable: string }[] = [
  { programs: '.cargo/bin', folder: '.rustup', variable: 'RUSTUP_HOME' },
];

export interface ToolFolders {
  /** Real paths and names as the search path has them, the same where no link is on the way. */
  folders: readonly { source: string; path: string }[];
  environment: Readonly<Record<string, string>>;
}

export interface ToolSearch {
  searchPath: string;
  home: string;
  /** Never shown, nor any folder above them: the project, our own state. */
  kept: readonly string[];
  /** Shown in any case. */
  isOfSystem(path: string): boolean;
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** `bin` of an installation with its libraries beside it; not that of a repository. */
export function installationOf(folder: string, home: string): string {
  const above = dirname(folder);
  if (MANAGERS.has(basename(above))) return above;
  if (!['bin', 'sbin', 'shims'].includes(basename(folder))) return folder;
  if (isInside(above, home) || ['.local', '.cargo'].includes(basename(above))) return folder;
  const hasLibraries = ['lib', 'lib64', 'libexec'].some((name) => existsSync(join(above, name)));
  const isRepository = ['.git', 'package.json'].some((name) => existsSync(join(above, name)));
  return hasLibraries && !isRepository ? above : folder;
}

/** Links in a folder of programs lead to where each of them really is; only the files are shown. */
function linkedPrograms(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return [];
    const real = realOf(path);
    return real === undefined || isInside(folder, real) ? [] : [real];
  });
}

export function toolFolders({ searchPath, home, kept, isOfSystem }: ToolSearch): ToolFolders {
  const folders = new Map<string, string>();
  const environment: Record<string, string> = {};
  const mayShow = (path: string) =>
    !isOfSystem(path) && path !== sep && !kept.some((one) => isInside(path, one));
  for (const entry of searchPath.split(':')) {
    const real = isAbsolute(entry) ? realOf(entry) : undefined;
    if (real === undefined || entry.includes('/node_modules/')) continue;
    const source = installationOf(real, home);
    if (!mayShow(source) || kept.some((one) => isInside(one, source))) continue;
    folders.set(source, source);
    if (entry !== real) folders.set(entry, real);
    for (const program of linkedPrograms(real)) {
      const isCovered = [...folders.keys()].some((folder) => isInside(folder, program));
      if (!isCovered && mayShow(program)) folders.set(program, program);
    }
    for (const { programs, folder, variable } of HOMES) {
      const tools = join(home, folder);
      if (real !== realOf(join(home, programs)) || !existsSync(tools)) continue;
      folders.set(tools, tools);
      environment[variable] = tools;
    }
  }
  const list = [...folders].map(([path, source]) => ({ path, source }));
  return { folders: list.sort((a, b) => (a.path < b.path ? -1 : 1)), environment };
}
