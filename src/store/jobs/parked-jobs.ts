// Jobs over their owner's concurrency cap wait without a queue message. When one of the owner's
// jobs ends, the next takes its place: highest priority first, then oldest.
import { assignVirtualTimes } from '../../domain/job/fair-queue.ts';
import type { Tier, Tiers } from '../../domain/job/tiers.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import type { Queue } from './queue.ts';

export interface LetInDeps {
  queue: Queue;
  /** Say how many jobs of a team run at once. */
  tiers: Tiers;
}

/** Nodes of an earlier release kept one for each priority. */
export function finishTimeOf(times: readonly unknown[]): number {
  return Math.max(0, ...times.map(Number));
}

interface QueueState {
  in_queue: number;
  finish_times: unknown[];
  virtual_time: number;
  tier: Tier;
}

/**
 * Frees `freed` places of a team and fills what is free; returns how many jobs were let in. A parked
 * job that another transaction holds is just being ended and needs no place.
 */
export async function letInParked(
  tx: Queryable,
  { queue, tiers }: LetInDeps,
  teamId: string,
  freed: number,
): Promise<number> {
  const { rows } = await tx.query<QueueState>(
    `select q.in_queue, q.finish_times, c.virtual_time, t.tier
     from team_queue q join teams t on t.id = q.team_id cross join queue_clock c
     where q.team_id = $1 for update of q`,
    [teamId],
  );
  const state = rows[0];
  if (state === undefined) return 0;
  const cap = tiers[state.tier].concurrentJobs;
  const inQueue = Math.max(0, state.in_queue - freed);
  const parked = await tx.query<{ id: string; priority: number }>(
    `update jobs set parked = false
     where id in (select id from jobs where parked and team_id = $1
                  order by priority desc, id limit $2 for update skip locked)
     returning id, priority`,
    [teamId, cap === null ? null : Math.max(0, cap - inQueue)],
  );
  const jobs = parked.rows.sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1));
  const { starts, finishTime } = assignVirtualTimes(
    state.virtual_time,
    finishTimeOf(state.finish_times),
    jobs.length,
  );
  await tx.query(
    'update team_queue set in_queue = $2, finish_times = $3::bigint[] where team_id = $1',
    [teamId, cap === null ? inQueue : inQueue + jobs.length, `{${finishTime}}`],
  );
  await queue.send(
    tx,
    jobs.map((job, index) => ({ jobId: job.id, virtualTime: starts[index]! })),
  );
  return jobs.length;
}

/** Teams with parked jobs and room for them: after a change of tier, or a lost wake-up. */
export async function letInAllParked(deps: LetInDeps & { db: Db }): Promise<number> {
  const { rows } = await deps.db.query<{ team_id: string }>(
    'select distinct team_id from jobs where parked order by team_id limit 1000',
  );
  let count = 0;
  for (const { team_id: teamId } of rows) {
    count += await deps.db.tx((tx) => letInParked(tx, deps, teamId, 0));
  }
  return count;
}
