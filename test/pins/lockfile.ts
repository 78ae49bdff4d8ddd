import { readFileSync } from 'node:fs';
import { fromRoot } from './tree.ts';

export interface LockedPackage {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  engines?: { node?: string } | string[];
}

/** The project's own, and those of what is only tried with it. */
export const LOCKFILES = [
  'package-lock.json',
  'test/clients/package-lock.json',
  'test/agents/package-lock.json',
  'bench/gateway/package-lock.json',
] as const;

function readLockfile(file: string = LOCKFILES[0]): Record<string, LockedPackage> {
  const lock = JSON.parse(readFileSync(fromRoot(file), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return lock.packages;
}

/** Every package that an install may bring, by its place below node_modules. */
export function lockedPackages(file?: string): [string, LockedPackage][] {
  return Object.entries(readLockfile(file)).filter(([place]) => place !== '');
}

/** Where Node finds a package that is asked for at a place. */
export function findPackage(
  locked: { has(place: string): boolean },
  place: string,
  name: string,
): string | undefined {
  const found = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
  if (locked.has(found)) return found;
  if (place === '') return undefined;
  const outer = place.lastIndexOf('node_modules/');
  return findPackage(locked, place.slice(0, Math.max(outer - 1, 0)), name);
}

/** What the package at a place (`''` is the product) needs to run, with all that that needs. */
export function packagesOf(place: string): Set<string> {
  const locked = new Map(Object.entries(readLockfile()));
  const found = new Set<string>();
  const visit = (from: string): void => {
    const { dependencies, optionalDependencies } = locked.get(from) ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const needed = findPackage(locked, from, name);
      if (needed === undefined || found.has(needed)) continue;
      found.add(needed);
      visit(needed);
    }
  };
  visit(place);
  return found;
}
