// The programs of the machine that a sandbox is built with. They run outside of it, so they are never
// taken from the search path, which may lead into a project.
import { accessSync, constants } from 'node:fs';

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'];

export interface Programs {
  bwrap: string;
  unshare: string;
  setpriv: string;
  prlimit: string;
  mount: string;
  sh: string;
}

/** How each is had on most machines. */
export const PACKAGE_OF: Readonly<Record<keyof Programs, string>> = {
  bwrap: 'bubblewrap',
  unshare: 'util-linux',
  setpriv: 'util-linux',
  prlimit: 'util-linux',
  mount: 'util-linux',
  sh: 'dash',
};

function findIn(folders: readonly string[], name: string): string | undefined {
  return folders
    .map((folder) => `${folder}/${name}`)
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

export type FoundPrograms =
  | { kind: 'found'; programs: Programs }
  | { kind: 'missing'; names: (keyof Programs)[] };

export function findPrograms(folders: readonly string[] = FOLDERS): FoundPrograms {
  const names = Object.keys(PACKAGE_OF) as (keyof Programs)[];
  const found = names.map((name) => [name, findIn(folders, name)] as const);
  const missing = found.filter(([, path]) => path === undefined).map(([name]) => name);
  if (missing.length > 0) return { kind: 'missing', names: missing };
  return { kind: 'found', programs: Object.fromEntries(found) as unknown as Programs };
}

export function missingText(names: readonly (keyof Programs)[]): string {
  const packages = [...new Set(names.map((name) => PACKAGE_OF[name]))].join(' ');
  const verb = names.length === 1 ? 'is' : 'are';
  return `${names.join(', ')} ${verb} not installed: install ${packages} (apt install ${packages}, or dnf, pacman, apk).`;
}
