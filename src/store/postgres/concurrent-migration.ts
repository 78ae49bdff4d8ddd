// Migrations that cannot run in a transaction: indexes that are built, and constraints that are checked, while
// everybody keeps writing. Each of their statements may be done already, because the server that did it may have
// died before it could record it.
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { MigrationError } from './migration-error.ts';
import type { MigrationFile } from './migration-files.ts';
import { splitStatements } from './sql-statements.ts';

/** Not the key of other migrations: an index waits for every statement that began before it, such as one that waits for that key. */
const BUILD_KEY = 7_246_130_553;
const LOOK_EVERY_MS = 500;
/** An index of a large table may take long, and a node that starts meanwhile can only wait. */
const WAIT_FOR_OTHERS_MS = 3_600_000;

const CREATE_INDEX =
  /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\s/i;
const OTHERS =
  /^(?:drop\s+index\s+concurrently\s+if\s+exists|alter\s+table\s+\w+\s+validate\s+constraint)\s/i;

/** The same in a transaction, for a database that nobody uses yet. */
export function insideTransaction(sql: string): string {
  return splitStatements(sql)
    .map((statement) => `${statement.replace(/\bconcurrently\b/i, '')};`)
    .join('\n');
}

/** True when there is nothing left to do; one whose making was cut short is removed. */
async function isBuilt(client: pg.Client, index: string): Promise<boolean> {
  const { rows } = await client.query<{ valid: boolean }>(
    `select i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relname = lower($1) and pg_table_is_visible(c.oid)`,
    [index],
  );
  if (rows[0]?.valid === false) await client.query(`drop index concurrently if exists ${index}`);
  return rows[0]?.valid === true;
}

async function runStatements(client: pg.Client, { fileName, sql }: MigrationFile): Promise<void> {
  for (const statement of splitStatements(sql)) {
    const [, index] = CREATE_INDEX.exec(statement) ?? [];
    if (index === undefined && !OTHERS.test(statement)) {
      throw new MigrationError(
        `Migration ${fileName} runs outside a transaction, where only these statements are allowed: create index ` +
          'concurrently with a name, drop index concurrently if exists, alter table ... validate constraint.',
      );
    }
    if (index !== undefined && (await isBuilt(client, index))) continue;
    await client.query(statement);
  }
}

async function build(client: pg.Client, file: MigrationFile): Promise<void> {
  await client.query('set statement_timeout = 0');
  try {
    await runStatements(client, file);
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(`Migration ${file.fileName} failed: ${reason}`, error);
  } finally {
    await client.query('reset statement_timeout').catch(() => undefined);
  }
}

export interface OutsideDeps {
  client: pg.Client;
  /** Another session. */
  connect(): Promise<pg.Client>;
  isApplied(): Promise<boolean>;
  record(): Promise<void>;
}

/**
 * True when this node applied it. The lock is in a transaction of another session that does nothing else: it
 * ends with this process, works behind a pooler, and has no snapshot that an index would wait for.
 */
export async function applyOutside(file: MigrationFile, deps: OutsideDeps): Promise<boolean> {
  for (const end = performance.now() + WAIT_FOR_OTHERS_MS; performance.now() < end;) {
    if (await deps.isApplied()) return false;
    const holder = await deps.connect();
    try {
      await holder.query('begin; set local idle_in_transaction_session_timeout = 0');
      // Without parameters: a statement with some would keep its snapshot until the next one.
      const { rows } = await holder.query<{ isMine: boolean }>(
        `select pg_try_advisory_xact_lock(${BUILD_KEY}) as "isMine"`,
      );
      if (rows[0]?.isMine) {
        // Another node may have been just about to say so.
        if (await deps.isApplied()) return false;
        await build(deps.client, file);
        await deps.record();
        return true;
      }
    } finally {
      await holder.end().catch(() => undefined);
    }
    await delay(LOOK_EVERY_MS);
  }
  throw new MigrationError(
    `Migration ${file.fileName} is being applied by another server for more than an hour. Look at its log, and start this one when it is done.`,
  );
}
