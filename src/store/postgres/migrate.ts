// Brings the schema up to date while servers of the version before work on it.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { applyOutside, insideTransaction } from './concurrent-migration.ts';
import { checkAge, readApplied } from './applied-migrations.ts';
import type { AppliedRow } from './applied-migrations.ts';
import { MigrationError } from './migration-error.ts';
import type { MigrationFile } from './migration-files.ts';
import { readMigrations } from './migration-files.ts';
import { checkServer, checkSkipLocked } from './requirements.ts';
import { startMs } from './time-limits.ts';

export interface MigrateOptions {
  url: string;
  folder: string;
  /** See time-limits. */
  silenceMs?: number;
  log?(message: string): void;
}

// Any fixed number will do, as long as every release uses the same.
const LOCK_KEY = 7_246_130_552;
// Another node may be in the middle of a long migration, and this one can only wait for it.
const WAIT_FOR_OTHERS = '10min';
// Everything queues up behind a table lock that does not come: ask for a moment, let the others go on, and ask again.
const WAIT_FOR_TABLES = '3s';
const LOCK_TRIES = 10;
const BETWEEN_TRIES_MS = 1000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Applies what is missing, one transaction for each file, so that a node killed in the middle
 * leaves nothing behind. Nodes that start together take turns at the lock and find it done.
 */
export async function migrate(
  options: MigrateOptions,
): Promise<{ applied: number[]; version: number }> {
  const files = await readMigrations(options.folder);
  const connect = () => connectTo(options);
  const client = await connect();
  try {
    await prepareSchema(client);
    const before = await inTurn(client, () => checkApplied(client, files));
    const applied: number[] = [];
    for (const file of files) {
      if (before.some((row) => row.version === file.version)) continue;
      // Nobody works yet on a database that is made just now.
      const isOutside = file.isOutsideTransaction && before.length > 0;
      const isOurs = isOutside
        ? await applyOutside(file, {
            client,
            connect,
            isApplied: () => inTurn(client, () => isApplied(client, file, files)),
            record: () => inTurn(client, () => insertApplied(client, file)),
          })
        : await applyWhenFree(client, file, files);
      if (isOurs) {
        applied.push(file.version);
        options.log?.(`Applied migration ${file.fileName}.`);
      }
    }
    const version = Math.max(files.at(-1)?.version ?? 0, before.at(-1)?.version ?? 0);
    return { applied, version };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function connectTo({ url, silenceMs }: MigrateOptions): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    fallback_application_name: 'millrace-migrate',
    connectionTimeoutMillis: startMs(silenceMs),
    keepAlive: true,
  });
  // Queries in flight reject on their own; this only keeps the event from ending the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function prepareSchema(client: pg.Client): Promise<void> {
  await checkServer(client);
  await inTurn(client, async () => {
    await createMigrationsTable(client);
    await checkSkipLocked(client, 'millrace_migrations');
  });
}

export async function createMigrationsTable(client: pg.Client): Promise<void> {
  await client.query(
    `create table if not exists millrace_migrations (
       version integer primary key,
       name text not null,
       checksum text not null,
       applied_at timestamptz not null default now(),
       oldest_server integer not null
     )`,
  );
}

/** Whether another node was sooner. */
async function isApplied(
  client: pg.Client,
  file: MigrationFile,
  files: MigrationFile[],
): Promise<boolean> {
  const applied = await checkApplied(client, files);
  if (applied.some((row) => row.version === file.version)) return true;
  const newest = applied.at(-1)?.version ?? 0;
  if (newest > file.version) {
    throw new MigrationError(
      `Migration ${file.fileName} is new, but version ${newest} is already applied. ` +
        'Give it a higher number.',
    );
  }
  return false;
}

function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof MigrationError ? error.cause : undefined;
  return (cause as { code?: unknown } | undefined)?.code === LOCK_NOT_AVAILABLE;
}

async function applyWhenFree(
  client: pg.Client,
  file: MigrationFile,
  files: MigrationFile[],
): Promise<boolean> {
  for (let count = 1; ; count++) {
    try {
      return await inTurn(client, async (transactionId) => {
        if (await isApplied(client, file, files)) return false;
        await applyFile(client, file, transactionId);
        return true;
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (count === LOCK_TRIES) {
        throw new MigrationError(
          `Migration ${file.fileName} needs a table that other sessions hold. End their long transactions and start again.`,
          error,
        );
      }
      await delay(BETWEEN_TRIES_MS);
    }
  }
}

/** Within the transaction with this id. */
export async function applyFile(
  client: pg.Client,
  file: MigrationFile,
  transactionId: string,
): Promise<void> {
  try {
    await client.query(file.isOutsideTransaction ? insideTransaction(file.sql) : file.sql);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`Migration ${file.fileName} failed: ${reason}`, error);
  }
  if ((await currentTransaction(client)) !== transactionId) {
    throw new MigrationError(
      `Migration ${file.fileName} ends its own transaction. Remove COMMIT and ROLLBACK from it.`,
    );
  }
  await insertApplied(client, file);
}

async function insertApplied(client: pg.Client, file: MigrationFile): Promise<void> {
  await client.query(
    'insert into millrace_migrations (version, name, checksum, oldest_server) values ($1, $2, $3, $4)',
    [file.version, file.name, file.checksum, file.oldestServer],
  );
}

async function checkApplied(client: pg.Client, files: MigrationFile[]): Promise<AppliedRow[]> {
  const rows = await readApplied(client);
  checkAge(rows, files);
  const known = files.at(-1)?.version ?? 0;
  for (const row of rows) {
    const file = files.find((each) => each.version === row.version);
    if (row.version > known || file?.checksum === row.checksum) continue;
    const label = file?.fileName ?? `${row.version} (${row.name})`;
    throw new MigrationError(
      `Migration ${label} was ${file ? 'changed' : 'removed'} after it had been applied to this ` +
        'database. Restore the file as it was, and make the change in a new migration.',
    );
  }
  return rows;
}

/** Runs `work` in a transaction that no other node's migration runs beside. */
export async function inTurn<T>(
  client: pg.Client,
  work: (transactionId: string) => Promise<T>,
): Promise<T> {
  await client.query('begin');
  try {
    await setLimits(client);
    await client.query(`set local lock_timeout = '${WAIT_FOR_OTHERS}'`);
    // The key is a bigint constant of ours, so that no other use of the server meets it by chance.
    await client.query('select pg_advisory_xact_lock($1::bigint)', [LOCK_KEY]);
    await client.query(`set local lock_timeout = '${WAIT_FOR_TABLES}'`);
    const result = await work(await currentTransaction(client));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

// For the transaction alone: behind a pooler the session is another one's the next moment.
async function setLimits(client: pg.Client): Promise<void> {
  await client.query('set local statement_timeout = 0');
  // A backend whose node was killed would hold the lock until its statement ends. Not every
  // platform can look for that, and there the others just wait longer.
  await client.query('savepoint limits');
  await client.query(`set local client_connection_check_interval = '1s'`).catch(async () => {
    await client.query('rollback to savepoint limits');
  });
}

async function currentTransaction(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ id: string }>('select pg_current_xact_id()::text as id');
  return rows[0]?.id ?? '';
}
