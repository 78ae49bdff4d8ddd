// The one way to lock runs: sorted, so that submits and ends that share runs cannot wait in a ring.
import type { KnownRun } from '../../domain/job/submission.ts';
import { runKeyText } from '../../domain/run/run-key.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import type { Queryable } from '../postgres/db.ts';
import { THIS_MONTH } from '../usage/usage-months.ts';
import { IS_LIVE } from './run-reports.ts';

/** For `from`: the runs whose teams and ids are these two parameters, each of them once. */
export const runsOfKeys = (teams: string, ids: string) =>
  `unnest(${teams}::text[], ${ids}::text[]) v(team_id, id)
   join runs r on r.team_id = v.team_id and r.id = v.id`;

/** The two parameters. */
export function runKeyValues(keys: Iterable<RunKey>): [teams: string[], ids: string[]] {
  const unique = [...new Map([...keys].map((key) => [runKeyText(key), key])).values()];
  return [unique.map(({ teamId }) => teamId), unique.map(({ runId }) => runId)];
}

/** Calls may belong to no run. */
export const withRun = (keys: readonly { teamId: string; runId: string | null }[]): RunKey[] =>
  keys.flatMap(({ teamId, runId }) => (runId === null ? [] : { teamId, runId }));

/** Waves of one run follow each other within this time, with checks and fixes in between. */
const PAUSE = `interval '10 minutes'`;

// A run keeps its place in the quota of a month while it is under way: while it has open jobs, while its command line
// reports it or its record says so, and for a pause after its end. A job that is sent later counts like a new run.
// The end of a recorded run is as the client says, and may be in the future; one that was written while this waited for
// its lock is later than the start of the transaction.
const IS_COUNTED = `coalesce(r.quota_month = ${THIS_MONTH} and (
    r.open_jobs > 0 or r.ended_at is null or r.ended_at between now() - ${PAUSE} and clock_timestamp() or exists (
      select 1 from run_reports p where p.team_id = r.team_id and p.run_id = r.id and ${IS_LIVE})), false)`;

const LOCK_RUNS = {
  name: 'lock_runs',
  text: `select r.id as "runId", r.team_id as "teamId", ${IS_COUNTED} as counted,
           r.archived_from is not null as "hasMoved"
         from ${runsOfKeys('$1', '$2')} order by r.team_id, r.id for update of r`,
};

/** Locks those that exist, and returns what a submit needs to know of them, by `runKeyText`. */
export async function lockRuns(
  tx: Queryable,
  keys: Iterable<RunKey>,
): Promise<Map<string, KnownRun>> {
  const { rows } = await tx.query<RunKey & Required<KnownRun>>(LOCK_RUNS, runKeyValues(keys));
  return new Map(
    rows.map(({ counted, hasMoved, ...key }) => [runKeyText(key), { counted, hasMoved }]),
  );
}
