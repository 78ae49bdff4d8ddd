import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { inject } from 'vitest';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { PATIENT_MS } from './database-mode.ts';
import { atWorkerEnd } from './worker-end.ts';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

const SQL_FOLDER = fileURLToPath(new URL('../../sql', import.meta.url));
const TEMPLATE_LOCK = 90_210_117;

let template: Promise<string> | undefined;
let administrator: Promise<pg.Client> | undefined;

/** A database of one's own with the current schema: a copy of a template that is migrated once. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `millrace_test_${randomBytes(6).toString('hex')}`;
  await withAdmin(async (admin) => {
    await copyDatabase(admin, await (template ??= ensureTemplate(admin)), name);
  });
  return { url: urlOf(name), drop: () => dropDatabase(name) };
}

/** One without any schema. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const name = `millrace_test_${randomBytes(6).toString('hex')}`;
  await withAdmin((admin) => copyDatabase(admin, 'template0', name));
  return { url: urlOf(name), drop: () => dropDatabase(name) };
}

// Test files run beside each other in several processes, and the first to come builds it. Built
// under another name and renamed, so that a run that was cut off leaves no half of one.
async function ensureTemplate(admin: pg.Client): Promise<string> {
  const name = `millrace_template_${await schemaHash()}`;
  await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const found = await admin.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount === 1) return name;
    const building = `${name}_building`;
    await admin.query(`drop database if exists ${building} with (force)`);
    await copyDatabase(admin, 'template0', building);
    await migrate({ url: urlOf(building), folder: SQL_FOLDER, silenceMs: PATIENT_MS });
    // Nobody may be connected to a database while it is copied.
    await admin.query(`alter database ${building} allow_connections false`);
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${building}'`,
    );
    await admin.query(`alter database ${building} rename to ${name}`);
    return name;
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

// Without fsync, copying files is four times as fast as writing the copy to the log. Version 14
// knows no other way and has no word for it.
async function copyDatabase(admin: pg.Client, from: string, to: string): Promise<void> {
  const { rows } = await admin.query<{ version: string }>(
    `select current_setting('server_version_num') as version`,
  );
  const strategy = Number(rows[0]?.version) >= 150_000 ? 'strategy file_copy' : '';
  await admin.query(`create database ${to} template ${from} ${strategy}`);
}

async function schemaHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(SQL_FOLDER)).filter((each) => each.endsWith('.sql')).sort()) {
    hash.update(name).update(await readFile(`${SQL_FOLDER}/${name}`));
  }
  return hash.digest('hex').slice(0, 12);
}

async function dropDatabase(name: string): Promise<void> {
  await withAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));
}

/** Kept for the files that follow: to connect costs both sides more than most of what is asked. */
async function withAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  return work(await (administrator ??= connectAdministrator()));
}

async function connectAdministrator(): Promise<pg.Client> {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  atWorkerEnd(() => admin.end());
  return admin;
}

function urlOf(database: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${database}`;
  return url.href;
}
