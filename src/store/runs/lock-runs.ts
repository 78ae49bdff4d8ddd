// The one way to lock runs: sorted, so that submits and ends that share runs cannot wait in a ring.
import type { KnownRun } from '../../domain/job/submission.ts';
import type { Queryable } from '../postgres/db.ts';

const LOCK_RUNS = {
  name: 'lock_runs',
  text: `select id, team_id, quota_month is not null as counted,
           ended_jobs_from is not null as moved from runs
         where id = any($1) order by id for update`,
};

interface LockedRun {
  id: string;
  team_id: string;
  counted: boolean;
  moved: boolean;
}

/** Locks those that exist, and tells what a submit needs to know of them. */
export async function lockRuns(
  tx: Queryable,
  runIds: Iterable<string>,
): Promise<Map<string, KnownRun>> {
  const ids = [...new Set(runIds)];
  const { rows } = await tx.query<LockedRun>(LOCK_RUNS, [ids]);
  return new Map(
    rows.map(({ id, team_id: teamId, counted, moved: hasMoved }) => [
      id,
      { teamId, counted, hasMoved },
    ]),
  );
}
