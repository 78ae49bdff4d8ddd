// Accepts jobs. Submits that arrive while one transaction commits share the next one: the teams'
// queue rows are locked first, so everything that depends on them (idempotency keys, quota, caps,
// order) is decided on a state that cannot change before the commit.
import { decideSubmits, keyOf } from '../../domain/job/submission.ts';
import type {
  AcceptedJob,
  BatchState,
  SubmitOutcome,
  TeamState,
} from '../../domain/job/submission.ts';
import { monthOf } from '../../domain/job/tiers.ts';
import { withPrefix } from '../../platform/ids.ts';
import { createCoalescer } from '../postgres/coalesce.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { lockRuns } from '../runs/lock-runs.ts';
import { THIS_MONTH, addToMonths } from '../usage/usage-months.ts';
import { finishTimeOf } from './parked-jobs.ts';
import type { Queue } from './queue.ts';
import { rowset } from '../postgres/rowset.ts';
import type { NewExecution, NewJob } from './new-job.ts';
import { collectSignals } from '../postgres/signals.ts';
import type { PendingSignals, Signals } from '../postgres/signals.ts';

export type SubmitReply = SubmitOutcome & { monthEnd: Date };

export interface Submitter {
  submit(job: NewJob): Promise<SubmitReply>;
}

/** Writes the execution that a job plans, in the transaction that accepted the job. */
export type StartExecution = (
  tx: Queryable,
  job: NewJob,
  execution: NewExecution,
  signals: PendingSignals,
) => Promise<void>;

interface LockedRow {
  team_id: string;
  in_queue: number;
  finish_times: unknown[];
  virtual_time: number;
  now: Date;
}

const LOCK_TEAMS = {
  name: 'submit_lock_teams',
  text: `select q.team_id, q.in_queue, q.finish_times, c.virtual_time, now() as now
         from team_queue q cross join queue_clock c
         where q.team_id = any($1) order by q.team_id for update of q`,
};

// Separate from the lock on purpose: a statement sees what was committed before it began, and the
// lock may have been waited for.
const FIND_COUNTS = {
  name: 'submit_find_counts',
  text: `select team_id, runs_counted from usage_months
         where team_id = any($1) and month = ${THIS_MONTH}`,
};

const FIND_KEYS = {
  name: 'submit_find_keys',
  text: `select team_id as "teamId", user_id as "userId", key, body_hash, resource_id
         from idempotency_keys
         join unnest($1::text[], $2::text[], $3::text[]) v(t, u, k)
           on team_id = t and user_id = u and key = k
         where created_at > now() - interval '24 hours'`,
};

const unique = (values: readonly string[]) => [...new Set(values)];

interface CountRow {
  team_id: string;
  runs_counted: number;
}

interface KeyRow {
  teamId: string;
  userId: string;
  key: string;
  body_hash: Buffer;
  resource_id: string;
}

/** All at once: each sees what was committed when its turn comes, after the lock. */
async function readState(tx: Queryable, jobs: readonly NewJob[]) {
  const limited = unique(jobs.filter((job) => job.runsPerMonth !== null).map((job) => job.teamId));
  const keyed = jobs.filter((job) => job.idempotency !== undefined);
  const runIds = jobs.flatMap((job) => (job.runId === undefined ? [] : [job.runId]));
  return Promise.all([
    tx.query<LockedRow>(LOCK_TEAMS, [unique(jobs.map((job) => job.teamId))]),
    limited.length === 0 ? undefined : tx.query<CountRow>(FIND_COUNTS, [limited]),
    keyed.length === 0
      ? undefined
      : tx.query<KeyRow>(FIND_KEYS, [
          keyed.map((job) => job.teamId),
          keyed.map((job) => job.userId),
          keyed.map((job) => job.idempotency!.key),
        ]),
    runIds.length === 0 ? undefined : lockRuns(tx, runIds),
  ]);
}

