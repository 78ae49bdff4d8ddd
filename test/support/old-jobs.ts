// Jobs of long ago: real ones, with the time in their ids and rows turned back.
import { newId, firstIdAt } from '../../src/platform/ids.ts';
import { listJobColumns, moveEndedJobs } from '../../src/store/jobs/archive-jobs.ts';
import type { Db } from '../../src/store/postgres/db.ts';

const HOUR_MS = 3_600_000;

/** `job_` and the time. */
const TIME_LENGTH = 14;

/** All jobs of the run, whose ids change; returns them by their ids of before. */
export async function ageRun(db: Db, runId: string, at: Date): Promise<Map<string, string>> {
  const prefix = firstIdAt('job', at).slice(0, TIME_LENGTH);
  return db.tx(async (tx) => {
    const { rows } = await tx.query<{ id: string }>('select id from jobs where run_id = $1', [
      runId,
    ]);
    const ids = new Map(rows.map(({ id }) => [id, prefix + id.slice(TIME_LENGTH)]));
    for (const [before, id] of ids) {
      await tx.query(
        `update jobs set id = $2, queued_at = queued_at - d, started_at = started_at - d,
           ended_at = ended_at - d, settled_at = settled_at - d
         from (select ended_at - $3::timestamptz as d from jobs where id = $1) t where id = $1`,
        [before, id, at],
      );
      await tx.query('update usage_ledger set job_id = $2 where job_id = $1', [before, id]);
      await tx.query('update execution_steps set job_id = $2 where job_id = $1', [before, id]);
      await tx.query('update idempotency_keys set resource_id = $2 where resource_id = $1', [
        before,
        id,
      ]);
    }
    await tx.query(
      `update runs set started_at = started_at - d, ended_at = ended_at - d
       from (select ended_at - $2::timestamptz as d from runs where id = $1) t where id = $1`,
      [runId, at],
    );
    return ids;
  });
}

/** Everything that may move, a few at a time. */
export async function moveOld(db: Db, { hours = 24, limit = 200 } = {}): Promise<number> {
  const columns = await listJobColumns(db);
  let jobs = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const options = { columns, after, ageMs: hours * HOUR_MS, limit, nowMs: Date.now() };
    const moved = await moveEndedJobs(db, options);
    jobs += moved.jobs;
    after = moved.last;
  }
  return jobs;
}

/** Ended jobs that no server has run, one a run. */
export async function insertOldJobs(
  db: Db,
  owner: { userId: string; teamId: string },
  { count, at, table = 'jobs' }: { count: number; at: Date; table?: string },
): Promise<string[]> {
  const prefix = firstIdAt('job', at).slice(0, TIME_LENGTH);
  const ids = Array.from({ length: count }, () => prefix + newId('job').slice(TIME_LENGTH)).sort();
  await db.tx(async (tx) => {
    const values = [ids, owner.userId, owner.teamId, at];
    await tx.query(
      `insert into runs (id, user_id, team_id, feature, status, source, stream_count, wave_count, started_at,
         ended_at, duration_ms)
       select replace(id, 'job_', 'run_'), $2, $3, 'api', 'complete', 'jobs', 1, 1, $4, $4, 1
       from unnest($1::text[]) id`,
      values,
    );
    await tx.query(
      `insert into ${table} (id, user_id, team_id, run_id, stream_id, wave_number, provider, model, simulated,
         max_tokens, priority, prompt, timeout_ms, deadline_at, status, attempt, queued_at, started_at,
         ended_at, settled_at, output)
       select id, $2, $3, replace(id, 'job_', 'run_'), 'api', 1, 'simulator', 'sim-instant', true, 9, 0,
         '"hello"', 1000, $4, 'completed', 1, $4, $4, $4, $4, '"done"'
       from unnest($1::text[]) id`,
      values,
    );
    await tx.query(
      `insert into usage_months (team_id, month, runs_recorded) values ($1, date_trunc('month', now()), $2)
       on conflict (team_id, month) do update set runs_recorded = usage_months.runs_recorded + $2`,
      [owner.teamId, count],
    );
  });
  return ids;
}

/** `days` ago, on the clock of this process. */
export const daysAgo = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS);
