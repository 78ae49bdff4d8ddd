import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import type { Embedded } from '../../src/store/embedded/supervisor.ts';
import { startEmbedded } from '../../src/store/embedded/supervisor.ts';
import { bundleCommand } from './bundled-command.ts';
import type { BundledCommand } from './bundled-command.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string;
    /** The command as a file that Node runs. */
    command: string;
  }
}

// What makes a commit survive a power cut is only wasted time on a database that is thrown away.
const THROW_AWAY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  // It visits every database there is, of which each server of a test has its own, with a handful of rows.
  autovacuum: 'off',
};

let embedded: Embedded | undefined;
let folder: string | undefined;
let command: BundledCommand | undefined;

/** One PostgreSQL for the whole run; TEST_POSTGRES_URL names one that already runs. */
async function provideDatabase(project: TestProject): Promise<void> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) {
    project.provide('postgresUrl', given);
    return;
  }
  folder = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  embedded = await startEmbedded({ dataDir: folder, settings: THROW_AWAY });
  project.provide('postgresUrl', embedded.url);
}

export async function setup(project: TestProject): Promise<void> {
  const [bundled] = await Promise.all([bundleCommand(), provideDatabase(project)]);
  command = bundled;
  project.provide('command', bundled.main);
}

const CLIENTS = `select count(*)::int as count from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

/** The processes of the tests end at the same time, and close what they shared: see worker-end.ts. */
async function untilNobodyIsConnected(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const until = Date.now() + 30_000;
  while (Date.now() < until) {
    const { rows } = await client.query<{ count: number }>(CLIENTS);
    if (rows[0]!.count === 0) break;
    await delay(50);
  }
  await client.end();
}

export async function teardown(): Promise<void> {
  if (embedded) await untilNobodyIsConnected(embedded.url);
  await embedded?.stop();
  await command?.remove();
  if (folder) await rm(folder, { recursive: true, force: true });
}
