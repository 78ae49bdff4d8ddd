import { cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  BACKED_UP_TABLES,
  LEFT_OUT_TABLES,
  MIGRATIONS_TABLE,
} from '../../src/store/backup/tables.ts';
import { openBackupFile } from '../../src/store/backup/read-file.ts';
import { restoreBackup } from '../../src/store/backup/restore-backup.ts';
import { makeBackup } from '../../src/store/backup/make-backup.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { findContradictions } from '../support/chaos/check-tables.ts';
import { createEmptyDatabase } from '../support/database.ts';
import type { TestDatabase } from '../support/database.ts';
import { ageRun, daysAgo, moveOld } from '../support/old-jobs.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { TEST_MASTER_KEY, startTestServer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { fromRoot } from '../pins/tree.ts';

const server = useServer({ allowPrivateTargets: true });
const databases: TestDatabase[] = [];
let folder: string;
/** Of a server at work, with a job that ran at that moment and jobs that waited. */
let file: string;
let acknowledged: string[];
let running: string;
/** One that has moved to the partition of its month. */
let archived: string;
let key: string;

async function emptyDatabase(): Promise<string> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return database.url;
}

const settings = (url: string, more: Record<string, string> = {}) => ({
  DATABASE_URL: url,
  MILLRACE_DATA_DIR: join(folder, 'data'),
  MILLRACE_MASTER_KEY: TEST_MASTER_KEY,
  ...more,
});

async function ask<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Whatever there is in the database beside what a new one has. */
const everythingIn = (url: string) =>
  ask<{ name: string }>(
    url,
    `select c.oid::regclass::text as name from pg_class c
       where c.relnamespace::regnamespace::text !~ '^(pg_catalog|pg_toast|information_schema)'
     union all select nspname from pg_namespace where nspname !~ '^pg_'
     union all select oid::regprocedure::text from pg_proc
       where pronamespace::regnamespace::text !~ '^(pg_catalog|information_schema)'
     order by 1`,
  );

const tablesIn = (url: string) =>
  ask<{ name: string }>(
    url,
    `select tablename as name from pg_tables where schemaname = current_schema()
       and tablename !~ '^archived_jobs_[0-9]' order by 1`,
  );

const idsIn = async (url: string) =>
  (await ask<{ id: string }>(url, 'select id from jobs order by id')).map(({ id }) => id);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-backup-'));
  file = join(folder, 'a.backup');
  ({ key } = await server().createKey({ email: 'ada@example.com' }));
  const hook = { url: 'http://127.0.0.1:9/', events: ['*'] };
  expect((await server().call('POST', '/v1/webhooks', { key, body: hook })).status).toBe(201);
  const { db } = server();
  const ended = await server().finished(key, await server().submit(key, { streamId: 'old' }));
  const aged = await ageRun(db, String(ended['runId']), daysAgo(40));
  archived = [...aged.values()][0]!;
  expect(await moveOld(db)).toBe(1);
  running = await server().submit(key, { prompt: '[[sim:hang]]' });
  await waitUntil(async () => {
    const { rows } = await db.query<{ status: string }>('select status from jobs where id = $1', [
      running,
    ]);
    return rows[0]?.status === 'running';
  });
  // Submitted the whole time: the backup begins and ends among them.
  const answered: string[] = [];
  let isMade = false;
  let count = 0;
  const submitting = Promise.all(
    [0, 1, 2].map(async () => {
      while (!isMade) answered.push(await server().submit(key, { streamId: `s${++count}` }));
    }),
  );
  await waitUntil(async () => answered.length >= 20);
  acknowledged = [...answered, running];
  const made = await runHere(['backup', file], settings(server().databaseUrl));
  isMade = true;
  await submitting;
  expect(made).toMatchObject({ code: 0 });
  expect(made.stderr).toContain('The master keys are NOT in the backup: MILLRACE_MASTER_KEY');
  await server().call('POST', `/api/v1/job/${running}/cancel`, { key });
});

afterAll(async () => {
  for (const database of databases) await database.drop();
  await rm(folder, { recursive: true, force: true });
});

it('names every table that the migrations make', async () => {
  const names = (await tablesIn(server().databaseUrl)).map(({ name }) => name);
  const old = ['user_queue'];
  const known = [...BACKED_UP_TABLES, ...LEFT_OUT_TABLES, MIGRATIONS_TABLE];
  expect(names.toSorted()).toEqual(known.filter((name) => !old.includes(name)).toSorted());
});

