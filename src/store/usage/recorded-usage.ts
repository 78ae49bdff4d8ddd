// What the streams of a run used that were no jobs here: a client ran them by itself, and recorded them.
import { jobsOfRun } from '../jobs/archived-jobs.ts';
import type { RunWithMoved } from '../jobs/archived-jobs.ts';
import type { Queryable } from '../postgres/db.ts';
import { addToMonths } from './usage-months.ts';

interface RecordedRow {
  team_id: string;
  day: string;
  cost_usd: number;
}

// The run keeps the member and the key that recorded it first.
const insertText = (
  jobs: string,
) => `insert into recorded_usage (run_id, team_id, user_id, api_key_id, day, tokens_input,
    tokens_output, cost_usd, unpriced_calls)
  select r.id, r.team_id, r.user_id, coalesce(r.api_key_id, ''),
    (r.started_at at time zone 'utc')::date, sum(s.tokens_input), sum(s.tokens_output),
    sum(s.cost_usd), sum(s.unpriced_calls)
  from runs r join run_streams s on s.team_id = r.team_id and s.run_id = r.id
  where r.team_id = $1 and r.id = $2 and s.stream_id not in (select j.stream_id from ${jobs} j)
  group by r.id, r.team_id
  returning team_id, day::text as day, cost_usd`;

/** After a run was recorded, or recorded again. The run is locked. */
export async function updateRecordedUsage(tx: Queryable, run: RunWithMoved): Promise<void> {
  const before = await tx.query<RecordedRow>(
    `delete from recorded_usage where team_id = $1 and run_id = $2
     returning team_id, day::text as day, cost_usd`,
    [run.teamId, run.runId],
  );
  const jobs = jobsOfRun('stream_id', run, 1);
  const after = await tx.query<RecordedRow>(insertText(jobs.sql), jobs.values);
  const delta = (sign: 1 | -1) => (row: RecordedRow) => ({
    teamId: row.team_id,
    month: row.day,
    recordedCostUsd: sign * row.cost_usd,
  });
  await addToMonths(tx, [...before.rows.map(delta(-1)), ...after.rows.map(delta(1))]);
}
