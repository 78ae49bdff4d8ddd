import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Db } from '../../src/store/postgres/db.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import {
  MigrationError,
  SchemaTooNewError,
  SchemaTooOldError,
} from '../../src/store/postgres/migration-error.ts';
import { readSchemaVersion } from '../../src/store/postgres/schema-version.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import type { TestDatabase } from '../support/database.ts';
import { createEmptyDatabase } from '../support/database.ts';
import type { NodeProcess } from '../support/processes.ts';
import { startNode, waitUntil } from '../support/processes.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

const MIGRATE_ONCE = fileURLToPath(new URL('fixtures/migrate-once.ts', import.meta.url));

let database: TestDatabase;
let folder: string;
let db: Db;
let processes: NodeProcess[];

beforeEach(async () => {
  database = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'millrace-sql-'));
  db = openDb({ url: database.url, silenceMs: PATIENT_MS });
  processes = [];
});

afterEach(async () => {
  for (const each of processes) await each.kill('SIGKILL');
  await db.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

async function write(name: string, sql: string): Promise<void> {
  await writeFile(join(folder, name), sql);
}

async function run(): ReturnType<typeof migrate> {
  return migrate({ url: database.url, folder, silenceMs: PATIENT_MS });
}

async function rejection(): Promise<Error> {
  return run().then(
    () => Promise.reject(new Error('It should have failed.')),
    (error: unknown) => error as Error,
  );
}

function startNodeOfOurs(): NodeProcess {
  const started = startNode(MIGRATE_ONCE, [database.url, folder]);
  processes.push(started);
  return started;
}

async function versions(): Promise<number[]> {
  const { rows } = await db.query<{ version: number }>(
    'select version from millrace_migrations order by version',
  );
  return rows.map((row) => row.version);
}

test('files are applied by number, and only once', async () => {
  await write('0002_rows.sql', 'insert into steps values (2);');
  await write('0001_table.sql', 'create table steps (n int);\ninsert into steps values (1);');
  await write('0010_more.sql', 'insert into steps select max(n) * 5 from steps;');
  expect(await run()).toEqual({ applied: [1, 2, 10], version: 10 });
  expect(await run()).toEqual({ applied: [], version: 10 });
  await write('0011_last.sql', 'insert into steps values (11);');
  expect(await run()).toEqual({ applied: [11], version: 11 });
  expect((await db.query('select n from steps')).rows).toEqual([1, 2, 10, 11].map((n) => ({ n })));
});

test('an empty folder is a schema of version 0', async () => {
  expect(await run()).toEqual({ applied: [], version: 0 });
});

test('a file that fails leaves nothing of itself, and the files before it stay', async () => {
  await write('0001_fine.sql', 'create table fine (n int);');
  await write('0002_broken.sql', 'create table half (n int); select 1 / 0;');
  const error = await rejection();
  expect(error).toBeInstanceOf(MigrationError);
  expect(error.message).toContain('0002_broken.sql failed: division by zero');
  expect(await versions()).toEqual([1]);
  expect((await db.query(`select to_regclass('half') as half`)).rows).toEqual([{ half: null }]);
});

test('four nodes that start at once apply each file once between them', async () => {
  for (const n of [1, 2, 3]) {
    await write(`000${n}_step.sql`, `create table step_${n} (n int); select pg_sleep(0.1);`);
  }
  const nodes = Array.from({ length: 4 }, () => startNodeOfOurs());
  const results = await Promise.all(
    nodes.map(async (node) => {
      const [json] = await node.waitFor(/\{.*\}/);
      return JSON.parse(json) as { applied: number[]; version: number };
    }),
  );
  expect(results.map((result) => result.version)).toEqual([3, 3, 3, 3]);
  expect(results.flatMap((result) => result.applied).sort((a, b) => a - b)).toEqual([1, 2, 3]);
});

test('a node killed in the middle of a file leaves nothing of it, and the next applies it', async () => {
  await write('0001_long.sql', 'create table long (n int); select pg_sleep(60);');
  const node = startNodeOfOurs();
  await waitUntil(async () => {
    const sleeping = `select 1 from pg_stat_activity
                      where datname = current_database() and wait_event = 'PgSleep'`;
    return (await db.query(sleeping)).rowCount;
  });
  await node.kill('SIGKILL');
  await write('0001_long.sql', 'create table long (n int);');
  expect(await run()).toEqual({ applied: [1], version: 1 });
});

test('a server works with what a newer release has added, and is refused what takes away', async () => {
  await write('0001_a.sql', 'select 1;');
  await write('0006_adds.sql', 'select 1;');
  await run();
  await rm(join(folder, '0006_adds.sql'));
  expect(await run()).toEqual({ applied: [], version: 6 });
  expect(await readSchemaVersion({ url: database.url, folder })).toMatchObject({ version: 6 });

  await write('0006_adds.sql', 'select 1;');
  await write('0007_b.sql', '-- millrace: needs servers from 0006\nselect 1;');
  await run();
  await rm(join(folder, '0007_b.sql'));
  expect(await run()).toEqual({ applied: [], version: 7 });
  await rm(join(folder, '0006_adds.sql'));
  await expect(readSchemaVersion({ url: database.url, folder })).rejects.toThrow(SchemaTooNewError);
  const error = await rejection();
  expect(error).toBeInstanceOf(SchemaTooNewError);
  expect(error.message).toMatch(/at version 7.*up to 1.*run that release/s);
});

test('a database from before the first file of all is refused, and left as it is', async () => {
  await write('0060_a.sql', 'create table steps (n int);');
  await run();
  // As the first checkouts made it.
  await db.query('alter table millrace_migrations drop column oldest_server');
  await rm(join(folder, '0060_a.sql'));
  await write('0101_b.sql', 'create table steps (n int);');
  const error = await rejection();
  expect(error).toBeInstanceOf(SchemaTooOldError);
  expect(error.message).toMatch(/before the first release.*version 60.*use an empty database/s);
  await expect(readSchemaVersion({ url: database.url, folder })).rejects.toThrow(SchemaTooOldError);
  expect(await versions()).toEqual([60]);
});

test('a file that was changed or removed after it was applied is refused', async () => {
  await write('0001_a.sql', 'select 1;');
  await write('0002_b.sql', 'select 2;\n');
  await write('0003_c.sql', 'select 3;');
  await run();
  await write('0002_b.sql', 'select 2;\r\n');
  expect(await run()).toMatchObject({ applied: [] });
  await write('0002_b.sql', 'select 3;');
  expect((await rejection()).message).toContain('0002_b.sql was changed');
  await rm(join(folder, '0002_b.sql'));
  expect((await rejection()).message).toContain('2 (b) was removed');
});

test('a new file with a number below the newest applied one is refused', async () => {
  await write('0005_a.sql', 'select 1;');
  await run();
  await write('0003_late.sql', 'select 1;');
  expect((await rejection()).message).toContain('Give it a higher number');
});

test('a file that ends its own transaction is refused', async () => {
  await write('0001_commit.sql', 'create table early (n int); commit; select 1;');
  expect((await rejection()).message).toContain('ends its own transaction');
  expect(await versions()).toEqual([]);
});

test('names that do not say their number, or share one, are refused', async () => {
  await write('1_short.sql', 'select 1;');
  expect((await rejection()).message).toContain('should look like 0001_jobs.sql');
  await rm(join(folder, '1_short.sql'));
  await write('0001_a.sql', 'select 1;');
  await write('0001_b.sql', 'select 1;');
  expect((await rejection()).message).toContain('have the same number');
});

const OUTSIDE = '-- millrace: outside a transaction\n';

async function isValid(index: string): Promise<boolean | undefined> {
  const { rows } = await db.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  );
  return rows[0]?.valid;
}

test('an index is built beside those who write; one whose making was cut short is built again, by one node', async () => {
  await write('0001_table.sql', 'create table steps (n int);\ninsert into steps values (1), (1);');
  await run();
  await write(
    '0002_index.sql',
    `${OUTSIDE}create unique index concurrently steps_n on steps (n);
     alter table steps validate constraint positive;
     drop index concurrently if exists older;`,
  );
  await db.query('alter table steps add constraint positive check (n > 0) not valid');
  expect((await rejection()).message).toContain('0002_index.sql failed: could not create unique');
  expect([await versions(), await isValid('steps_n')]).toEqual([[1], false]);

  await db.query('delete from steps where ctid = (select min(ctid) from steps)');
  const both = await Promise.all([run(), run()]);
  expect(both.flatMap(({ applied }) => applied)).toEqual([2]);
  expect(await isValid('steps_n')).toBe(true);
  expect(await run()).toEqual({ applied: [], version: 2 });
});

test('a database that is made just now gets such an index in a transaction', async () => {
  await write('0001_table.sql', 'create table steps (n int);');
  await write('0002_index.sql', `${OUTSIDE}create index concurrently steps_n on steps (n);`);
  expect(await run()).toMatchObject({ applied: [1, 2] });
  expect(await isValid('steps_n')).toBe(true);
});

test('what belongs into a transaction is refused outside of one', async () => {
  await write('0001_table.sql', 'create table steps (n int);');
  await run();
  await write('0002_rows.sql', `${OUTSIDE}insert into steps values (1);`);
  expect((await rejection()).message).toContain('only these statements are allowed');
  expect(await versions()).toEqual([1]);
});

test('a table that is in use is asked for again and again, and let go in between', async () => {
  await write('0001_table.sql', 'create table steps (n int);');
  await run();
  await write('0002_column.sql', 'alter table steps add column m int;');
  const isWaiting = async () => {
    const { rowCount } = await db.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount === 1;
  };
  let migrating: ReturnType<typeof migrate> | undefined;
  await db.tx(async (tx) => {
    await tx.query('select 1 from steps');
    migrating = run();
    // A migration that fails meanwhile says why.
    await Promise.race([migrating, waitUntil(isWaiting, 'the migration to wait for the table')]);
    await waitUntil(async () => !(await isWaiting()), 'the migration to let others pass');
  });
  expect(await migrating).toEqual({ applied: [2], version: 2 });
});
