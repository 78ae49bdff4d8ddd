// Jobs over their team's concurrency cap wait outside of the line. When one of the team's jobs ends, the next enters
// the line: highest priority first, then oldest.
import { nextPlace } from '../../domain/job/fair-queue.ts';
import type { Tier, Tiers } from '../../domain/job/tiers.ts';
import type { Db, Queryable } from '../postgres/db.ts';

export interface LetInDeps {
  /** Say how many jobs of a team run at once. */
  tiers: Tiers;
}

interface QueueState {
  in_queue: number;
  finish_time: number;
  virtual_time: number;
  tier: Tier;
}

const LET_IN = {
  name: 'let_in_parked',
  text: `with held as materialized (
      select id, priority from jobs where parked and team_id = $1
      order by priority desc, id limit $2 for update skip locked
    ),
    place as (select id, $3::bigint + row_number() over (order by priority desc, id) - 1 as virtual_time from held)
    update jobs j set parked = false, virtual_time = place.virtual_time from place where j.id = place.id`,
};

/**
 * Frees `freed` places of a team and fills what is free; returns how many jobs were let in. A parked
 * job that another transaction holds is just being ended and needs no place.
 */
export async function letInParked(
  tx: Queryable,
  { tiers }: LetInDeps,
  teamId: string,
  freed: number,
): Promise<number> {
  const { rows } = await tx.query<QueueState>(
    `select q.in_queue, q.finish_time, c.virtual_time, t.tier
     from team_queue q join teams t on t.id = q.team_id cross join queue_clock c
     where q.team_id = $1 for update of q`,
    [teamId],
  );
  const state = rows[0];
  if (state === undefined) return 0;
  const cap = tiers[state.tier].concurrentJobs;
  const inQueue = Math.max(0, state.in_queue - freed);
  const free = cap === null ? null : Math.max(0, cap - inQueue);
  const first = nextPlace(state.virtual_time, state.finish_time);
  const { rowCount: letIn } = await tx.query(LET_IN, [teamId, free, first]);
  await tx.query('update team_queue set in_queue = $2, finish_time = $3 where team_id = $1', [
    teamId,
    cap === null ? inQueue : inQueue + letIn,
    letIn === 0 ? state.finish_time : first + letIn,
  ]);
  return letIn;
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
