// How a job can end and with what, and the statement that writes it.
import { knownCost } from '../../domain/usage/known-cost.ts';
import type { ServiceTier } from '../../contract/fields.ts';
import type { StopReason } from '../../contract/job-api.ts';
import type { JobCode } from '../../contract/job-codes.ts';
import { toJsonText } from '../postgres/json-text.ts';
import { rowset } from '../postgres/rowset.ts';
import { settleCaps } from '../usage/run-caps.ts';

export interface UsedTokens {
  input: number;
  output: number;
  /** Of the output: what went into thinking. */
  reasoning?: number;
  cacheRead: number;
  cacheWrite: number;
  estimated: boolean;
  /** Of the calls whose price is known. */
  costUsd: number;
  unpricedCalls: number;
  /** What caching saved; null when nothing was cached or there is no price. */
  savedUsd?: number | null;
}

export const NOTHING_USED: UsedTokens = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  estimated: false,
  costUsd: 0,
  unpricedCalls: 0,
  savedUsd: null,
};

export type JobEnding =
  | {
      kind: 'completed';
      stopReason: StopReason;
      /** JSON text. */
      output: string;
      artifact: string | undefined;
      filesChanged: string;
      /** JSON text, like opaqueAnswer: of a turn of a conversation. */
      toolCalls?: string | undefined;
      opaqueAnswer?: string | undefined;
    }
  | { kind: 'failed'; error: string; errorCode: JobCode }
  | { kind: 'cancelled' }
  /** Not an end: an attempt that was given up reports what it used. */
  | { kind: 'usage_only' };

/** Of a job whose own time is over, whether it waited or ran. */
export function timedOut(timeoutMs: number): JobEnding {
  return { kind: 'failed', error: `Job timed out after ${timeoutMs} ms`, errorCode: 'TIMEOUT' };
}

export interface JobEnd {
  jobId: string;
  /** Null of a call that belongs to no run. */
  runId: string | null;
  teamId: string;
  /** The execution that the job belongs to, which its end moves on. */
  executionId?: string | null;
  /** The attempt that ends; undefined ends the job whichever attempt is on (cancel, deadline). */
  attempt: number | undefined;
  ending: JobEnding;
  used: UsedTokens | undefined;
  /** The tier whose price the answer has, of a job that requested one. */
  usedServiceTier?: ServiceTier | undefined;
  /** What had come of an answer that will not be completed: it was paid for. */
  text?: string;
  textGeneration: number;
}

/** Enough for the longest answers; what is beyond it is not kept. In UTF-16 units. */
export const MAX_PARTIAL_OUTPUT = 1024 * 1024;

export const CANCELLED_ERROR = 'Job cancelled';
export const CANCELLED_CODE = 'CANCELLED' as const satisfies JobCode;
export const LOST_CODE = 'WORKER_LOST' as const satisfies JobCode;

const failure = ({ ending }: JobEnd): { error: string; code: JobCode } | undefined => {
  if (ending.kind === 'failed') return { error: ending.error, code: ending.errorCode };
  if (ending.kind === 'cancelled') return { error: CANCELLED_ERROR, code: CANCELLED_CODE };
  return undefined;
};
const completed = ({ ending }: JobEnd) => (ending.kind === 'completed' ? ending : undefined);

export const usageColumns: Parameters<typeof rowset<JobEnd>>[1] = {
  tokens_input: ['int', ({ used }) => used?.input ?? 0],
  tokens_output: ['int', ({ used }) => used?.output ?? 0],
  tokens_cached: ['int', ({ used }) => used?.cacheRead ?? 0],
  tokens_reasoning: ['int', ({ used }) => used?.reasoning ?? 0],
  tokens_cache_write: ['int', ({ used }) => used?.cacheWrite ?? 0],
  cost_usd: [
    'float8',
    ({ used }) => (used === undefined ? 0 : knownCost(used.costUsd, used.unpricedCalls)),
  ],
  unpriced_calls: ['int', ({ used }) => used?.unpricedCalls ?? 0],
  estimated: ['boolean', ({ used }) => used?.estimated ?? false],
  saved_usd: ['float8', ({ used }) => used?.savedUsd],
  partial_output: [
    'text',
    ({ text, ending }) =>
      text === undefined || text === '' || ending.kind === 'completed'
        ? undefined
        : toJsonText(text.slice(0, MAX_PARTIAL_OUTPUT)),
  ],
  text_generation: ['smallint', ({ textGeneration }) => textGeneration],
};

