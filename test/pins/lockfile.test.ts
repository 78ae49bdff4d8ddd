import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { LOCKFILES, findPackage, lockedPackages } from './lockfile.ts';
import { fromRoot } from './tree.ts';

// npm leaves out what its registry did not have for other platforms, and `npm ci` then refuses the
// whole lockfile.
// The agents are large programs for one platform each, tried by hand: not every registry has all of them.
const EVERYWHERE = LOCKFILES.filter((file) => !file.startsWith('test/agents/'));

it.each(EVERYWHERE)(
  '%s has every package that a locked one asks for, on every platform',
  (file) => {
    const locked = new Map(lockedPackages(file));
    const missing = [...locked].flatMap(([place, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => findPackage(locked, place, name) === undefined)
        .map((name) => `${place} asks for ${name}`),
    );
    expect(missing).toEqual([]);
  },
);

it.each(LOCKFILES)('%s names no registry, so that any can be used', (file) => {
  expect(readFileSync(fromRoot(file), 'utf8')).not.toContain('"resolved": "http');
});
