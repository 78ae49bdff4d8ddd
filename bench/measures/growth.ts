// P9: the same rates with a million ended jobs in the tables.
import { getText } from '../harness/http-text.ts';
import type { Stage } from '../harness/stage.ts';
import { median } from '../report.ts';
import type { Figure } from '../report.ts';
import { cancelAll, pollRate, runningJobs } from './polls.ts';
import { submitRate, untilIdle } from './submits.ts';

async function historyRate(stage: Stage, seconds: number): Promise<number> {
  const requests = [getText('/api/v1/history', stage.key)];
  const result = await stage.load({ connections: 16, seconds, requests });
  if (result.failed > 0) throw new Error(`${result.failed} history requests failed`);
  return result.perSecond;
}

async function rates(stage: Stage, rounds: number, seconds: number) {
  const submits: number[] = [];
  const polls: number[] = [];
  const history: number[] = [];
  const ids = await runningJobs(stage, 100);
  await pollRate(stage, ids, 1);
  await historyRate(stage, 1);
  for (let round = 0; round < rounds; round++) {
    polls.push(await pollRate(stage, ids, seconds));
    history.push(await historyRate(stage, seconds));
  }
  await cancelAll(stage, ids);
  for (let round = 0; round <= rounds; round++) {
    const rate = await submitRate(stage, seconds);
    if (round > 0) submits.push(rate);
    await untilIdle(stage);
  }
  return { submits: median(submits), polls: median(polls), history: median(history) };
}

/** Ended jobs as the server writes them, a million at once. */
async function fill(stage: Stage, count: number): Promise<void> {
  const { rows } = await stage.db.query<{ user_id: string; team_id: string }>(
    'select personal_user_id as user_id, id as team_id from teams limit 1',
  );
  const owner = rows[0]!;
  const batch = 100_000;
  for (let from = 0; from < count; from += batch) {
    await stage.db.query(FILL, [owner.user_id, owner.team_id, from, Math.min(count, from + batch)]);
  }
  await stage.db.query(
    `insert into usage_months (team_id, month, runs_counted, runs_recorded) values ($1, '2020-01-01', $2, $2)`,
    [owner.team_id, count],
  );
  await stage.db.query('vacuum analyze jobs');
  await stage.db.query('vacuum analyze runs');
  await stage.db.query('vacuum analyze usage_ledger');
}

const FILL = `
  with n as (
    select lpad(i::text, 26, '0') as suffix, now() - (1000000 - i) * interval '10 seconds' as at
    from generate_series($3::int + 1, $4::int) i
  ), r as (
    insert into runs (id, user_id, team_id, feature, status, source, stream_count, wave_count,
      tokens_input, tokens_output, cost_usd, quota_month, started_at, ended_at, duration_ms)
    select 'run_' || suffix, $1, $2, 'api', 'complete', 'jobs', 1, 1, 900, 400, 0.0087,
      date_trunc('month', at)::date, at, at + interval '9 seconds', 9000 from n
  ), l as (
    insert into usage_ledger (job_id, attempt, user_id, team_id, provider, model, tokens_input,
      tokens_output, tokens_cached, tokens_cache_write, cost_usd, estimated, outcome, recorded_at)
    select 'job_' || suffix, 1, $1, $2, 'simulator', 'sim-standard', 900, 400, 0, 0, 0.0087, false,
      'completed', at from n
  )
  insert into jobs (id, user_id, team_id, run_id, stream_id, wave_number, provider, model, simulated,
    max_tokens, priority, prompt, timeout_ms, deadline_at, status, attempt, queued_at, started_at,
    ended_at, output, files_changed, tokens_input, tokens_output, cost_usd, settled_at)
  select 'job_' || suffix, $1, $2, 'run_' || suffix, 'api', 1, 'simulator', 'sim-standard', true, 1000,
    0, '"' || repeat('prompt ', 30) || '"', 660000, at + interval '11 minutes', 'completed', 1, at,
    at + interval '1 second', at + interval '9 seconds', '"' || repeat('output ', 60) || '"', '[]',
    900, 400, 0.0087, at + interval '9 seconds' from n`;

export async function measureGrowth(
  stage: Stage,
  rounds: number,
  seconds: number,
): Promise<Figure[]> {
  const empty = await rates(stage, rounds, seconds);
  await fill(stage, 1_000_000);
  const full = await rates(stage, rounds, seconds);
  const figure = (name: 'submits' | 'polls' | 'history'): Figure => ({
    id: 'P9',
    what: `${name} a second with 1,000,000 ended jobs`,
    value: full[name],
    unit: '/s',
    beside: { what: 'with empty tables', value: empty[name] },
    goal: { ratioAtLeast: 0.8 },
  });
  return [figure('submits'), figure('polls'), figure('history')];
}
