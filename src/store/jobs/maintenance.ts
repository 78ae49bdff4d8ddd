// Housekeeping that any node may do at any time, several at once included.
import type { Price } from '../../domain/execution/execution-budget.ts';
import type { Db } from '../postgres/db.ts';
import { deleteStrayText } from './job-text.ts';
import { deleteStrayWaits } from './wait-feed.ts';
import type { Queue } from './queue.ts';
import { deleteIdleBuckets } from '../usage/rate-limits.ts';
import { settleAbandoned } from './settle-abandoned.ts';

/** Virtual times are message priorities, which are 32-bit: start over well before they run out. */
const VIRTUAL_TIME_LIMIT = 1_000_000_000;

export async function rebaseVirtualTimes(db: Db, queue: Queue): Promise<boolean> {
  const { rows } = await db.query<{ virtual_time: number }>('select virtual_time from queue_clock');
  if ((rows[0]?.virtual_time ?? 0) < VIRTUAL_TIME_LIMIT) return false;
  return db.tx(async (tx) => {
    // Submits lock their team's row first: with all of them locked, nobody adds old times.
    await tx.query('select team_id from team_queue order by team_id for update');
    const clock = await tx.query<{ virtual_time: number }>('select virtual_time from queue_clock');
    const offset = clock.rows[0]?.virtual_time ?? 0;
    if (offset < VIRTUAL_TIME_LIMIT) return false;
    await tx.query(
      `update team_queue set finish_times =
         array(select greatest(0, t - $1) from unnest(finish_times) with ordinality u(t, i) order by i)`,
      [offset],
    );
    // Messages before the clock, as in a claim, which may move the clock on meanwhile.
    await queue.shiftVirtualTimes(tx, offset);
    await tx.query('update queue_clock set virtual_time = virtual_time - $1', [offset]);
    return true;
  });
}

export async function cleanUp(db: Db, price?: Price): Promise<void> {
  await settleAbandoned(db, price);
  await deleteStrayText(db);
  await deleteStrayWaits(db);
  await deleteIdleBuckets(db);
  await db.query(
    `delete from idempotency_keys where ctid in (
       select ctid from idempotency_keys where created_at < now() - interval '24 hours' limit 10000)`,
  );
}
