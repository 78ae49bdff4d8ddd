// Ended work is kept as long as the tier of its team and the team's own setting allow; what a deleted team
// had goes at once. What was used stays counted: ledger and sums are not touched.
import type { Tiers } from '../../domain/job/tiers.ts';
import { withPrefix } from '../../platform/ids.ts';
import { movedOf } from '../jobs/archived-jobs.ts';
import type { MovedColumns } from '../jobs/archived-jobs.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { deleteEventsOf } from '../webhooks/webhook-outbox.ts';
import { addToMonths } from '../usage/usage-months.ts';
import { IS_EXPIRED, KEPT, keptValues } from './kept-days.ts';
import { runKeyValues } from './lock-runs.ts';

/** A day is a day on the database's clock. Who is locked is being worked with, and left for later. */
const FIND_EXPIRED = `
  with ${KEPT}, expired as (
    select r.team_id, r.id from kept k cross join lateral (
      select team_id, id from runs r where team_id = k.id and ${IS_EXPIRED} order by started_at limit $3
    ) r where k.days is not null limit $3
  )
  select r.id, r.team_id, r.source, r.archived_from, r.archived_to
  from runs r join expired using (team_id, id) where r.open_jobs = 0
  for update of r skip locked`;

interface ExpiredRun extends MovedColumns {
  id: string;
  team_id: string;
  source: string;
}

/** For `from`: the teams and ids of runs. */
const KEYS = 'unnest($1::text[], $2::text[]) k(team_id, id)';

const keysOf = (runs: readonly ExpiredRun[]) =>
  runKeyValues(runs.map(({ id, team_id: teamId }) => ({ teamId, runId: id })));

const deleteOf = (table: string, id: string) =>
  `delete from ${table} t using ${KEYS} where t.team_id = k.team_id and t.${id} = k.id`;

// Objects that hold their texts go later, one by one.
const DELETE_MOVED = `
  with gone as (
    delete from archived_jobs j using ${KEYS} where j.team_id = k.team_id and j.run_id = k.id
      and j.id >= $3 and j.id <= $4 returning j.texts_key
  )
  insert into discarded_texts (key, due_at)
  select texts_key, now() from gone where texts_key is not null
  on conflict (key) do update set due_at = excluded.due_at`;

/** The first and last id of all of them: so no other month is looked at. */
async function deleteMoved(tx: Queryable, runs: readonly ExpiredRun[]): Promise<void> {
  const moved = runs.flatMap((run) => movedOf(run) ?? []);
  if (moved.length === 0) return;
  const from = moved.map((range) => range.from).reduce((a, b) => (a < b ? a : b));
  const to = moved.map((range) => range.to).reduce((a, b) => (a > b ? a : b));
  await tx.query(DELETE_MOVED, [...keysOf(runs), from, to]);
}

async function deleteRuns(tx: Queryable, runs: readonly ExpiredRun[]): Promise<void> {
  const keys = keysOf(runs);
  const { rows } = await tx.query<{ id: string }>(
    `delete from jobs j using ${KEYS} where j.team_id = k.team_id and j.run_id = k.id returning j.id`,
    keys,
  );
  const jobs = rows.map(({ id }) => id);
  // Not from their jobs, which may have gone with their month.
  const executions = runs
    .filter(({ source }) => source === 'execution')
    .map(({ id }) => withPrefix(id, 'exec'));
  await Promise.all([
    deleteMoved(tx, runs),
    tx.query('delete from job_waits where job_id = any($1)', [jobs]),
    tx.query('delete from execution_events where execution_id = any($1)', [executions]),
    tx.query('delete from execution_steps where execution_id = any($1)', [executions]),
    tx.query('delete from executions where id = any($1)', [executions]),
    deleteEventsOf(tx, executions),
    tx.query(deleteOf('run_streams', 'run_id'), keys),
    tx.query(deleteOf('run_reports', 'run_id'), keys),
    tx.query(deleteOf('run_caps', 'run_id'), keys),
    tx.query(deleteOf('stream_tokens', 'run_id'), keys),
    tx.query(deleteOf('runs', 'id'), keys),
  ]);
}

/** Of runs that never came to have a job, or that went while a command line still reported. */
export async function deleteLostReports(db: Db): Promise<void> {
  await db.query(
    `delete from run_reports r where reported_at < now() - interval '1 day'
       and not exists (select 1 from runs where team_id = r.team_id and id = r.run_id)`,
  );
}

/** Some of what is past its time, oldest first. Returns how many runs went. */
export async function deleteExpiredRuns(db: Db, tiers: Tiers, limit: number): Promise<number> {
  return db.tx(async (tx) => {
    const { rows } = await tx.query<ExpiredRun>(FIND_EXPIRED, [...keptValues(tiers), limit]);
    if (rows.length > 0) {
      await deleteRuns(tx, rows);
      // The length of a team's history follows from these.
      await addToMonths(
        tx,
        rows.map((row) => ({ teamId: row.team_id, runsRecorded: -1 })),
      );
    }
    return rows.length;
  });
}
