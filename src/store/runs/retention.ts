// Ended work is kept as long as the tier of its team and the team's own setting allow; what a deleted team
// had goes at once. What was used stays counted: ledger and sums are not touched.
import type { Tiers } from '../../domain/job/tiers.ts';
import { addToMonths } from '../usage/usage-months.ts';
import type { Db, Queryable } from '../postgres/db.ts';

/** A day is a day on the database's clock. Who is locked is being worked with, and left for later. */
const FIND_EXPIRED = `
  with kept as (
    select t.id, case when t.deleted_at is not null then 0
      else least(v.days, (t.settings ->> 'retentionDays')::int) end as days
    from teams t left join unnest($1::text[], $2::int[]) v(tier, days) on v.tier = t.tier
    where t.deleted_at is not null or v.days is not null or t.settings ? 'retentionDays'
  ), expired as (
    select r.id from kept k cross join lateral (
      select id from runs
      where team_id = k.id and started_at < now() - make_interval(days => k.days)
        and coalesce(ended_at, started_at) < now() - make_interval(days => k.days)
        and open_jobs = 0 and (ended_at is not null or source = 'client')
      order by started_at limit $3
    ) r limit $3
  )
  select r.id, r.team_id from runs r join expired using (id) where r.open_jobs = 0
  for update of r skip locked`;

async function deleteRuns(tx: Queryable, ids: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: string; execution_id: string | null }>(
    'delete from jobs where run_id = any($1) returning id, execution_id',
    [ids],
  );
  const jobs = rows.map(({ id }) => id);
  const executions = [...new Set(rows.flatMap(({ execution_id: id }) => id ?? []))];
  await Promise.all([
    tx.query('delete from job_waits where job_id = any($1)', [jobs]),
    tx.query('delete from execution_events where execution_id = any($1)', [executions]),
    tx.query('delete from execution_steps where execution_id = any($1)', [executions]),
    tx.query('delete from executions where id = any($1)', [executions]),
    tx.query('delete from run_streams where run_id = any($1)', [ids]),
    tx.query('delete from run_reports where run_id = any($1)', [ids]),
    tx.query('delete from runs where id = any($1)', [ids]),
  ]);
}

/** Of runs that never came to have a job, or that went while a command line still reported. */
export async function deleteLostReports(db: Db): Promise<void> {
  await db.query(
    `delete from run_reports r where reported_at < now() - interval '1 day'
       and not exists (select 1 from runs where id = r.run_id)`,
  );
}

/** Some of what is past its time, oldest first. Returns how many runs went. */
export async function deleteExpiredRuns(db: Db, tiers: Tiers, limit: number): Promise<number> {
  const figures = Object.entries(tiers);
  return db.tx(async (tx) => {
    const { rows } = await tx.query<{ id: string; team_id: string }>(FIND_EXPIRED, [
      figures.map(([tier]) => tier),
      figures.map(([, { retentionDays }]) => retentionDays),
      limit,
    ]);
    if (rows.length > 0) {
      await deleteRuns(
        tx,
        rows.map(({ id }) => id),
      );
      // The length of a team's history is told from these.
      await addToMonths(
        tx,
        rows.map((row) => ({ teamId: row.team_id, runsRecorded: -1 })),
      );
    }
    return rows.length;
  });
}
