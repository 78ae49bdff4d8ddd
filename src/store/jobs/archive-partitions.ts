// The partitions of `archived_jobs`, one for each month of UTC, named after it.
import { monthOf } from '../../domain/job/tiers.ts';
import { firstIdAt } from '../../platform/ids.ts';
import type { Queryable } from '../postgres/db.ts';

export const ARCHIVED_JOBS = 'archived_jobs';

/** Any fixed number: two servers that make the same partition take turns. */
const MAKING = 7_246_130_553;

/** As in archived_jobs_2026_11. */
export function partitionOf(at: Date): string {
  const month = String(at.getUTCMonth() + 1).padStart(2, '0');
  return `${ARCHIVED_JOBS}_${String(at.getUTCFullYear()).padStart(4, '0')}_${month}`;
}

/** A moment of the month that a partition is named after; undefined for any other name. */
export function monthOfPartition(name: string): Date | undefined {
  const [, year, month] = /^archived_jobs_(\d{4})_(\d{2})$/.exec(name) ?? [];
  if (year === undefined || Number(month) < 1 || Number(month) > 12) return undefined;
  const at = new Date(0);
  at.setUTCFullYear(Number(year), Number(month) - 1, 1);
  return at;
}

/**
 * Makes the partition of a month unless it is there. Made apart and then attached: readers of the other
 * partitions are not locked out.
 */
export async function ensurePartition(tx: Queryable, at: Date): Promise<void> {
  const name = partitionOf(at);
  const exists = async () => {
    const { rows } = await tx.query<{ found: boolean }>(
      'select to_regclass($1) is not null as found',
      [name],
    );
    return rows[0]?.found === true;
  };
  if (await exists()) return;
  await tx.query('select pg_advisory_xact_lock($1::bigint)', [MAKING]);
  if (await exists()) return;
  const { start, end } = monthOf(at);
  await tx.query(`create table ${name} (like ${ARCHIVED_JOBS} including all)`);
  await tx.query(
    `alter table ${ARCHIVED_JOBS} attach partition ${name}
     for values from ('${firstIdAt('job', start)}') to ('${firstIdAt('job', end)}')`,
  );
}

/** Oldest first. */
export async function listPartitions(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass('${ARCHIVED_JOBS}') order by 1`,
  );
  return rows.map(({ name }) => name);
}
