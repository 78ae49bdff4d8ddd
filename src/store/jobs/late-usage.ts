// Tokens of attempts that did not end their job: of a worker that drains, puts a job off, comes too
// late, or died. Written to the ledger once for each attempt, and added to the job, its run and the
// month, so that all of them say what the ledger adds up to.
//
// The calls of a worker that died are estimated. When it was only cut off and reports its tokens after
// all, they take the place of the estimate. The caller holds the runs of the jobs.
import { idNow } from '../../platform/ids.ts';
import type { Queryable, Statement } from '../postgres/db.ts';
import { rowset } from '../postgres/rowset.ts';
import { runKeyValues, withRun } from '../runs/lock-runs.ts';
import { settleCaps } from '../usage/run-caps.ts';
import type { MonthDelta } from '../usage/usage-months.ts';
import { mayHaveMoved } from './archived-jobs.ts';
import { usageColumns } from './job-outcome.ts';
import type { JobEnd } from './job-outcome.ts';

/** `lost`: an estimate. `late`: what a worker reported. */
export type LateOutcome = 'late' | 'lost';

const LATE_ROWS = rowset<JobEnd>(
  'v',
  {
    id: ['text', ({ jobId }) => jobId],
    attempt: ['int', ({ attempt }) => attempt ?? 0],
    ...usageColumns,
  },
  2,
);

const SUMS = ['tokens_input', 'tokens_output', 'tokens_cached', 'cost_usd', 'unpriced_calls'];
const sums = (text: (column: string) => string) => SUMS.map(text).join(', ');

/** Of a job that was cancelled while it ran: the attempt that ran then reports what it used. */
const SETTLES = `o.status = 'failed' and o.settled_at is null and o.attempt = d.attempt`;

const recordText = (
  jobs: 'jobs' | 'archived_jobs',
) => `with v as materialized (select * from ${LATE_ROWS.sql}),
    guessed as materialized (
      select l.* from usage_ledger l join v on v.id = l.job_id and v.attempt = l.attempt
      where l.outcome = 'lost' and $1 = 'late'
    ),
    ledger as (
      insert into usage_ledger as l (job_id, attempt, team_id, user_id, api_key_id, provider, model,
        tokens_input,
        tokens_output, tokens_cached, tokens_cache_write, cost_usd, unpriced_calls, estimated,
        is_single_call, outcome)
      select j.id, v.attempt, j.team_id, j.user_id, j.api_key_id, j.provider, j.model,
        v.tokens_input, v.tokens_output,
        v.tokens_cached, v.tokens_cache_write, v.cost_usd, v.unpriced_calls, v.estimated,
        j.kind = 'call' and j.run_id is null, $1
      from v join ${jobs} j on j.id = v.id
      on conflict (job_id, attempt) do update set tokens_input = excluded.tokens_input,
        tokens_output = excluded.tokens_output, tokens_cached = excluded.tokens_cached,
        tokens_cache_write = excluded.tokens_cache_write, cost_usd = excluded.cost_usd,
        unpriced_calls = excluded.unpriced_calls, estimated = excluded.estimated,
        outcome = excluded.outcome
      where l.outcome = 'lost' and excluded.outcome = 'late'
      returning l.*
    ),
    added as materialized (
      select l.job_id, l.attempt, l.team_id, l.provider, l.estimated, l.recorded_at,
        ${sums((column) => `coalesce(l.${column}, 0) - coalesce(g.${column}, 0) as ${column}`)},
        v.partial_output, v.text_generation, v.saved_usd, v.tokens_reasoning
      from ledger l join v on v.id = l.job_id and v.attempt = l.attempt
      left join guessed g on g.job_id = l.job_id and g.attempt = l.attempt
    ),
    by_job as materialized (
      select job_id, max(attempt) as attempt, bool_or(estimated) as estimated,
        array_agg(attempt) as attempts, ${sums((column) => `sum(${column}) as ${column}`)},
        sum(saved_usd) as saved_usd, sum(tokens_reasoning) as tokens_reasoning,
        (array_agg(partial_output order by attempt desc))[1] as partial_output,
        (array_agg(text_generation order by attempt desc))[1] as text_generation
      from added group by job_id
    ),
    jobs_updated as (
      update ${jobs} j set tokens_input = j.tokens_input + d.tokens_input,
        tokens_output = j.tokens_output + d.tokens_output,
        tokens_cached = j.tokens_cached + d.tokens_cached,
        tokens_reasoning = j.tokens_reasoning + d.tokens_reasoning,
        cost_usd = coalesce(j.cost_usd, 0) + d.cost_usd,
        unpriced_calls = j.unpriced_calls + d.unpriced_calls,
        saved_usd = coalesce(j.saved_usd + d.saved_usd, j.saved_usd, d.saved_usd),
        usage_estimated = d.estimated or exists (
          select 1 from usage_ledger o
          where o.job_id = j.id and o.attempt <> all(d.attempts) and o.estimated),
        partial_output = case when t.is_better then d.partial_output else j.partial_output end,
        text_generation = case when t.is_better then d.text_generation else j.text_generation end,
        settled_at = case when t.settles then now() else j.settled_at end,
        reserved_usd = case when t.settles then null else j.reserved_usd end,
        used_so_far = case when t.settles then null else j.used_so_far end
      from by_job d join ${jobs} o on o.id = d.job_id cross join lateral (
        select o.status = 'failed' and o.attempt = d.attempt and d.partial_output is not null
          and length(d.partial_output) >= length(coalesce(o.partial_output, '')) as is_better,
          ${SETTLES} as settles) t
      where j.id = d.job_id
    ),
    caps_settled as (
      ${settleCaps(`select o.team_id, o.run_id, o.stream_id,
          case when o.simulated then 0 else d.cost_usd end as cost_usd,
          case when ${SETTLES} then o.reserved_usd end as released_usd
        from by_job d join ${jobs} o on o.id = d.job_id where o.run_id is not null`)}
    ),
    runs_updated as (
      update runs r set tokens_input = r.tokens_input + d.tokens_input,
        tokens_output = r.tokens_output + d.tokens_output, cost_usd = r.cost_usd + d.cost_usd,
        unpriced_calls = r.unpriced_calls + d.unpriced_calls
      from (select j.team_id, j.run_id, ${sums((column) => `sum(b.${column}) as ${column}`)}
            from by_job b join ${jobs} j on j.id = b.job_id group by j.team_id, j.run_id) d
      where r.team_id = d.team_id and r.id = d.run_id
    )
    select team_id as "teamId", (recorded_at at time zone 'utc')::date::text as month, sum(tokens_input)::float8 as "tokensInput",
      sum(tokens_output)::float8 as "tokensOutput", sum(tokens_cached)::float8 as "tokensCached",
      coalesce(sum(cost_usd) filter (where provider <> 'simulator'), 0) as "costUsd", null::float8 as "reservedUsd"
    from added group by 1, 2
    union all
    select o.team_id, (o.queued_at at time zone 'utc')::date::text, 0, 0, 0, 0, -o.reserved_usd
    from by_job d join ${jobs} o on o.id = d.job_id
    where o.reserved_usd is not null and ${SETTLES}`;