it('is private, whole, and without secrets that open by themselves', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
  const verified = await runHere(['backup', 'verify', file, '--json'], {});
  expect(verified.code).toBe(0);
  const { tables, schemaVersion } = JSON.parse(verified.stdout) as {
    schemaVersion: number;
    tables: { name: string; rows: number; sha256: string }[];
  };
  expect(schemaVersion).toBeGreaterThan(100);
  expect(tables.find(({ name }) => name === 'users')).toMatchObject({
    rows: 1,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const again = await runHere(['backup', file], settings(server().databaseUrl));
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already exists') });
});

it('has every job that was acknowledged, and another server finishes them', async () => {
  const url = await emptyDatabase();
  const restored = await runHere(['restore', file], settings(url));
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toMatch(/\d+ jobs? that ran will start again/);
  expect(restored.stdout).toMatch(/Verified every table, and 1 secret/);
  expect(await idsIn(url)).toEqual(expect.arrayContaining(acknowledged));
  expect(await idsIn(url)).not.toContain(archived);
  const [row] = await ask(url, `select status, losses from jobs where id = '${running}'`);
  expect(row).toEqual({ status: 'pending', losses: 0 });
  // The time between does not count.
  const deadline = `select deadline_at as at from jobs where id = '${running}'`;
  const [before] = await ask<{ at: Date }>(server().databaseUrl, deadline);
  const [after] = await ask<{ at: Date }>(url, deadline);
  expect(after!.at.getTime()).toBeGreaterThan(before!.at.getTime());
  await ask(url, `update jobs set prompt = '"hello"' where id = '${running}'`);
  const other = await startTestServer({}, url);
  try {
    for (const id of [archived, ...(await idsIn(url))]) {
      expect(await other.finished(key, id)).toMatchObject({ status: 'completed' });
    }
    await waitUntil(async () => {
      const { rows } = await other.db.query('select 1 from jobs where settled_at is null');
      return rows.length === 0;
    });
    expect(await findContradictions(other.db)).toEqual([]);
  } finally {
    await other.close();
  }
});

it('refuses a file that is cut off, changed, or none of ours before it looks at the database', async () => {
  const bytes = await readFile(file);
  const damaged = join(folder, 'damaged.backup');
  const flipped = (at: number) => {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
    return copy;
  };
  const middle = Math.floor(bytes.length / 2);
  const bad = [
    bytes.subarray(0, bytes.length - 1),
    bytes.subarray(0, middle),
    bytes.subarray(0, 30),
    Buffer.alloc(0),
    flipped(20),
    flipped(middle),
    flipped(bytes.length - 1),
  ];
  // An address where nothing answers.
  const nowhere = settings('postgres://127.0.0.1:1/none');
  for (const content of bad) {
    await writeFile(damaged, content);
    for (const words of [['restore'], ['backup', 'verify']]) {
      const ran = await runHere([...words, damaged, '--json'], nowhere);
      expect(ran.code).toBe(1);
      expect(ran.stdout).toContain('"BACKUP_DAMAGED"');
    }
  }
  await writeFile(damaged, Buffer.from('millrace-backup 2\n...'));
  expect((await runHere(['restore', damaged, '--json'], nowhere)).stdout).toContain(
    '"BACKUP_TOO_NEW"',
  );
  expect((await runHere(['restore', join(folder, 'none')], nowhere)).code).toBe(2);
});

it('needs the master keys of the secrets in it, and restores nothing without', async () => {
  const url = await emptyDatabase();
  const before = await everythingIn(url);
  const wrong = { MILLRACE_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') };
  const ran = await runHere(['restore', file], settings(url, wrong));
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/1 stored secret cannot be decrypted: the master key [0-9a-f]{12}/);
  expect(ran.stderr).toContain('MILLRACE_MASTER_KEY');
  expect(await everythingIn(url)).toEqual(before);

  const flags = ['--discard-secrets', '--json'];
  const without = await runHere(['restore', file, ...flags], settings(url, wrong));
  expect(without, without.stderr).toMatchObject({ code: 0 });
  expect((JSON.parse(without.stdout) as { secrets: unknown }).secrets).toEqual({
    opened: 0,
    damaged: 0,
    discarded: { providerKeys: 0, webhooks: 1, triggers: 0, jobs: 0 },
  });
  expect(await idsIn(url)).toEqual(expect.arrayContaining(acknowledged));
});

it('replaces data only when told, and leaves it when it is stopped in the middle', async () => {
  const url = await emptyDatabase();
  await migrate({ url, folder: fromRoot('sql') });
  await ask(url, `insert into users (id, email, name) values ('user_1', 'old@example.com', 'Old')`);
  const before = await everythingIn(url);
  const refused = await runHere(['restore', file], settings(url));
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace') });
  const unsure = await runHere(['restore', file, '--replace'], settings(url));
  expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });

  const loaded: string[] = [];
  const cut = restoreBackup({
    url,
    backup: await openBackupFile(file),
    migrations: fromRoot('sql'),
    price: () => null,
    mayReplace: async () => true,
    check: async () => {},
    async onTable(name, client) {
      loaded.push(name);
      // As when the process is killed.
      if (name === 'jobs') client.connection.stream.destroy();
    },
  });
  await expect(cut).rejects.toThrow();
  expect(loaded).toContain('users');
  expect(await ask(url, 'select email from users')).toEqual([{ email: 'old@example.com' }]);
  expect(await everythingIn(url)).toEqual(before);

  const replaced = await runHere(['restore', file, '--replace', '--yes'], settings(url));
  expect(replaced).toMatchObject({ code: 0 });
  expect(await ask(url, 'select email from users')).toEqual([{ email: 'ada@example.com' }]);
});