async function loadState(tx: Queryable, jobs: readonly NewJob[]) {
  const [locked, counts, keys, runs] = await readState(tx, jobs);
  const state: BatchState = {
    teams: new Map(),
    keys: new Map(),
    runs: runs ?? new Map(),
    clock: locked.rows[0]?.virtual_time ?? 0,
  };
  for (const row of locked.rows) {
    state.teams.set(row.team_id, {
      teamId: row.team_id,
      inQueue: row.in_queue,
      finishTime: finishTimeOf(row.finish_times),
      runsCounted: 0,
    });
  }
  for (const row of counts?.rows ?? [])
    state.teams.get(row.team_id)!.runsCounted = row.runs_counted;
  for (const row of keys?.rows ?? []) {
    state.keys.set(keyOf(row, row.key), { bodyHash: row.body_hash, jobId: row.resource_id });
  }
  return { state, month: monthOf(locked.rows[0]?.now ?? new Date()) };
}

interface Row extends AcceptedJob {
  job: NewJob;
  runId: string;
}

const JOB_ROWS = rowset<Row>('v', {
  id: ['text', ({ job }) => job.jobId],
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
  priority: ['smallint', ({ job }) => job.priority],
  prompt: ['text', ({ job }) => job.prompt],
  prompt_parts: ['text', ({ job }) => job.promptParts],
  sealed_key: ['text', ({ job }) => job.sealedKey],
  timeout_ms: ['int', ({ job }) => job.timeoutMs],
  parked: ['boolean', ({ parked }) => parked],
  pay_once: ['boolean', ({ job }) => job.payOnce === true],
  idempotency_key: ['text', ({ job }) => job.idempotency?.key],
  body_hash: ['bytea', ({ job }) => job.idempotency?.bodyHash],
});

const TEAM_ROWS = rowset<TeamState>(
  'w',
  {
    team_id: ['text', ({ teamId }) => teamId],
    in_queue: ['int', ({ inQueue }) => inQueue],
    finish_times: ['text', ({ finishTime }) => `{${finishTime}}`],
  },
  JOB_ROWS.count + 1,
);

// Named runs are inserted empty and counted by COUNT_NAMED_RUNS.
const WRITE_JOBS = {
  name: 'submit_write_jobs',
  text: `with v as materialized (select * from ${JOB_ROWS.sql}),
    teams_updated as (
      update team_queue q
      set in_queue = w.in_queue, finish_times = w.finish_times::bigint[]
      from ${TEAM_ROWS.sql} where q.team_id = w.team_id
    ),
    new_runs as (
      insert into runs (id, user_id, team_id, api_key_id, feature, status, source, stream_count, wave_count,
        open_jobs, quota_month, started_at)
      select run_id, user_id, team_id, api_key_id, feature, 'pending',
        case when execution_id is null then 'jobs' else 'execution' end, own_run::int,
        own_run::int, own_run::int,
        case when counts then date_trunc('month', now() at time zone 'utc')::date end, now()
      from v where opens_run
    ),
    keys as (
      insert into idempotency_keys (team_id, user_id, key, body_hash, resource_id)
      select team_id, user_id, idempotency_key, body_hash, id from v where idempotency_key is not null
      on conflict (team_id, user_id, key) do update
        set body_hash = excluded.body_hash, resource_id = excluded.resource_id, created_at = now()
    )
    insert into jobs (id, user_id, team_id, api_key_id, run_id, stream_id, stream_name, wave_number, provider, model,
      simulated, max_tokens, temperature, reasoning, priority, prompt, prompt_parts, sealed_key, timeout_ms,
      deadline_at, status, parked, pay_once, queued_at, execution_id)
    select id, user_id, team_id, api_key_id, run_id, stream_id, stream_name, wave_number, provider, model, simulated,
      max_tokens, temperature, reasoning, priority, prompt, prompt_parts, sealed_key, timeout_ms,
      now() + timeout_ms * interval '1 millisecond', 'pending', parked, pay_once, now(),
      execution_id
    from v`,
};

// A job that joins a run which had ended opens it again; the run of an execution is the
// execution's business.
const COUNT_NAMED_RUNS = {
  name: 'submit_count_named_runs',
  text: `update runs r set
      open_jobs = r.open_jobs + v.added,
      status = case when r.open_jobs = 0 and r.source <> 'execution' then 'pending'
        else r.status end,
      ended_at = case when r.source = 'execution' then r.ended_at end,
      duration_ms = case when r.source = 'execution' then r.duration_ms end,
      wave_count = greatest(r.wave_count, v.wave),
      quota_month = case when v.counts then date_trunc('month', now() at time zone 'utc')::date
        else r.quota_month end,
      stream_count = (select count(*) from (
        select stream_id from jobs where run_id = r.id
        union select stream_id from run_streams where run_id = r.id) s)
    from unnest($1::text[], $2::int[], $3::int[], $4::boolean[]) v(id, added, wave, counts)
    where r.id = v.id`,
};