export const END_ROWS = rowset<JobEnd>('v', {
  id: ['text', ({ jobId }) => jobId],
  fence: ['int', ({ attempt }) => attempt],
  status: ['text', ({ ending }) => (ending.kind === 'completed' ? 'completed' : 'failed')],
  cancelled: ['boolean', ({ ending }) => ending.kind === 'cancelled'],
  output: ['text', (job) => completed(job)?.output],
  artifact: ['text', (job) => completed(job)?.artifact],
  files_changed: ['text', (job) => completed(job)?.filesChanged],
  tool_calls: ['text', (job) => completed(job)?.toolCalls],
  opaque_answer: ['text', (job) => completed(job)?.opaqueAnswer],
  error: ['text', (job) => (failure(job) ? toJsonText(failure(job)!.error) : undefined)],
  error_code: ['text', (job) => failure(job)?.code],
  stop_reason: ['text', (job) => completed(job)?.stopReason],
  used_service_tier: ['text', ({ usedServiceTier }) => usedServiceTier],
  has_usage: ['boolean', ({ used }) => used !== undefined],
  ...usageColumns,
});

/** A call of a process that died is estimated like one that was cancelled. */
const IS_UNSETTLED = `o.was = 'running' and not v.has_usage
  and (v.cancelled or j.kind = 'call' and v.error_code = '${LOST_CODE}')`;