it('does not touch a database that a server uses', async () => {
  const ran = await runHere(
    ['restore', file, '--replace', '--yes', '--json'],
    settings(server().databaseUrl),
  );
  expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('"DATABASE_IN_USE"') });
});

/** Holds the backup up at one of its first tables, and changes one that it comes to later. */
async function backupMeanwhile(
  { url, path, migrations }: { url: string; path: string; migrations: string },
  change: string,
) {
  const holder = new pg.Client({ connectionString: url, application_name: 'test' });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table teams in access exclusive mode');
    const making = makeBackup({ url, path, release: '0.0.1', migrations });
    const waiting = `select 1 from pg_stat_activity where datname = current_database()
      and application_name = 'millrace-backup' and wait_event_type = 'Lock'`;
    await waitUntil(async () => (await ask(url, waiting)).length > 0);
    await ask(url, change);
    await holder.query('rollback');
    return await making;
  } finally {
    await holder.end();
  }
}

const restoreInto = async (url: string, path: string, migrations: string) =>
  restoreBackup({
    url,
    backup: await openBackupFile(path),
    migrations,
    price: () => null,
    mayReplace: async () => true,
    check: async () => {},
  });

it('a backup of an earlier schema is brought up to date, one of a later schema is refused', async () => {
  const [from, to] = [await emptyDatabase(), await emptyDatabase()];
  const [ours, next] = [fromRoot('sql'), join(folder, 'next-sql')];
  await cp(ours, next, { recursive: true });
  await writeFile(
    join(next, '0900_nicknames.sql'),
    `alter table users add column nickname text; alter table users alter nickname set default 'none';
     update users set nickname = 'restored';`,
  );
  await migrate({ url: from, folder: ours });
  await ask(from, `insert into users (id, email, name) values ('user_1', 'a@example.com', 'A')`);
  const path = join(folder, 'old.backup');
  const node = `insert into nodes (id, role, version, slots, holds_lock, silent_ms)
    values ('node_1', 'all', '0', 1, true, 8000)`;
  const { sums } = await backupMeanwhile({ url: from, path, migrations: ours }, node);
  // It came after the moment that the backup shows.
  expect(sums.find(({ name }) => name === 'nodes')).toMatchObject({ rows: 0 });
  expect(await restoreInto(to, path, next)).toMatchObject({ migrated: [900] });
  expect(await ask(to, 'select id, nickname from users')).toEqual([
    { id: 'user_1', nickname: 'restored' },
  ]);

  const later = join(folder, 'later.backup');
  await makeBackup({ url: to, path: later, release: '9.9.9', migrations: next });
  const untouched = await emptyDatabase();
  const before = await everythingIn(untouched);
  await expect(restoreInto(untouched, later, ours)).rejects.toMatchObject({
    code: 'BACKUP_TOO_NEW',
  });
  expect(await everythingIn(untouched)).toEqual(before);
});

it('what a checkout from before the first release has left is neither restored nor backed up nor replaced', async () => {
  const [from, to] = [await emptyDatabase(), await emptyDatabase()];
  const [ours, early] = [fromRoot('sql'), join(folder, 'early-sql')];
  await mkdir(early);
  const names = (await readdir(ours)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(ours, name), 'utf8')));
  await writeFile(join(early, '0060_all.sql'), texts.join('\n'));
  await migrate({ url: from, folder: early });
  const path = join(folder, 'early.backup');
  await makeBackup({ url: from, path, release: '0.0.1', migrations: early });

  const untouched = await everythingIn(to);
  const restored = await runHere(['restore', path, '--json'], settings(to));
  expect(restored).toMatchObject({ code: 1, stdout: expect.stringContaining('"BACKUP_TOO_OLD"') });
  expect(await everythingIn(to)).toEqual(untouched);

  const before = await everythingIn(from);
  for (const args of [
    ['backup', join(folder, 'half.backup')],
    ['restore', file, '--replace', '--yes'],
  ]) {
    const ran = await runHere(args, settings(from));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('from before the first release');
  }
  expect(await everythingIn(from)).toEqual(before);
});
