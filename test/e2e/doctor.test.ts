import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockDataFolder } from '../../src/store/embedded/data-lock.ts';
import { runCli } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { createEmptyDatabase } from '../support/database.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'millrace-doctor-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

interface Report {
  ok: boolean;
  checks: { name: string; ok: boolean; text: string }[];
}

async function doctor(
  settings: Record<string, string>,
  run: typeof runHere = runHere,
): Promise<Record<string, string>> {
  const { stdout } = await run(['doctor', '--json'], settings);
  const { checks } = JSON.parse(stdout) as Report;
  return Object.fromEntries(
    checks.map(({ name, ok, text }) => [name, `${ok ? '' : 'FAIL '}${text}`]),
  );
}

async function tablesIn(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select schemaname || '.' || tablename as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

it('says which PostgreSQL and schema there is, and changes nothing in the database', async () => {
  const { url, drop } = await createEmptyDatabase();
  try {
    const before = await doctor({ DATABASE_URL: url });
    expect(before['database']).toMatch(/^PostgreSQL \d+\S*.*, no schema yet \(.*migrate\)$/);
    expect(await tablesIn(url)).toEqual([]);
    expect((await runHere(['migrate'], { DATABASE_URL: url })).code).toBe(0);
    const after = await doctor({ DATABASE_URL: url });
    expect(after['database']).toMatch(/^PostgreSQL \d+\S*.*, schema version \d+$/);
  } finally {
    await drop();
  }
});

it('says when the database allows fewer connections than the server may use', async () => {
  const { url, drop } = await createEmptyDatabase();
  try {
    const settings = { MILLRACE_PROCESSES: '8', MILLRACE_DATABASE_POOL_SIZE: '100' };
    const found = await doctor({ DATABASE_URL: url, ...settings });
    expect(found['database']).toMatch(
      /^FAIL .* up to 824 connections, .* allows \d+ \(\d+ in use\)/,
    );
  } finally {
    await drop();
  }
});

it('makes neither the data folder nor a database in it', async () => {
  const found = await doctor({ MILLRACE_DATA_DIR: join(base, 'a', 'data') });
  expect(found['data folder']).toMatch(/\/a\/data \(created when a server starts\)$/);
  expect(found['database']).toMatch(/^embedded PostgreSQL, not used yet/);
  expect(readdirSync(base)).toEqual([]);
});

it('says why a folder cannot be used', async () => {
  writeFileSync(join(base, 'file'), '');
  const below = await doctor({ MILLRACE_DATA_DIR: join(base, 'file', 'data') });
  expect(below['data folder']).toMatch(
    /^FAIL Cannot use the folder .*file\/data: it is not a folder, or below .* --data-dir/,
  );
});

it.runIf(process.platform === 'linux')(
  'does not trust a file system that takes no files',
  async () => {
    const found = await doctor({ MILLRACE_DATA_DIR: '/proc/millrace' });
    expect(found['data folder']).toMatch(/^FAIL .* does not let folders be created there/);
  },
);

it('does not wait for a folder that another process holds', async () => {
  const dataDir = join(base, 'data');
  mkdirSync(dataDir);
  const lock = lockDataFolder(dataDir);
  try {
    const found = await doctor({ MILLRACE_DATA_DIR: dataDir }, runCli);
    expect(found['database']).toMatch(/^embedded PostgreSQL, not used yet/);
  } finally {
    lock.release();
  }
});
