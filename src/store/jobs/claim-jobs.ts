// Takes jobs for a node, and gives them back when a node cannot finish them.
import type { Reasoning } from '../../contract/fields.ts';
import type { Price } from '../../domain/execution/execution-budget.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { lockRuns } from '../runs/lock-runs.ts';
import { recordLostCalls } from './lost-calls.ts';
import type { LostAttempt } from './lost-calls.ts';
import { preferUrgent } from './own-priorities.ts';
import { IS_SUSPENDED } from './suspended-jobs.ts';
import type { Queue, QueueMessage } from './queue.ts';
import type { Signals } from '../postgres/signals.ts';

/** Of the job `j`: it runs on a node that has not been given up. */
const IS_WITH_MEMBER = `(j.status = 'running' and exists (select 1 from nodes n where n.id = j.node_id))`;

/** A job whose worker died this often is given up. */
export const MAX_LOSSES = 3;

export interface ClaimedJob {
  id: string;
  userId: string;
  teamId: string;
  runId: string;
  executionId: string | null;
  streamId: string;
  provider: string;
  model: string;
  maxTokens: number;
  temperature: number | null;
  reasoning: Reasoning | null;
  /** JSON text. */
  prompt: string;
  promptParts: string | null;
  /** Sealed, when a key came with the request. */
  sealedKey: string | null;
  attempt: number;
  /** Model calls of earlier attempts that were put off. */
  calls: number;
  /** No further call once one has used tokens. */
  payOnce: boolean;
  /** Whether earlier attempts have used any. */
  hasUsage: boolean;
  /** Set aside from the team's budget; null when it has none. */
  reservedUsd: number | null;
  queuedAt: Date;
  /** The trace it belongs to, as a W3C traceparent. */
  trace: string | null;
  timeoutMs: number;
  /** Measured by the database's clock, so that nodes with wrong clocks agree. */
  remainingMs: number;
}

export interface Claim {
  jobs: ClaimedJob[];
  /** Messages of jobs that had ended; they were removed. */
  stale: number;
  /** Jobs that another transaction is changing right now: they are back in the queue. */
  busy: number;
  /** How many messages were taken: a full batch means that there may be more. */
  taken: number;
  /** Attempts of other workers that these jobs were taken from. */
  takenOver: TakenOver[];
}

export interface TakenOver extends LostAttempt, RunKey {}

// A claim holds messages, which ends lock last, so it must not wait for anything that an end may
// hold: whatever is locked is left alone and taken a moment later. The node's own row is locked,
// too: a node that is being given up at this moment claims nothing.
//
// A running job is taken only from a node that was given up, or that no table knows: a message whose heartbeat is
// old says nothing about a node, because the database itself may have been away.
//
// A run needs its lock only for its first job; from then on it is known to have worked.
const CLAIM = {
  name: 'claim_jobs',
  text: `with node as materialized (
      select id from nodes where id = $2 for key share skip locked
    ),
    held as materialized (
      select j.id, j.team_id, j.run_id, j.status as was from jobs j
      where j.id = any($1) and j.status in ('pending', 'running') and j.losses < ${MAX_LOSSES}
        and exists (select 1 from node) and not (j.status = 'pending' and ${IS_SUSPENDED})
        and not ${IS_WITH_MEMBER}
      order by j.id for update of j skip locked
    ),
    unopened as materialized (
      select team_id, id from runs
      where (team_id, id) in (select team_id, run_id from held) and (status = 'pending' or not worked)
    ),
    opening as materialized (
      select team_id, id from runs where (team_id, id) in (select team_id, id from unopened)
      order by team_id, id for update skip locked
    ),
    claimed as (
      update jobs j set status = 'running', attempt = attempt + 1, node_id = $2, started_at = now()
      from held
      where j.id = held.id and (held.team_id, held.run_id) not in (
        select team_id, id from unopened except select team_id, id from opening)
      returning j.id, j.user_id, j.team_id, j.run_id, j.execution_id, j.stream_id, j.provider, j.model,
        j.max_tokens, j.temperature, j.reasoning, j.prompt, j.prompt_parts, j.sealed_key, j.attempt, j.calls,
        j.pay_once, j.tokens_input + j.tokens_output > 0 as has_usage, j.queued_at, j.timeout_ms,
        j.deadline_at, j.reserved_usd, j.trace, held.was
    ),
    opened as (
      update runs r set worked = true,
        status = case when r.status = 'pending' then 'in_progress' else r.status end
      from opening where r.team_id = opening.team_id and r.id = opening.id
    ),
    ticked as (
      update queue_clock set virtual_time = $3 where virtual_time < $3
    )
    select id, user_id as "userId", team_id as "teamId", run_id as "runId",
      execution_id as "executionId", stream_id as "streamId", provider, model, max_tokens as "maxTokens", temperature, reasoning, prompt, prompt_parts as "promptParts",
      sealed_key as "sealedKey", attempt, calls, pay_once as "payOnce", has_usage as "hasUsage", reserved_usd as "reservedUsd", queued_at as "queuedAt", trace, timeout_ms as "timeoutMs",
      (extract(epoch from deadline_at - now()) * 1000)::float8 as "remainingMs", was
    from claimed`,
};

