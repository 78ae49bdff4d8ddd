// Steps as callers see them.
import type { StreamStatus } from '../../contract/history-api.ts';
import type { Queryable } from '../postgres/db.ts';

export interface StepView {
  index: number;
  streamId: string;
  name: string;
  wave: number;
  status: StreamStatus;
  /** null: it has not started. */
  durationMs: number | null;
  tokensUsed: number;
}

// What a step used is the sum of its jobs: tokens of a call that was cancelled are told later.
// Planning has jobs in wave 0, whose stream id a step may have, too.
const LIST = {
  name: 'execution_list_step_views',
  text: `with tried as (
      select stream_id, sum(tokens_input + tokens_output)::float8 as tokens,
        min(started_at) as started_at, max(ended_at) as ended_at
      from jobs where run_id = $2 and execution_id = $1 and wave_number > 0 group by stream_id
    )
    select s.position as index, s.stream_id as "streamId", s.name, s.wave,
      case when s.status <> 'queued' then s.status
        when j.status = 'running' then 'in_progress' else 'pending' end as status,
      (extract(epoch from case when s.status = 'queued' then now() else t.ended_at end
        - t.started_at) * 1000)::float8 as "durationMs",
      coalesce(t.tokens, 0) as "tokensUsed"
    from execution_steps s
    left join jobs j on j.id = s.job_id
    left join tried t on t.stream_id = s.stream_id
    where s.execution_id = $1 and s.position >= 0 order by s.position`,
};

export async function listStepViews(
  db: Queryable,
  execution: { id: string; runId: string },
): Promise<StepView[]> {
  const { rows } = await db.query<StepView>(LIST, [execution.id, execution.runId]);
  return rows.map((row) => ({
    ...row,
    durationMs: row.durationMs === null ? null : Math.max(0, Math.round(row.durationMs)),
  }));
}
