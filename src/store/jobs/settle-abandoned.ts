// Jobs that were cancelled while they ran, and whose worker died before it told its tokens.
import type { Price } from '../../domain/execution/budget.ts';
import type { Db } from '../postgres/db.ts';
import { lockRuns } from '../runs/lock-runs.ts';
import { recordLostCalls } from './lost-calls.ts';
import type { LostAttempt } from './lost-calls.ts';

const BATCH = 100;

const FIND = `select id, run_id from jobs
  where status = 'failed' and settled_at is null and ended_at < now() - interval '60 seconds'
  order by ended_at limit ${BATCH}`;

/** Their calls are estimated from the text that had come. */
export async function settleAbandoned(db: Db, price: Price | undefined): Promise<void> {
  const { rows } = await db.query<{ id: string; run_id: string }>(FIND);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await db.tx(async (tx) => {
    await lockRuns(
      tx,
      rows.map((row) => row.run_id),
    );
    // Some may have been settled since.
    const open = await tx.query<LostAttempt>(
      'select id, attempt from jobs where id = any($1) and settled_at is null order by id for update',
      [ids],
    );
    await recordLostCalls(tx, open.rows, price);
    const abandoned = open.rows.map(({ id }) => id);
    await tx.query('update jobs set settled_at = now() where id = any($1)', [abandoned]);
  });
}
