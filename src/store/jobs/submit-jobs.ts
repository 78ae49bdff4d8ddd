// Accepts jobs. Submits that arrive while one transaction commits share the next one: the teams'
// queue rows are locked first, so everything that depends on them (idempotency keys, quota, caps,
// order) is decided on a state that cannot change before the commit.
import { decideSubmits, keyOf } from '../../domain/job/submission.ts';
import type { BatchState, SubmitOutcome, TeamState } from '../../domain/job/submission.ts';
import { monthOf } from '../../domain/job/tiers.ts';
import { runKeyText } from '../../domain/run/run-key.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import { withPrefix } from '../../platform/ids.ts';
import { findWriters } from '../accounts/members.ts';
import { createCoalescer } from '../postgres/coalesce.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { listOf } from '../postgres/list-of.ts';
import { lockRuns } from '../runs/lock-runs.ts';
import { findBudgets } from '../usage/team-budgets.ts';
import { findRunCaps, reserveOfCaps } from '../usage/run-caps.ts';
import { THIS_MONTH, addToMonths } from '../usage/usage-months.ts';
import { startedJob } from './optimistic-start.ts';
import type { OfferedSlots, OptimisticStart } from './optimistic-start.ts';
import { COUNT_NAMED_RUNS, COUNT_OLD_RUNS, writeJobs } from './submit-rows.ts';
import type { SubmitRow } from './submit-rows.ts';
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
  finish_time: number;
  virtual_time: number;
  now: Date;
  has_node: boolean;
  members_changed: boolean | null;
  allowed_models: string[] | null;
  max_call_cost_usd: number | null;
}

