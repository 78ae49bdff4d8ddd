// Running jobs that wait again, at the place that the line has reached: their node drains, is dead or cannot start them, or their
// provider makes them wait. This is the only way in which a job leaves a worker without an end.
import type { Price } from '../../domain/usage/largest-cost.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import type { Signals } from '../postgres/signals.ts';
import { lockRuns } from '../runs/lock-runs.ts';
import { recordLostCalls } from './lost-calls.ts';

const FRONT = '(select virtual_time from queue_clock)';

export interface RequeueOptions {
  jobIds?: readonly string[];
  /** The node died with them: that counts, and a job that was lost too often is ended (see overdue-jobs). */
  lost: boolean;
  /** For calls that were lost with a node. */
  price: Price | undefined;
}

export interface RequeuedJob {
  id: string;
  attempt: number;
  nodeId: string;
}

/** Makes running jobs of a node wait again. */
export async function requeueJobs(
  { db, signals, price }: { db: Db; signals: Signals; price?: Price },
  nodeId: string,
  options: Omit<RequeueOptions, 'price'>,
): Promise<number> {
  const { length } = await db.tx((tx) => requeueInTx(tx, [nodeId], { ...options, price }));
  if (length > 0) signals.emit('work');
  return length;
}

/** Runs before jobs, as everywhere: an end that holds a run may yet need any of its jobs. */
export async function requeueInTx(
  tx: Queryable,
  nodeIds: readonly string[],
  { jobIds, lost, price }: RequeueOptions,
): Promise<RequeuedJob[]> {
  const found = await tx.query<RunKey & { id: string }>(
    `select id, team_id as "teamId", run_id as "runId" from jobs
     where node_id = any($1) and status = 'running' and kind = 'job' and ($2::text[] is null or id = any($2))`,
    [nodeIds, jobIds ?? null],
  );
  if (found.rows.length === 0) return [];
  await lockRuns(tx, found.rows);
  const { rows } = await tx.query<RequeuedJob>(
    `with held as materialized (
       select id, node_id from jobs
       where id = any($1) and node_id = any($2) and status = 'running' order by id for update
     )
     update jobs j set status = 'pending', node_id = null, losses = losses + $3, virtual_time = ${FRONT}
     from held where j.id = held.id returning j.id, j.attempt, held.node_id as "nodeId"`,
    [found.rows.map((row) => row.id), nodeIds, lost ? 1 : 0],
  );
  if (lost) await recordLostCalls(tx, rows, price);
  return rows;
}

/** Lets a job wait for its provider without holding a slot. */
export async function postponeJob(
  db: Queryable,
  job: { id: string; attempt: number },
  wait: { delayMs: number; calls: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update jobs set status = 'pending', node_id = null, calls = $3, start_after = now() + $4 * interval '1 ms',
       virtual_time = ${FRONT}
     where id = $1 and attempt = $2 and status = 'running'`,
    [job.id, job.attempt, wait.calls, wait.delayMs],
  );
  return rowCount > 0;
}

export interface RunningCheck {
  /** Running here by the table, but this process does not know of them. */
  unknown: string[];
  /** This process runs them, but the table gave them to no node or to another one. */
  notOurs: string[];
}

/** Compares what a node runs with what the table says it runs. */
export async function checkRunning(
  db: Queryable,
  nodeId: string,
  running: ReadonlyMap<string, number>,
): Promise<RunningCheck> {
  const { rows } = await db.query<{ id: string; attempt: number; isOld: boolean }>(
    `select id, attempt, started_at < now() - interval '3 seconds' as "isOld"
     from jobs where node_id = $1 and status = 'running' and kind = 'job'`,
    [nodeId],
  );
  const ours = new Map(rows.map((row) => [row.id, row]));
  return {
    // A claim that was answered a moment ago is about to be known.
    unknown: rows.filter((row) => row.isOld && !running.has(row.id)).map((row) => row.id),
    notOurs: [...running]
      .filter(([id, attempt]) => ours.get(id)?.attempt !== attempt)
      .map(([id]) => id),
  };
}
