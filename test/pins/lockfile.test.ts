import { expect, it } from 'vitest';
import { findPackage, lockedPackages } from './lockfile.ts';

// npm leaves out what its registry did not have for other platforms, and `npm ci` then refuses the
// whole lockfile.
it('has every package that a locked package asks for, on every platform', () => {
  const locked = new Map(lockedPackages());
  const missing = [...locked].flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => findPackage(locked, place, name) === undefined)
      .map((name) => `${place} asks for ${name}`),
  );
  expect(missing).toEqual([]);
});