// As a claim does: a node that is being given up at this moment takes nothing. A team that was deleted has
// no row any more. Who a caller is may have been looked up some seconds ago: where a member has left since,
// members are looked up again.
const LOCK_TEAMS = {
  name: 'submit_lock_teams',
  text: `with node as materialized (
      select id from nodes where id = $2 for key share skip locked
    )
    select q.team_id, q.in_queue, q.finish_time, c.virtual_time, now() as now,
      exists (select 1 from node) as has_node, q.allowed_models, q.max_call_cost_usd,
      q.members_changed_at > now() - interval '1 minute' as members_changed
    from team_queue q cross join queue_clock c
    where q.team_id = any(${listOf('$1')}) order by q.team_id for update of q`,
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
async function readState(tx: Queryable, jobs: readonly NewJob[], nodeId: string | undefined) {
  const teamIds = unique(jobs.map((job) => job.teamId));
  const limited = unique(jobs.filter((job) => job.runsPerMonth !== null).map((job) => job.teamId));
  const keyed = jobs.filter((job) => job.idempotency !== undefined);
  const named = jobs.flatMap(({ teamId, runId }) => (runId === undefined ? [] : { teamId, runId }));
  return Promise.all([
    tx.query<LockedRow>(LOCK_TEAMS, [teamIds, nodeId ?? null]),
    findBudgets(tx, teamIds),
    limited.length === 0 ? undefined : tx.query<CountRow>(FIND_COUNTS, [limited]),
    keyed.length === 0
      ? undefined
      : tx.query<KeyRow>(FIND_KEYS, [
          keyed.map((job) => job.teamId),
          keyed.map((job) => job.userId),
          keyed.map((job) => job.idempotency!.key),
        ]),
    named.length === 0 ? undefined : lockRuns(tx, named),
    named.length === 0 ? undefined : findRunCaps(tx, named),
  ]);
}

async function loadState(tx: Queryable, jobs: readonly NewJob[], nodeId: string | undefined) {
  const [locked, budgets, counts, keys, runs, caps] = await readState(tx, jobs, nodeId);
  const changed = locked.rows.filter((row) => row.members_changed === true);
  const writers = await findWriters(
    tx,
    changed.map((row) => row.team_id),
  );
  const state: BatchState = {
    teams: new Map(),
    keys: new Map(),
    runs: runs ?? new Map(),
    caps: caps ?? new Map(),
    clock: locked.rows[0]?.virtual_time ?? 0,
  };
  for (const row of locked.rows) {
    state.teams.set(row.team_id, {
      teamId: row.team_id,
      inQueue: row.in_queue,
      finishTime: row.finish_time,
      runsCounted: 0,
      writers: writers.get(row.team_id),
      budget: budgets.get(row.team_id),
      allowedModels: row.allowed_models,
      maxCallCostUsd: row.max_call_cost_usd,
    });
  }
  for (const row of counts?.rows ?? [])
    state.teams.get(row.team_id)!.runsCounted = row.runs_counted;
  for (const row of keys?.rows ?? []) {
    state.keys.set(keyOf(row, row.key), { bodyHash: row.body_hash, jobId: row.resource_id });
  }
  const now = locked.rows[0]?.now ?? new Date();
  return {
    state,
    locked: locked.rows,
    now,
    month: monthOf(now),
    hasNode: locked.rows[0]?.has_node === true,
  };
}

interface NamedRun {
  key: RunKey;
  added: number;
  wave: number;
  counts: boolean;
  started: boolean;
}

async function countNamedRuns(
  tx: Queryable,
  rows: readonly SubmitRow[],
  known: BatchState['runs'],
): Promise<void> {
  const named = new Map<string, NamedRun>();
  for (const { job, counts, nodeId } of rows) {
    const { teamId, runId } = job;
    if (runId === undefined) continue;
    const key = { teamId, runId };
    const run = named.get(runKeyText(key)) ?? { added: 0, wave: 0, counts: false, started: false };
    named.set(runKeyText(key), {
      key,
      added: run.added + 1,
      wave: Math.max(run.wave, job.waveNumber),
      counts: run.counts || counts,
      started: run.started || nodeId !== undefined,
    });
  }
  if (named.size === 0) return;
  const counts = [...named.values()];
  const isOld = [...named.keys()].some((id) => known.get(id)?.hasMoved === true);
  await tx.query(isOld ? COUNT_OLD_RUNS : COUNT_NAMED_RUNS, [
    counts.map(({ key }) => key.teamId),
    counts.map(({ key }) => key.runId),
    counts.map((run) => run.added),
    counts.map((run) => run.wave),
    counts.map((run) => run.counts),
    counts.map((run) => run.started),
  ]);
}

/** A call, or a job that starts at once, mostly leaves its team's queue as it was. */
function changedTeams(locked: readonly LockedRow[], { teams }: BatchState): TeamState[] {
  return locked.flatMap((row) => {
    const team = teams.get(row.team_id)!;
    const isSame = team.inQueue === row.in_queue && team.finishTime === row.finish_time;
    return isSame ? [] : [team];
  });
}

/** Asked for all at once: none needs the answer of another. */
async function writeAccepted(
  tx: Queryable,
  rows: readonly SubmitRow[],
  { state, locked }: { state: BatchState; locked: readonly LockedRow[] },
): Promise<void> {
  if (rows.length === 0) return;
  const isOfMonth = (row: SubmitRow) => row.opensRun || row.counts || row.reservedUsd !== undefined;
  await Promise.all([
    writeJobs(tx, rows, changedTeams(locked, state)),
    countNamedRuns(tx, rows, state.runs),
    reserveOfCaps(tx, rows),
    addToMonths(
      tx,
      rows.filter(isOfMonth).map(({ job, opensRun, counts, reservedUsd }) => ({
        teamId: job.teamId,
        runsCounted: Number(counts),
        runsRecorded: Number(opensRun),
        ...(reservedUsd !== undefined && { reservedUsd }),
      })),
    ),
  ]);
}

/**
 * Accepts what can be accepted, in a transaction that may do more. The outcomes hold once `written`
 * has come true and the transaction is committed. With `slots` of this process, the first jobs that
 * are accepted are given to it.
 */
export async function submitInTx(tx: Queryable, jobs: readonly NewJob[], slots?: OfferedSlots) {
  const nodeId = slots?.nodeId ?? jobs.find(({ call }) => call !== undefined)?.call?.nodeId;
  const { state, locked, month, now, hasNode } = await loadState(tx, jobs, nodeId);
  const free = hasNode && slots ? slots.count : 0;
  const { outcomes, accepted } = decideSubmits(jobs, state, { slots: free, mayCall: hasNode });
  const rows = accepted.map((entry) => {
    const job = jobs[entry.index]!;
    const { call } = job;
    const runId = job.runId ?? (call ? undefined : withPrefix(job.jobId, 'run'));
    const startsAt = entry.startsNow ? (call?.nodeId ?? slots!.nodeId) : undefined;
    return { ...entry, job, runId, nodeId: startsAt };
  });
  const written = writeAccepted(tx, rows, { state, locked });
  return { outcomes, month, rows, now, written };
}

export function createSubmitter(deps: {
  db: Db;
  signals: Signals;
  startExecution: StartExecution;
  /** A worker in this process. */
  worker?: OptimisticStart | undefined;
}): Submitter {
  async function submitBatch(jobs: NewJob[]): Promise<SubmitReply[]> {
    const slots = deps.worker?.offer(jobs.length);
    try {
      return await submitTo(jobs, slots);
    } finally {
      slots?.release();
    }
  }

  async function submitTo(jobs: NewJob[], slots: OfferedSlots | undefined): Promise<SubmitReply[]> {
    const signals = collectSignals();
    const { replies, rows, now } = await deps.db.tx(async (tx) => {
      const { outcomes, month, written, ...result } = await submitInTx(tx, jobs, slots);
      tx.commitBehind(written);
      for (const { job } of result.rows) {
        if (job.execution) await deps.startExecution(tx, job, job.execution, signals);
      }
      return { ...result, replies: outcomes.map((one) => ({ ...one, monthEnd: month.end })) };
    });
    const started = rows.filter(({ startsNow, job }) => startsNow && !job.call);
    slots?.start(started.map((row) => startedJob(row, now)));
    if (rows.some(({ startsNow }) => !startsNow)) signals.add('work');
    signals.sendBy(deps.signals);
    return replies;
  }

  const coalescer = createCoalescer({
    // One after the other: those of one team would only wait for each other's locks.
    run: submitBatch,
    maxBatch: 256,
    gatherMs: 6,
    weigh: ({ prompt, promptParts, conversation, execution }: NewJob) =>
      prompt.length +
      (promptParts?.length ?? 0) +
      (conversation?.length ?? 0) +
      (execution?.context.length ?? 0),
    maxWeight: 16 * 1024 * 1024,
  });
  return { submit: (job) => coalescer.add(job) };
}
