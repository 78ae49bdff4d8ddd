import pg from 'pg';
import type { MigrationFile } from './migration-files.ts';
import { readMigrations } from './migration-files.ts';
import { checkServer, checkSkipLocked } from './requirements.ts';

export interface MigrateOptions {
  url: string;
  folder: string;
  log?(message: string): void;
}

/** The schema cannot be brought up to date; the message says what to do. */
export class MigrationError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MigrationError';
  }
}

export class SchemaTooNewError extends MigrationError {
  constructor(found: number, known: number) {
    super(
      `The database schema is at version ${found}, but this release of Millrace knows versions up ` +
        `to ${known}. A newer release has upgraded it: run that release or a later one, or restore ` +
        'a backup from before the upgrade.',
    );
    this.name = 'SchemaTooNewError';
  }
}

export interface AppliedRow {
  version: number;
  name: string;
  checksum: string;
}

// Any fixed number will do, as long as every release uses the same.
const LOCK_KEY = 7_246_130_552;
// Another node may be in the middle of a long migration, and this one can only wait for it.
const WAIT_FOR_OTHERS = '10min';
// A table lock that does not come is worse than a failed start: everything queues up behind it.
const WAIT_FOR_TABLES = '30s';

/**
 * Applies what is missing, one transaction for each file, so that a node killed in the middle
 * leaves nothing behind. Nodes that start together take turns at the lock and find it done.
 */
export async function migrate(
  options: MigrateOptions,
): Promise<{ applied: number[]; version: number }> {
  const files = await readMigrations(options.folder);
  const client = new pg.Client({
    connectionString: options.url,
    fallback_application_name: 'millrace-migrate',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // Queries in flight reject on their own; this only keeps the event from ending the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await prepareSchema(client);
    const before = await inTurn(client, () => checkApplied(client, files));
    const applied: number[] = [];
    for (const file of files) {
      if (before.some((row) => row.version === file.version)) continue;
      if (await applyOnce(client, { file, files })) {
        applied.push(file.version);
        options.log?.(`Applied migration ${file.fileName}.`);
      }
    }
    return { applied, version: files.at(-1)?.version ?? 0 };
  } finally {
    await client.end().catch(() => undefined);
  }
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
       applied_at timestamptz not null default now()
     )`,
  );
}

async function applyOnce(
  client: pg.Client,
  { file, files }: { file: MigrationFile; files: MigrationFile[] },
): Promise<boolean> {
  return inTurn(client, async (transactionId) => {
    const applied = await checkApplied(client, files);
    if (applied.some((row) => row.version === file.version)) return false;
    const newest = applied.at(-1)?.version ?? 0;
    if (newest > file.version) {
      throw new MigrationError(
        `Migration ${file.fileName} is new, but version ${newest} is already applied. ` +
          'Give it a higher number.',
      );
    }
    await applyFile(client, file, transactionId);
    return true;
  });
}

/** Within the transaction with this id. */
export async function applyFile(
  client: pg.Client,
  file: MigrationFile,
  transactionId: string,
): Promise<void> {
  try {
    await client.query(file.sql);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`Migration ${file.fileName} failed: ${reason}`, error);
  }
  if ((await currentTransaction(client)) !== transactionId) {
    throw new MigrationError(
      `Migration ${file.fileName} ends its own transaction. Remove COMMIT and ROLLBACK from it.`,
    );
  }
  await client.query(
    'insert into millrace_migrations (version, name, checksum) values ($1, $2, $3)',
    [file.version, file.name, file.checksum],
  );
}

async function checkApplied(client: pg.Client, files: MigrationFile[]): Promise<AppliedRow[]> {
  const { rows } = await client.query<AppliedRow>(
    'select version, name, checksum from millrace_migrations order by version',
  );
  const known = files.at(-1)?.version ?? 0;
  const newest = rows.at(-1)?.version ?? 0;
  if (newest > known) throw new SchemaTooNewError(newest, known);
  for (const row of rows) {
    const file = files.find((each) => each.version === row.version);
    if (file?.checksum === row.checksum) continue;
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