async function countNamedRuns(tx: Queryable, rows: readonly Row[]): Promise<void> {
  const named = new Map<string, { added: number; wave: number; counts: boolean }>();
  for (const { job, counts } of rows) {
    if (job.runId === undefined) continue;
    const run = named.get(job.runId) ?? { added: 0, wave: 0, counts: false };
    named.set(job.runId, {
      added: run.added + 1,
      wave: Math.max(run.wave, job.waveNumber),
      counts: run.counts || counts,
    });
  }
  if (named.size === 0) return;
  const counts = [...named.values()];
  await tx.query(COUNT_NAMED_RUNS, [
    [...named.keys()],
    counts.map((run) => run.added),
    counts.map((run) => run.wave),
    counts.map((run) => run.counts),
  ]);
}

async function sendMessages(tx: Queryable, queue: Queue, rows: readonly Row[]): Promise<void> {
  const sent = rows.filter((row) => !row.parked);
  const byDelay = Map.groupBy(sent, ({ job }) => job.delayMs ?? 0);
  await Promise.all(
    [...byDelay].map(([delayMs, together]) => {
      const messages = together.map(({ job, virtualTime }) => ({ jobId: job.jobId, virtualTime }));
      return queue.send(tx, messages, delayMs);
    }),
  );
}

/** Asked for all at once: none needs the answer of another. */
async function writeAccepted(
  tx: Queryable,
  queue: Queue,
  rows: readonly Row[],
  state: BatchState,
): Promise<void> {
  if (rows.length === 0) return;
  const teams = unique(rows.map((row) => row.job.teamId)).map((id) => state.teams.get(id)!);
  await Promise.all([
    tx.query(WRITE_JOBS, [...JOB_ROWS.values(rows), ...TEAM_ROWS.values(teams)]),
    countNamedRuns(tx, rows),
    sendMessages(tx, queue, rows),
    addToMonths(
      tx,
      rows
        .filter((row) => row.opensRun || row.counts)
        .map(({ job, opensRun, counts }) => ({
          teamId: job.teamId,
          runsCounted: Number(counts),
          runsRecorded: Number(opensRun),
        })),
    ),
  ]);
}

/**
 * Accepts what can be accepted, in a transaction that may do more. The outcomes hold once `written`
 * has come true and the transaction is committed.
 */
export async function submitInTx(tx: Queryable, queue: Queue, jobs: readonly NewJob[]) {
  const { state, month } = await loadState(tx, jobs);
  const { outcomes, accepted } = decideSubmits(jobs, state);
  const rows = accepted.map((entry) => {
    const job = jobs[entry.index]!;
    return { ...entry, job, runId: job.runId ?? withPrefix(job.jobId, 'run') };
  });
  const written = writeAccepted(tx, queue, rows, state);
  return { outcomes, month, accepted: rows.map(({ job }) => job), written };
}

export function createSubmitter(deps: {
  db: Db;
  queue: Queue;
  signals: Signals;
  startExecution: StartExecution;
}): Submitter {
  async function submitBatch(jobs: NewJob[]): Promise<SubmitReply[]> {
    const signals = collectSignals();
    const replies = await deps.db.tx(async (tx) => {
      const { outcomes, month, accepted, written } = await submitInTx(tx, deps.queue, jobs);
      tx.commitBehind(written);
      for (const job of accepted) {
        if (job.execution) await deps.startExecution(tx, job, job.execution, signals);
      }
      return outcomes.map((outcome) => ({ ...outcome, monthEnd: month.end }));
    });
    if (replies.some((reply) => reply.kind === 'accepted')) signals.add('work');
    signals.sendBy(deps.signals);
    return replies;
  }

  const coalescer = createCoalescer({
    run: submitBatch,
    maxConcurrent: 2,
    maxBatch: 256,
    weigh: ({ prompt, promptParts, execution }: NewJob) =>
      prompt.length + (promptParts?.length ?? 0) + (execution?.context.length ?? 0),
    maxWeight: 16 * 1024 * 1024,
  });
  return { submit: (job) => coalescer.add(job) };
}
