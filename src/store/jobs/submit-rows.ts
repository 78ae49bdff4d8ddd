// The statements that write accepted jobs.
import type { AcceptedJob, TeamState } from '../../domain/job/submission.ts';
import type { Queryable, Statement } from '../postgres/db.ts';
import { rowset } from '../postgres/rowset.ts';
import type { NewJob } from './new-job.ts';

export interface SubmitRow extends AcceptedJob {
  job: NewJob;
  /** Undefined for a call without a run. */
  runId: string | undefined;
  /** The node that starts it at once; undefined when it waits in the queue. */
  nodeId: string | undefined;
}

const JOB_ROWS = rowset<SubmitRow>('v', {
  id: ['text', ({ job }) => job.jobId],
  kind: ['text', ({ job }) => (job.call === undefined ? 'job' : 'call')],
  used_so_far: ['text', ({ job }) => job.call?.usedSoFar],
  user_id: ['text', ({ job }) => job.userId],
  team_id: ['text', ({ job }) => job.teamId],
  api_key_id: ['text', ({ job }) => job.apiKeyId],
  run_id: ['text', ({ runId }) => runId],
  opens_run: ['boolean', ({ opensRun }) => opensRun],
  own_run: ['boolean', ({ job }) => job.runId === undefined],
  counts: ['boolean', ({ counts }) => counts],
  execution_id: ['text', ({ job }) => job.executionId],
  feature: ['text', ({ job }) => job.feature],
  stream_id: ['text', ({ job }) => job.streamId],
  stream_name: ['text', ({ job }) => job.streamName],
  wave_number: ['int', ({ job }) => job.waveNumber],
  provider: ['text', ({ job }) => job.provider],
  model: ['text', ({ job }) => job.model],
  simulated: ['boolean', ({ job }) => job.simulated],
  max_tokens: ['int', ({ job }) => job.maxTokens],
  temperature: ['float8', ({ job }) => job.temperature],
  reasoning: ['text', ({ job }) => job.reasoning],
  service_tier: ['text', ({ job }) => job.serviceTier],
  priority: ['smallint', ({ job }) => job.priority],
  prompt: ['text', ({ job }) => job.prompt],
  prompt_parts: ['text', ({ job }) => job.promptParts],
  conversation: ['text', ({ job }) => job.conversation],
  sealed_key: ['text', ({ job }) => job.sealedKey],
  timeout_ms: ['int', ({ job }) => job.timeoutMs],
  parked: ['boolean', ({ parked }) => parked],
  node_id: ['text', ({ nodeId }) => nodeId],
  virtual_time: ['bigint', ({ virtualTime }) => virtualTime],
  delay_ms: ['int', ({ job }) => job.delayMs],
  reserved_usd: ['float8', ({ reservedUsd }) => reservedUsd],
  pay_once: ['boolean', ({ job }) => job.payOnce === true],
  trace: ['text', ({ job }) => job.trace],
  idempotency_key: ['text', ({ job }) => job.idempotency?.key],
  body_hash: ['bytea', ({ job }) => job.idempotency?.bodyHash],
});

const TEAM_ROWS = rowset<TeamState>(
  'w',
  {
    team_id: ['text', ({ teamId }) => teamId],
    in_queue: ['int', ({ inQueue }) => inQueue],
    finish_time: ['bigint', ({ finishTime }) => finishTime],
  },
  JOB_ROWS.count + 1,
);

// Named runs are inserted empty and counted by COUNT_NAMED_RUNS.
const PARTS = {
  teams: `teams_updated as (
      update team_queue q
      set in_queue = w.in_queue, finish_time = w.finish_time
      from ${TEAM_ROWS.sql} where q.team_id = w.team_id
    )`,
  runs: `new_runs as (
      insert into runs (id, user_id, team_id, api_key_id, feature, status, source, stream_count, wave_count,
        open_jobs, quota_month, started_at, worked)
      select run_id, user_id, team_id, api_key_id, feature,
        case when own_run and node_id is not null then 'in_progress' else 'pending' end,
        case when execution_id is null then 'jobs' else 'execution' end, own_run::int,
        own_run::int, own_run::int,
        case when counts then date_trunc('month', now() at time zone 'utc')::date end, now(),
        own_run and node_id is not null
      from v where opens_run
    )`,
  keys: `keys as (
      insert into idempotency_keys (team_id, user_id, key, body_hash, resource_id)
      select team_id, user_id, idempotency_key, body_hash, id from v where idempotency_key is not null
      on conflict (team_id, user_id, key) do update
        set body_hash = excluded.body_hash, resource_id = excluded.resource_id, created_at = now()
    )`,
};