// Tokens and cost are added to those of earlier attempts: the job shows what the ledger adds up to.
// The text of a job that will not be completed stays with it: as its worker reports it, else as far as
// it was written for readers.
//
// `settled_at` stays empty when a running job is cancelled: its worker has yet to report the tokens. What was
// reserved for it stays so, too.
//
// A run gives its quota back when it ends without ever having worked, or when the server lost
// every one of its jobs. That it has is a fact of its row: without a month it has nothing more to
// give. Jobs that have moved since were not lost. The state and the quota of an execution's run are left to the execution, whose jobs come one
// after the other.
export const END_JOBS = {
  name: 'end_jobs',
  text: `with v as materialized (select * from ${END_ROWS.sql}),
    open as materialized (
      select id, status as was, attempt as was_attempt, parked as was_parked,
        reserved_usd as was_reserved_usd from jobs
      where id in (select id from v) and status in ('pending', 'running') order by id for update
    ),
    written as materialized (
      select t.job_id, t.generation,
        '"' || string_agg(substr(t.chunk, 2, length(t.chunk) - 2), '' order by t.start_offset)
          || '"' as text
      from streamed_text t
      where t.job_id in (select id from v where status = 'failed' and partial_output is null)
        and t.start_offset < ${MAX_PARTIAL_OUTPUT}
        and t.generation = (select max(m.generation) from streamed_text m where m.job_id = t.job_id)
      group by t.job_id, t.generation
    ),
    ended as (
      update jobs j set status = v.status, output = v.output, artifact = v.artifact,
        files_changed = v.files_changed, tool_calls = v.tool_calls, opaque_answer = v.opaque_answer, error = v.error, error_code = v.error_code,
        stop_reason = v.stop_reason, used_service_tier = v.used_service_tier, partial_output = coalesce(v.partial_output, written.text),
        text_generation = coalesce(written.generation, v.text_generation),
        tokens_input = j.tokens_input + v.tokens_input,
        tokens_output = j.tokens_output + v.tokens_output,
        tokens_cached = j.tokens_cached + v.tokens_cached,
        tokens_reasoning = j.tokens_reasoning + v.tokens_reasoning,
        cost_usd = coalesce(j.cost_usd, 0) + coalesce(v.cost_usd, 0),
        unpriced_calls = j.unpriced_calls + v.unpriced_calls,
        saved_usd = coalesce(j.saved_usd + v.saved_usd, j.saved_usd, v.saved_usd),
        usage_estimated = j.usage_estimated or v.estimated, sealed_key = null,
        used_so_far = case when ${IS_UNSETTLED} then j.used_so_far end,
        ended_at = now(), node_id = null, parked = false, virtual_time = null, start_after = null,
        settled_at = case when ${IS_UNSETTLED} then null else now() end,
        reserved_usd = case when ${IS_UNSETTLED} then j.reserved_usd end
      from v join open o on o.id = v.id left join written on written.job_id = v.id
      where j.id = v.id and (v.fence is null or (j.attempt = v.fence and j.status = 'running'))
      returning j.id, j.kind, j.team_id, j.user_id, j.api_key_id, j.run_id, j.stream_id, j.provider, j.model, j.simulated, j.attempt, j.execution_id,
        j.max_tokens, o.was, case when not (${IS_UNSETTLED}) then o.was_reserved_usd end as released_usd,
        j.queued_at,
        o.was_parked, v.status, v.cancelled, v.error_code, v.has_usage, v.tokens_input, v.tokens_output,
        v.tokens_cached, v.tokens_cache_write, v.cost_usd, v.unpriced_calls, v.estimated
    ),
    ledger as (
      insert into usage_ledger (job_id, attempt, team_id, user_id, api_key_id, provider, model, tokens_input,
        tokens_output, tokens_cached, tokens_cache_write, cost_usd, unpriced_calls, estimated,
        is_single_call, outcome)
      select id, attempt, team_id, user_id, api_key_id, provider, model, tokens_input,
        tokens_output, tokens_cached,
        tokens_cache_write, cost_usd, unpriced_calls, estimated,
        kind = 'call' and run_id is null, coalesce(error_code, 'completed')
      from ended where has_usage on conflict do nothing
    ),
    text_removed as (delete from streamed_text where job_id in (select id from ended)),
    by_run as (
      select team_id, run_id, min(id) as first_job, count(*) as jobs, count(*) filter (where status = 'failed') as failed,
        count(*) filter (where cancelled) as cancelled,
        count(*) filter (where error_code = '${LOST_CODE}') as lost,
        sum(tokens_input) as tokens_input, sum(tokens_output) as tokens_output,
        sum(coalesce(cost_usd, 0)) as cost_usd, sum(unpriced_calls) as unpriced_calls
      from ended where run_id is not null group by team_id, run_id
    ),
    caps_settled as (
      ${settleCaps(`select team_id, run_id, stream_id, case when simulated then 0 else cost_usd end as cost_usd,
        released_usd from ended where run_id is not null`)}
    ),
    refunds as (
      select r.team_id, r.id, b.first_job, r.quota_month as month
      from runs r join by_run b on b.team_id = r.team_id and b.run_id = r.id
      where r.quota_month is not null and r.source <> 'execution' and r.open_jobs = b.jobs
        and ((not r.worked and r.status = 'pending')
        or (b.lost = b.jobs and r.archived_from is null and not exists (
              select 1 from jobs j where j.team_id = r.team_id and j.run_id = r.id and j.status in ('completed', 'failed')
                and j.error_code is distinct from '${LOST_CODE}')))
    ),
    runs_updated as (
      update runs r set open_jobs = r.open_jobs - b.jobs, failed_jobs = r.failed_jobs + b.failed,
        cancelled_jobs = r.cancelled_jobs + b.cancelled,
        quota_month = case when (r.team_id, r.id) in (select team_id, id from refunds) then null else r.quota_month end,
        tokens_input = r.tokens_input + b.tokens_input,
        tokens_output = r.tokens_output + b.tokens_output, cost_usd = r.cost_usd + b.cost_usd,
        unpriced_calls = r.unpriced_calls + b.unpriced_calls,
        status = case
          when r.open_jobs > b.jobs or r.source = 'execution' then r.status
          when r.failed_jobs + b.failed > r.cancelled_jobs + b.cancelled then 'failed'
          when r.cancelled_jobs + b.cancelled > 0 then 'cancelled'
          else 'complete' end,
        ended_at = case when r.source = 'execution' then r.ended_at
          when r.open_jobs > b.jobs then null else now() end,
        duration_ms = case when r.source = 'execution' then r.duration_ms
          when r.open_jobs > b.jobs then null
          else (extract(epoch from now() - r.started_at) * 1000)::bigint end
      from by_run b where r.team_id = b.team_id and r.id = b.run_id
    )
    select e.id, e.was, e.was_parked, e.attempt, e.simulated, e.team_id, e.execution_id, e.max_tokens, f.month::text as refund_month,
      e.released_usd, case when e.released_usd is not null
        then (e.queued_at at time zone 'utc')::date::text end as reserved_month
    from ended e left join refunds f on f.first_job = e.id`,
};