interface Claimed {
  jobs: (ClaimedJob & { was: string })[];
  unclaimed: string[];
}

async function claimTaken(
  tx: Queryable,
  nodeId: string,
  messages: readonly QueueMessage[],
): Promise<Claimed> {
  const ids = messages.map((message) => message.jobId);
  const clock = Math.max(...messages.map((message) => message.virtualTime));
  const { rows } = await tx.query<ClaimedJob & { was: string }>(CLAIM, [ids, nodeId, clock]);
  const order = new Map(ids.map((id, index) => [id, index]));
  const jobs = rows.sort((a, b) => order.get(a.id)! - order.get(b.id)!);
  const claimed = new Set(rows.map((row) => row.id));
  return { jobs, unclaimed: ids.filter((id) => !claimed.has(id)) };
}

/** Takes messages by `fetch`, and the jobs that belong to them. */
async function claimBy(
  deps: { db: Db; queue: Queue },
  nodeId: string,
  fetch: (tx: Queryable) => Promise<readonly QueueMessage[]>,
): Promise<Claim> {
  let taken = 0;
  // Not waited for inside of the transaction, so that the commit follows at once: until it comes the
  // jobs are locked, and with them their runs.
  const claiming = await deps.db.tx(async (tx) => {
    const messages = await fetch(tx);
    taken = messages.length;
    if (taken === 0) return undefined;
    const claimed = claimTaken(tx, nodeId, messages);
    tx.commitBehind(claimed);
    return { claimed };
  });
  if (claiming === undefined) return { jobs: [], stale: 0, busy: 0, taken, takenOver: [] };
  const { jobs, unclaimed } = await claiming.claimed;
  const takenOver = jobs
    .filter(({ was }) => was === 'running')
    .map(({ id, teamId, runId, attempt }) => ({ id, teamId, runId, attempt: attempt - 1 }));
  return { jobs, taken, takenOver, ...(await returnUnclaimed(deps, unclaimed)) };
}

/**
 * Counts what the workers of jobs that were taken over had used. Not in the transaction of the claim: it
 * holds jobs and messages, and the runs that this locks come before them.
 */
export async function recordTakenOver(
  deps: { db: Db; price?: Price; signals: Signals },
  takenOver: readonly TakenOver[],
): Promise<void> {
  if (takenOver.length === 0) return;
  await deps.db.tx(async (tx) => {
    await lockRuns(tx, takenOver);
    await recordLostCalls(tx, takenOver, deps.price);
  });
  // Some may have ended by now, and their views are kept.
  deps.signals.emit(
    'ended',
    takenOver.map(({ id }) => id),
  );
}

/**
 * Takes up to `limit` jobs. A message may reach us while its row still says running on a node that is gone: the new
 * attempt number fences it off.
 */
export async function claimJobs(
  deps: { db: Db; queue: Queue },
  nodeId: string,
  limit: number,
): Promise<Claim> {
  return claimBy(deps, nodeId, async (tx) => {
    const fetched = await deps.queue.fetch(tx, limit);
    // Fewer than were asked for are all there are: none that waits could go before them.
    return fetched.length < limit ? fetched : preferUrgent(tx, deps.queue, fetched);
  });
}

/** Takes one job of each newcomer: the first that can be started. See newcomers.ts. */
export async function claimForNewcomers(
  deps: { db: Db; queue: Queue },
  nodeId: string,
  newcomers: readonly (readonly string[])[],
): Promise<Claim> {
  return claimBy(deps, nodeId, async (tx) => {
    const messages: QueueMessage[] = [];
    let left = newcomers;
    for (let rank = 0; left.length > 0; rank++) {
      const ids = left.flatMap((jobIds) => jobIds[rank] ?? []);
      if (ids.length === 0) break;
      const taken = await deps.queue.take(tx, ids);
      messages.push(...taken);
      const served = new Set(taken.map(({ jobId }) => jobId));
      left = left.filter((jobIds) => !served.has(jobIds[rank] ?? ''));
    }
    return messages;
  });
}

/**
 * Ended jobs need no message; a job that must not start keeps it until the next sweep ends the job, and one that
 * runs elsewhere until it ends there. If we die before this, the queue hands the messages out again by itself.
 */
async function returnUnclaimed(
  { db, queue }: { db: Db; queue: Queue },
  ids: readonly string[],
): Promise<Pick<Claim, 'stale' | 'busy'>> {
  if (ids.length === 0) return { stale: 0, busy: 0 };
  return db.tx(async (tx) => {
    const { rows } = await tx.query<{ id: string; open: boolean; held: boolean }>(
      `select v.id, j.id is not null as open,
         coalesce(j.losses >= ${MAX_LOSSES} or (j.status = 'pending' and ${IS_SUSPENDED})
           or ${IS_WITH_MEMBER}, false) as held
       from unnest($1::text[]) v(id)
       left join jobs j on j.id = v.id and j.status in ('pending', 'running')`,
      [ids],
    );
    const stale = rows.filter((row) => !row.open).map(({ id }) => id);
    const busy = rows.filter((row) => row.open && !row.held).map(({ id }) => id);
    await queue.remove(tx, stale);
    await queue.handBack(tx, busy);
    return { stale: stale.length, busy: busy.length };
  });
}