type Part = keyof typeof PARTS;

const textOf = (parts: readonly Part[]) =>
  `with ${['v as materialized (select * from ' + JOB_ROWS.sql + ')', ...parts.map((part) => PARTS[part])].join(', ')}
    insert into jobs (id, kind, used_so_far, user_id, team_id, api_key_id, run_id, stream_id, stream_name, wave_number, provider, model,
      simulated, max_tokens, temperature, reasoning, service_tier, priority, prompt, prompt_parts, conversation, sealed_key, timeout_ms,
      deadline_at, status, parked, pay_once, queued_at, execution_id, node_id, attempt, started_at,
      reserved_usd, trace, virtual_time, start_after)
    select id, kind, used_so_far, user_id, team_id, api_key_id, run_id, stream_id, stream_name, wave_number, provider, model, simulated,
      max_tokens, temperature, reasoning, service_tier, priority, prompt, prompt_parts, conversation, sealed_key, timeout_ms,
      now() + timeout_ms * interval '1 millisecond',
      case when node_id is null then 'pending' else 'running' end, parked, pay_once, now(),
      execution_id, node_id, (node_id is not null)::int, case when node_id is not null then now() end,
      reserved_usd, trace, virtual_time, now() + delay_ms * interval '1 ms'
    from v`;

const statements = new Map<string, Statement>();

/** A part that changes nothing still costs its preparations: a call has none of them, and takes two thirds of the time. */
function statementOf(parts: readonly Part[]): Statement {
  const name = ['submit_write_jobs', ...parts].join('_');
  const known = statements.get(name) ?? { name, text: textOf(parts) };
  statements.set(name, known);
  return known;
}

/** `teams`: those whose state has changed. */
export async function writeJobs(
  tx: Queryable,
  rows: readonly SubmitRow[],
  teams: readonly TeamState[],
): Promise<void> {
  const parts: Part[] = [];
  if (teams.length > 0) parts.push('teams');
  if (rows.some(({ opensRun }) => opensRun)) parts.push('runs');
  if (rows.some(({ job }) => job.idempotency !== undefined)) parts.push('keys');
  const ofTeams = teams.length > 0 ? TEAM_ROWS.values(teams) : [];
  await tx.query(statementOf(parts), [...JOB_ROWS.values(rows), ...ofTeams]);
}

// A job that joins a run which had ended opens it again; the run of an execution is the
// execution's business.
const countText = (streams: string) => `update runs r set
      open_jobs = r.open_jobs + v.added,
      status = case
        when v.started and (r.status = 'pending' or r.open_jobs = 0 and r.source <> 'execution')
          then 'in_progress'
        when r.open_jobs = 0 and r.source <> 'execution' then 'pending'
        else r.status end,
      worked = r.worked or v.started,
      ended_at = case when r.source = 'execution' then r.ended_at end,
      duration_ms = case when r.source = 'execution' then r.duration_ms end,
      wave_count = greatest(r.wave_count, v.wave),
      quota_month = case when v.counts then date_trunc('month', now() at time zone 'utc')::date
        else r.quota_month end,
      stream_count = (select count(*) from (
        ${streams}
        union select stream_id from run_streams where team_id = r.team_id and run_id = r.id) s)
    from unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::boolean[], $6::boolean[])
      v(team_id, id, added, wave, counts, started)
    where r.team_id = v.team_id and r.id = v.id`;

const STREAMS = 'select stream_id from jobs where team_id = r.team_id and run_id = r.id';

export const COUNT_NAMED_RUNS = { name: 'submit_count_named_runs', text: countText(STREAMS) };

/** Some of their jobs have moved: a run that is continued days later. */
export const COUNT_OLD_RUNS = {
  text: countText(`${STREAMS} union
        select stream_id from archived_jobs where team_id = r.team_id and run_id = r.id
          and id between r.archived_from and r.archived_to`),
};
