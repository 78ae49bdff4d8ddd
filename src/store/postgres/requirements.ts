// What a database must have for Millrace to run on it at all.
import type pg from 'pg';
import { DatabaseUnsuitableError, sqlState } from './errors.ts';

const OLDEST_SERVER = 14;

interface ServerRow {
  number: string;
  version: string;
  isReadOnly: boolean;
  role: string;
  /** Null when the first schema of the search path does not exist. */
  schema: string | null;
  mayCreateTables: boolean | null;
}

const FIND_SERVER = `select current_setting('server_version_num') as number,
  current_setting('server_version') as version,
  current_setting('transaction_read_only') = 'on' as "isReadOnly",
  current_user::text as role, current_schema()::text as schema,
  has_schema_privilege(current_schema(), 'create') as "mayCreateTables"`;

/** Throws with what is missing, and what to do about it. */
export async function checkServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<ServerRow>(FIND_SERVER);
  const problem = rows[0] ? problemOf(rows[0]) : 'The database did not say what it is.';
  if (problem !== undefined) throw new DatabaseUnsuitableError(problem);
}

function problemOf(server: ServerRow): string | undefined {
  const { role, schema } = server;
  if (!(Number(server.number) >= OLDEST_SERVER * 10_000)) {
    return (
      `Millrace needs PostgreSQL ${OLDEST_SERVER} or newer; this server is ${server.version}. ` +
      'Upgrade it, or unset DATABASE_URL to use the embedded one.'
    );
  }
  if (server.isReadOnly) {
    return 'The database is read-only: a standby, or set so for this role. Point DATABASE_URL to the primary.';
  }
  if (schema === null) {
    return `The role ${role} has no schema to create tables in. Create the first one of its search_path.`;
  }
  if (server.mayCreateTables !== true) {
    return `The role ${role} may not create tables. Run: grant create on schema ${schema} to ${role}`;
  }
  return undefined;
}

export function noSkipLocked(cause?: unknown): DatabaseUnsuitableError {
  return new DatabaseUnsuitableError(
    'Millrace needs SELECT ... FOR UPDATE SKIP LOCKED, which this database does not have. ' +
      `Use PostgreSQL ${OLDEST_SERVER} or newer.`,
    cause,
  );
}

/** Before anything is created that would not be of use. */
export async function checkSkipLocked(client: pg.ClientBase, table: string): Promise<void> {
  try {
    await client.query(`select 1 from ${table} where false for update skip locked`);
  } catch (error) {
    if (/^(0A|42)/.test(sqlState(error) ?? '')) throw noSkipLocked(error);
    throw error;
  }
}
