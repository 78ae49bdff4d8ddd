// Ended jobs as a server of a year has them: in the partitions of their months, with runs, ledger and sums; and those
// of today.
import { firstIdAt } from '../../src/platform/ids.ts';
import { ensurePartition } from '../../src/store/jobs/archive-partitions.ts';
import type { Stage } from '../harness/stage.ts';

const BATCH = 20_000;
const DAY_MS = 86_400_000;
/** `job_` and the time. */
const TIME_LENGTH = 14;

const fillText = (table: 'jobs' | 'archived_jobs') => `
  with n as materialized (
    select $3 || lpad(i::text, 16, '0') as suffix, $4::timestamptz as at
    from generate_series($5::int + 1, $6::int) i
  ), r as (
    insert into runs (id, user_id, team_id, feature, status, source, stream_count, wave_count,
      tokens_input, tokens_output, cost_usd, quota_month, started_at, ended_at, duration_ms
      ${table === 'jobs' ? '' : ', archived_from, archived_to'})
    select 'run_' || suffix, $1, $2, 'api', 'complete', 'jobs', 1, 1, 900, 400, 0.0087,
      date_trunc('month', at)::date, at, at + interval '9 seconds', 9000
      ${table === 'jobs' ? '' : `, 'job_' || suffix, 'job_' || suffix`} from n
  ), l as (
    insert into usage_ledger (job_id, attempt, user_id, team_id, provider, model, tokens_input,
      tokens_output, tokens_cached, tokens_cache_write, cost_usd, estimated, outcome, recorded_at)
    select 'job_' || suffix, 1, $1, $2, 'simulator', 'sim-standard', 900, 400, 0, 0, 0.0087, false,
      'completed', at from n
  ), d as (
    insert into usage_days as d (team_id, day, user_id, api_key_id, provider, model, jobs, tokens_input,
      tokens_output, tokens_cached, cost_usd, unpriced_jobs, unpriced_calls)
    select $2, ($4::timestamptz at time zone 'utc')::date, $1, '', 'simulator', 'sim-standard', count(*),
      900 * count(*), 400 * count(*), 0, 0.0087 * count(*), 0, 0 from n
    on conflict (team_id, day, user_id, api_key_id, provider, model) do update set jobs = d.jobs + excluded.jobs
  )
  insert into ${table} (id, user_id, team_id, run_id, stream_id, wave_number, provider, model, simulated,
    max_tokens, priority, prompt, timeout_ms, deadline_at, status, attempt, queued_at, started_at,
    ended_at, output, files_changed, tokens_input, tokens_output, cost_usd, settled_at)
  select 'job_' || suffix, $1, $2, 'run_' || suffix, 'api', 1, 'simulator', 'sim-standard', true, 1000,
    0, '"' || repeat('prompt ', 30) || '"', 660000, at + interval '11 minutes', 'completed', 1, at,
    at + interval '1 second', at + interval '9 seconds', '"' || repeat('output ', 30) || '"', '[]',
    900, 400, 0.0087, at + interval '9 seconds' from n`;

async function findOwner({ db }: Stage): Promise<string[]> {
  const { rows } = await db.query<{ user_id: string; team_id: string }>(
    'select personal_user_id as user_id, id as team_id from teams limit 1',
  );
  return [rows[0]!.user_id, rows[0]!.team_id];
}

const timeText = (at: Date) => firstIdAt('job', at).slice('job_'.length, TIME_LENGTH);

export async function fillYear(stage: Stage, count: number): Promise<void> {
  const { db } = stage;
  const owner = await findOwner(stage);
  const now = Date.now();
  for (let from = 0; from < count; from += BATCH) {
    // The last ones ended two days ago.
    const at = new Date(now - 2 * DAY_MS - 363 * DAY_MS * (1 - from / count));
    await db.tx((tx) => ensurePartition(tx, at));
    const to = Math.min(count, from + BATCH);
    await db.query(fillText('archived_jobs'), [...owner, timeText(at), at, from, to]);
  }
  await db.query(
    `insert into usage_months (team_id, month, runs_counted, runs_recorded) values ($1, '2020-01-01', $2, $2)`,
    [owner[1], count],
  );
  for (const table of ['archived_jobs', 'runs', 'usage_ledger']) {
    await db.query(`vacuum analyze ${table}`);
  }
}

/** The same days of this month as in a full year, with next to nothing on them: a page of usage has a line for each. */
export async function fillDays(stage: Stage): Promise<void> {
  await stage.db.query(
    `insert into usage_days (team_id, day, user_id, api_key_id, provider, model, jobs, tokens_input,
       tokens_output, tokens_cached, cost_usd, unpriced_jobs, unpriced_calls)
     select $2, day, $1, '', 'simulator', 'sim-standard', 1, 900, 400, 0, 0.0087, 0, 0
     from generate_series(date_trunc('month', now()), now() - interval '2 days', interval '1 day') day`,
    await findOwner(stage),
  );
}

export async function fillToday(stage: Stage, count: number): Promise<void> {
  const owner = await findOwner(stage);
  const at = new Date(Date.now() - 60_000);
  await stage.db.query(fillText('jobs'), [...owner, timeText(at), at, 0, count]);
  await stage.db.query('vacuum analyze jobs');
}
