// The one connection that a backup is read or restored on, in one transaction.
import pg from 'pg';
import { clientConfig, endWithin, runOn } from '../postgres/connection.ts';
import type { Queryable } from '../postgres/db.ts';

const GOODBYE_MS = 3_000;

/** Named, so that a restore can tell servers from commands that only look. */
export async function withClient<T>(
  url: string,
  name: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  // No time limit: a large table takes as long as it takes.
  const config = clientConfig({ url, prepared: false, queryTimeoutMs: 0 });
  const client = new pg.Client({ ...config, application_name: name });
  // Queries in flight reject on their own; this only keeps the event from ending the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await endWithin(client, GOODBYE_MS).catch(() => undefined);
  }
}

/** How values are written must not depend on the settings of a server, a database or a user. */
const SAME_EVERYWHERE = `set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres';
  set local extra_float_digits = 1; set local bytea_output = 'hex';
  set local synchronize_seqscans = off`;

export async function setFormats(client: pg.Client): Promise<void> {
  await client.query(SAME_EVERYWHERE);
}

export function queryableOf(client: pg.Client): Queryable {
  return { query: (statement, values) => runOn(client, statement, { values, prepared: false }) };
}

/** Those of ours that there are, with the columns that can be written. */
export async function listColumns(
  client: pg.Client,
  tables: readonly string[],
): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
       and c.relname = any($1) and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by c.relname`,
    [tables],
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => pg.escapeIdentifier(name)).join(', ');
}
