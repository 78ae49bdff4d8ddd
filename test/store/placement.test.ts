import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findNativeFolder } from '../../src/store/embedded/binaries.ts';
import {
  MAJOR_VERSION,
  OtherMajorVersionError,
  isDatabaseGone,
  placeCluster,
  readLayout,
} from '../../src/store/embedded/placement.ts';
import { startEmbedded } from '../../src/store/embedded/supervisor.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-place-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a database that was stored elsewhere and is gone there is not quietly replaced', () => {
  expect(isDatabaseGone(folder)).toBe(false);
  const elsewhere = join(folder, 'elsewhere');
  writeFileSync(join(folder, 'postgres.location'), `${elsewhere}\n`);
  expect(isDatabaseGone(folder)).toBe(true);
  const place = () => placeCluster(readLayout(folder), undefined, () => {});
  expect(place).toThrow(
    `was stored in ${elsewhere}, which is gone. Restore that folder, or remove`,
  );
});

it.each([
  ['an older one', 'postgres-17', '17'],
  ['a later one', 'postgres-19', '19'],
  ['one that was put where ours belongs', `postgres-${MAJOR_VERSION}`, '17'],
])(
  'does not start beside or on a database of another major version: %s',
  async (_, name, version) => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'PG_VERSION'), `${version}\n`);
    const started = startEmbedded({ dataDir: folder });
    await expect(started).rejects.toThrow(OtherMajorVersionError);
    await expect(started).rejects.toThrow(/made by PostgreSQL (?:17|19).*"millrace backup FILE"/);
    const left = readdirSync(folder).filter((each) => !each.startsWith('server.'));
    expect(left).toEqual([name]);
  },
);

it('knows the major version of the PostgreSQL that is installed with it', () => {
  const native = findNativeFolder(process.platform, process.arch);
  const { version } = createRequire(import.meta.url)(join(native, '..', 'package.json')) as {
    version: string;
  };
  expect(Number(version.split('.')[0])).toBe(MAJOR_VERSION);
});