/**
 * Makes running jobs of a node wait again. `lost` when the node died with them: that counts, and a
 * job lost too often is ended by the next sweep (see listOverdue).
 */
export async function handBackJobs(
  deps: HandBackDeps & { db: Db; signals: Signals },
  nodeId: string,
  options: HandBackOptions,
): Promise<number> {
  const { length } = await deps.db.tx((tx) => handBackInTx(tx, deps, [nodeId], options));
  if (length > 0) deps.signals.emit('work');
  return length;
}

export interface HandBackDeps {
  queue: Queue;
  /** For calls that were lost with a node. */
  price?: Price;
}

export interface HandBackOptions {
  jobIds?: readonly string[];
  lost: boolean;
}

export interface HandedBack {
  id: string;
  attempt: number;
  nodeId: string;
}

/** Runs before jobs, as everywhere: an end that holds a run may yet need any of its jobs. */
export async function handBackInTx(
  tx: Queryable,
  deps: HandBackDeps,
  nodeIds: readonly string[],
  options: HandBackOptions,
): Promise<HandedBack[]> {
  const found = await tx.query<RunKey & { id: string }>(
    `select id, team_id as "teamId", run_id as "runId" from jobs
     where node_id = any($1) and status = 'running' and ($2::text[] is null or id = any($2))`,
    [nodeIds, options.jobIds ?? null],
  );
  if (found.rows.length === 0) return [];
  await lockRuns(tx, found.rows);
  const { rows } = await tx.query<HandedBack>(
    `with held as materialized (
       select id, node_id from jobs
       where id = any($1) and node_id = any($2) and status = 'running' order by id for update
     )
     update jobs j set status = 'pending', node_id = null, losses = losses + $3
     from held where j.id = held.id returning j.id, j.attempt, held.node_id as "nodeId"`,
    [found.rows.map((row) => row.id), nodeIds, options.lost ? 1 : 0],
  );
  const ids = rows.map((row) => row.id);
  if (options.lost) await recordLostCalls(tx, rows, deps.price);
  await deps.queue.handBack(tx, ids);
  return rows;
}

/** Lets a job wait for its provider without holding a slot; its place in line stays. */
export async function postponeJob(
  deps: { db: Db; queue: Queue },
  job: { id: string; attempt: number },
  wait: { delayMs: number; calls: number },
): Promise<boolean> {
  return deps.db.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `update jobs set status = 'pending', node_id = null, calls = $3
       where id = $1 and attempt = $2 and status = 'running'`,
      [job.id, job.attempt, wait.calls],
    );
    if (rowCount === 0) return false;
    const clock = await tx.query<{ virtual_time: number }>('select virtual_time from queue_clock');
    await deps.queue.remove(tx, [job.id]);
    const message = { jobId: job.id, virtualTime: clock.rows[0]?.virtual_time ?? 0 };
    await deps.queue.send(tx, [message], wait.delayMs);
    return true;
  });
}

export interface OverdueJob {
  id: string;
  runId: string;
  teamId: string;
  executionId: string | null;
  reason: 'deadline' | 'lost' | 'suspended';
  timeoutMs: number;
}

/** Waiting jobs that must end without running: past their deadline, or lost too often. */
export async function listOverdue(db: Db, limit: number): Promise<OverdueJob[]> {
  const { rows } = await db.query<OverdueJob>(
    `select id, run_id as "runId", team_id as "teamId", execution_id as "executionId",
       timeout_ms as "timeoutMs", 'lost' as reason
     from jobs where status = 'pending' and losses >= ${MAX_LOSSES}
     union all
     (select id, run_id, team_id, execution_id, timeout_ms, 'deadline'
      from jobs where status = 'pending' and losses < ${MAX_LOSSES} and deadline_at < now()
      order by deadline_at limit $1)`,
    [limit],
  );
  return rows;
}

export interface RunningCheck {
  /** Running here by the table, but this process does not know of them. */
  unknown: string[];
  /** This process runs them, but the table gave them to no node or to another one. */
  notOurs: string[];
}

/** Holds what a node runs against what the table says it runs. */
export async function checkRunning(
  db: Db,
  nodeId: string,
  running: ReadonlyMap<string, number>,
): Promise<RunningCheck> {
  const { rows } = await db.query<{ id: string; attempt: number; settling: boolean }>(
    `select id, attempt, started_at < now() - interval '3 seconds' as settling
     from jobs where node_id = $1 and status = 'running'`,
    [nodeId],
  );
  const ours = new Map(rows.map((row) => [row.id, row]));
  return {
    unknown: rows.filter((row) => row.settling && !running.has(row.id)).map((row) => row.id),
    notOurs: [...running]
      .filter(([id, attempt]) => ours.get(id)?.attempt !== attempt)
      .map(([id]) => id),
  };
}
