// What every transaction that ends jobs locks first. Always teams, runs, then what belongs to the runs:
// executions, jobs, messages; months last.
import type { Queryable } from '../postgres/db.ts';
import { runKeyValues, runsOfKeys, withRun } from '../runs/lock-runs.ts';

// The counts are there for the order: what is counted has been locked.
const LOCK = {
  name: 'end_lock',
  text: `with teams as materialized (
      select team_id, in_queue > 0 as capped from team_queue
      where team_id = any($1) and (in_queue > 0 or team_id = any($2)) order by team_id for update
    ),
    locked as materialized (
      select r.id from ${runsOfKeys('$3', '$4')} where (select count(*) from teams) >= 0
      order by r.team_id, r.id for update of r
    )
    select team_id from teams where capped and (select count(*) from locked) >= 0`,
};

/**
 * Returns the teams that have a cap, which are locked. `submitting`: teams for whom jobs may be submitted,
 * and which are locked in any case.
 */
export async function lockForEnd(
  tx: Queryable,
  ends: readonly { teamId: string; runId?: string | null }[],
  submitting: readonly string[] = [],
): Promise<string[]> {
  const { rows } = await tx.query<{ team_id: string }>(LOCK, [
    [...new Set(ends.map(({ teamId }) => teamId))],
    [...new Set(submitting)],
    ...runKeyValues(withRun(ends.map(({ teamId, runId = null }) => ({ teamId, runId })))),
  ]);
  return rows.map((row) => row.team_id);
}
