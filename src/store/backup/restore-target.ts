// The database that a backup is restored into: whether it may be, and making room in it.
import type pg from 'pg';
import { BackupError } from './backup-error.ts';
import { isServed } from '../jobs/nodes.ts';
import { listColumns, queryableOf, quoted } from './session.ts';
import { BACKED_UP_TABLES, LEFT_OUT_TABLES, MIGRATIONS_TABLE } from './tables.ts';

const OURS = [...BACKED_UP_TABLES, ...LEFT_OUT_TABLES, MIGRATIONS_TABLE];

/** What people would miss. A server that was only started once has none of it. */
const COUNTED = ['users', 'runs', 'jobs'] as const;

export type DataCounts = Partial<Record<(typeof COUNTED)[number], number>>;

export function describeCounts(counts: DataCounts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');
}

/** Empty when nothing is there that anybody would miss. */
export async function countData(client: pg.Client): Promise<DataCounts> {
  const tables = await listColumns(client, COUNTED);
  const counts: DataCounts = {};
  for (const name of COUNTED) {
    if (!tables.has(name)) continue;
    const { rows } = await client.query<{ count: number }>(`select count(*) as count from ${name}`);
    if (rows[0] !== undefined && rows[0].count > 0) counts[name] = rows[0].count;
  }
  return counts;
}

export async function checkUnused(client: pg.Client): Promise<void> {
  const hasTables = (await listColumns(client, ['nodes'])).has('nodes');
  if (!(await isServed(queryableOf(client), { hasTables }))) return;
  throw new BackupError(
    'DATABASE_IN_USE',
    'A Millrace server is using this database. Stop every server, and restore again. If one was killed, wait ten seconds first, or two more than its MILLRACE_DATABASE_SILENCE_SECONDS.',
  );
}

/** Tables of others in the same schema stay. */
export async function dropOurs(client: pg.Client): Promise<void> {
  const found = [...(await listColumns(client, OURS)).keys()];
  // All at once, because they refer to each other.
  if (found.length > 0) await client.query(`drop table ${quoted(found)}`);
  await client.query('drop function if exists audit_events_stay()');
}