const RECORD = { name: 'record_late_usage', text: recordText('jobs') };

/** Of a worker that was cut off for so long that its job has moved. */
const RECORD_MOVED = { text: recordText('archived_jobs') };

const UPDATE_ESTIMATED = `update runs r set archived_estimated = exists (
    select 1 from archived_jobs j where j.team_id = r.team_id and j.run_id = r.id and j.usage_estimated
      and j.id between r.archived_from and r.archived_to)
  from unnest($1::text[], $2::text[]) v(team_id, id)
  where r.team_id = v.team_id and r.id = v.id and r.archived_from is not null`;

async function record(
  tx: Queryable,
  statement: Statement,
  attempts: readonly JobEnd[],
  outcome: LateOutcome,
): Promise<MonthDelta[]> {
  const { rows } = await tx.query<MonthDelta & { reservedUsd: number | null }>(statement, [
    outcome,
    ...LATE_ROWS.values(attempts),
  ]);
  return rows.map(({ reservedUsd, ...delta }) =>
    reservedUsd === null ? delta : { ...delta, reservedUsd },
  );
}

/** Returns what must be added to the months of the teams. */
export async function recordLateUsage(
  tx: Queryable,
  attempts: readonly JobEnd[],
  outcome: LateOutcome,
): Promise<MonthDelta[]> {
  if (attempts.length === 0) return [];
  const deltas = await record(tx, RECORD, attempts, outcome);
  const old = attempts.filter(({ jobId }) => mayHaveMoved(jobId, idNow()));
  if (old.length === 0) return deltas;
  const ofMoved = await record(tx, RECORD_MOVED, old, outcome);
  if (ofMoved.length > 0) await tx.query(UPDATE_ESTIMATED, runKeyValues(withRun(old)));
  return [...deltas, ...ofMoved];
}
