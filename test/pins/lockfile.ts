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

/** Every package that an install may bring, by its place below node_modules. */
export function lockedPackages(): [string, LockedPackage][] {
  const lock = JSON.parse(readFileSync(fromRoot('package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(lock.packages).filter(([place]) => place !== '');
}
