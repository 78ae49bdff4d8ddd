import { expect, it } from 'vitest';
import { lockedPackages } from './lockfile.ts';

// npm leaves out what its registry did not have for other platforms, and `npm ci` then refuses the
// whole lockfile.
it('has every package that a locked package asks for, on every platform', () => {
  const locked = new Map(lockedPackages());
  const isFound = (place: string, name: string): boolean => {
    if (locked.has(`${place === '' ? '' : `${place}/`}node_modules/${name}`)) return true;
    const outer = place.lastIndexOf('node_modules/');
    return outer >= 0 && isFound(place.slice(0, Math.max(outer - 1, 0)), name);
  };
  const missing = [...locked].flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isFound(place, name))
      .map((name) => `${place} asks for ${name}`),
  );
  expect(missing).toEqual([]);
});
