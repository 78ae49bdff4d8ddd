// Jobs that were cancelled while they ran, and whose worker died before it reported its tokens.
import type { Price } from '../../domain/usage/largest-cost.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { lockRuns } from '../runs/lock-runs.ts';
import { addToMonths } from '../usage/usage-months.ts';
import type { MonthDelta } from '../usage/usage-months.ts';
import { recordLostCalls } from './lost-calls.ts';
import type { LostAttempt } from './lost-calls.ts';

const BATCH = 100;

const FIND = `select id, run_id as "runId", team_id as "teamId" from jobs
  where status = 'failed' and settled_at is null and ended_at < now() - interval '60 seconds'
  order by ended_at limit ${BATCH}`;

// The self-join has the row as it was.
const SETTLE = `update jobs j set settled_at = now(), reserved_usd = null
  from jobs o where j.id = any($1) and o.id = j.id
  returning j.team_id as "teamId", (j.queued_at at time zone 'utc')::date::text as month,
    -o.reserved_usd as "reservedUsd"`;

/** Returns what is released of those that used nothing. */
async function settle(tx: Queryable, ids: readonly string[]): Promise<MonthDelta[]> {
  const { rows } = await tx.query<MonthDelta & { reservedUsd: number | null }>(SETTLE, [ids]);
  return rows.flatMap(({ reservedUsd, ...row }) =>
    reservedUsd === null ? [] : [{ ...row, reservedUsd }],
  );
}

/** Their calls are estimated from the text that had come. */
export async function settleAbandoned(db: Db, price: Price | undefined): Promise<void> {
  const { rows } = await db.query<RunKey & { id: string }>(FIND);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await db.tx(async (tx) => {
    await lockRuns(tx, rows);
    // Some may have been settled since.
    const open = await tx.query<LostAttempt>(
      'select id, attempt from jobs where id = any($1) and settled_at is null order by id for update',
      [ids],
    );
    await recordLostCalls(tx, open.rows, price);
    const abandoned = open.rows.map(({ id }) => id);
    await addToMonths(tx, await settle(tx, abandoned));
  });
}
