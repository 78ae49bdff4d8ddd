// Months of ended jobs that nobody keeps any more go whole: a partition is dropped, whatever is in it. Their runs go
// after them, in small steps.
import { monthOf } from '../../domain/job/tiers.ts';
import type { Tiers } from '../../domain/job/tiers.ts';
import { listPartitions, monthOfPartition } from '../jobs/archive-partitions.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { sqlState } from '../postgres/errors.ts';
import { IS_EXPIRED, IS_KEPT, KEPT, keptValues } from './kept-days.ts';

// A transaction that waits for a lock on the whole table makes all its readers wait.
const LOCK_TIMEOUT = '200ms';

async function found(tx: Queryable, text: string, values: readonly unknown[]): Promise<boolean> {
  const { rows } = await tx.query<{ found: boolean }>(
    `with ${KEPT} select ${text} as found`,
    values,
  );
  return rows[0]?.found === true;
}

/** Cheap: one look into an index for each team that keeps the month, until one has jobs in it. */
const hasKeeper = (partition: string) => `$3::timestamptz > now() or exists (select 1 from kept k
  where ${IS_KEPT} and exists (select 1 from ${partition} j where j.team_id = k.id))`;

/** A run may have ended long after its month. */
const hasKeptRun = (partition: string) => `exists (select 1 from ${partition} j
  join runs r on r.team_id = j.team_id and r.id = j.run_id join kept k on k.id = r.team_id
  where k.days is null or not ${IS_EXPIRED})`;

async function dropIfExpired(db: Db, partition: string, tiers: Tiers): Promise<boolean> {
  const month = monthOfPartition(partition);
  if (month === undefined) return false;
  const values = keptValues(tiers);
  if (await found(db, hasKeeper(partition), [...values, monthOf(month).end])) return false;
  return db.tx(async (tx) => {
    await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    // Nothing is moved into it any more; readers are not kept out.
    await tx.query(`lock table ${partition} in share row exclusive mode`);
    if (await found(tx, hasKeptRun(partition), values)) return false;
    await tx.query(
      `insert into discarded_texts (key, due_at)
       select texts_key, now() from ${partition} where texts_key is not null
       on conflict (key) do update set due_at = excluded.due_at`,
    );
    await tx.query(`drop table ${partition}`);
    return true;
  });
}

/** The lock did not come, another node was faster, or it took too long: the next round tries again. */
const LATER = new Set(['55P03', '42P01', '57014', '40P01']);

/** Returns the names of the partitions that are gone. */
export async function dropExpiredMonths(db: Db, tiers: Tiers): Promise<string[]> {
  const dropped: string[] = [];
  for (const partition of await listPartitions(db)) {
    try {
      if (await dropIfExpired(db, partition, tiers)) dropped.push(partition);
    } catch (error) {
      if (!LATER.has(sqlState(error) ?? '')) throw error;
    }
  }
  return dropped;
}
