import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isDatabaseGone, placeCluster, readLayout } from '../../src/store/embedded/placement.ts';

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
