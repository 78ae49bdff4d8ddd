// Jobs that were cancelled while they ran, and whose worker died before it reported its tokens.
import type { Price } from '../../domain/usage/largest-cost.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { lockRuns, withRun } from '../runs/lock-runs.ts';
import { addToMonths } from '../usage/usage-months.ts';
import { settleCaps } from '../usage/run-caps.ts';
import type { MonthDelta } from '../usage/usage-months.ts';
import { LOST_CODE } from './job-outcome.ts';
import { recordLostCalls } from './lost-calls.ts';
import type { LostAttempt } from './lost-calls.ts';

const BATCH = 100;

// Of a call that died with its process nothing more will come, so it is not waited for.
const FIND = `select id, run_id as "runId", team_id as "teamId" from jobs
  where status = 'failed' and settled_at is null
    and (ended_at < now() - interval '60 seconds' or error_code = '${LOST_CODE}')
  order by ended_at limit ${BATCH}`;

// The self-join has the row as it was.
const SETTLE = `with settled as (
    update jobs j set settled_at = now(), reserved_usd = null, used_so_far = null
    from jobs o where j.id = any($1) and o.id = j.id
    returning j.team_id, j.run_id, j.stream_id, j.queued_at, o.reserved_usd as released_usd
  ),
  caps_settled as (
    ${settleCaps(`select team_id, run_id, stream_id, 0::float8 as cost_usd, released_usd
      from settled where run_id is not null`)}
  )
  select team_id as "teamId", (queued_at at time zone 'utc')::date::text as month,
    -released_usd as "reservedUsd" from settled`;

/** Returns what is released of those that used nothing. */
async function settle(tx: Queryable, ids: readonly string[]): Promise<MonthDelta[]> {
  const { rows } = await tx.query<MonthDelta & { reservedUsd: number | null }>(SETTLE, [ids]);
  return rows.flatMap(({ reservedUsd, ...row }) =>
    reservedUsd === null ? [] : [{ ...row, reservedUsd }],
  );
}

/** Their calls are estimated from the text that had come. */
export async function settleAbandoned(db: Db, price: Price | undefined): Promise<void> {
  const { rows } = await db.query<{ id: string; teamId: string; runId: string | null }>(FIND);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await db.tx(async (tx) => {
    await lockRuns(tx, withRun(rows));
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
