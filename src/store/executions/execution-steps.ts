// Steps of executions and their artifacts: as transactions change them, and as callers see them.
import type { Artifact } from '../../contract/artifact.ts';
import type { StreamStatus } from '../../contract/history-api.ts';
import type { PlannedStep, Step, StepStatus } from '../../domain/execution/model.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import { currentJobsOfRun, jobsOfRun, movedOf, readJobsOfRun } from '../jobs/archived-jobs.ts';
import type { MovedColumns } from '../jobs/archived-jobs.ts';
import type { Queryable } from '../postgres/db.ts';
import { fromJsonText, toJsonText } from '../postgres/json-text.ts';
import { rowset } from '../postgres/rowset.ts';

interface StepRow {
  position: number;
  stream_id: string;
  name: string;
  wave: number;
  plan: string;
  status: StepStatus;
  tries: number;
  job_id: string | null;
  reserved_usd: number;
  note: string | null;
  max_tokens: number | null;
}

const LIST_STEPS = {
  name: 'execution_list_steps',
  text: `select position, stream_id, name, wave, plan, status, tries, job_id, reserved_usd, note,
           max_tokens
         from execution_steps where execution_id = $1 order by position`,
};

export async function listSteps(tx: Queryable, executionId: string): Promise<Step[]> {
  const { rows } = await tx.query<StepRow>(LIST_STEPS, [executionId]);
  return rows.map((row) => ({
    ...(JSON.parse(row.plan) as Omit<PlannedStep, 'streamId' | 'name' | 'wave'>),
    position: row.position,
    streamId: row.stream_id,
    name: row.name,
    wave: row.wave,
    status: row.status,
    tries: row.tries,
    jobId: row.job_id,
    reservedUsd: row.reserved_usd,
    note: row.note === null ? null : fromJsonText(row.note),
    maxTokens: row.max_tokens,
  }));
}

const STEP_ROWS = rowset<Step>(
  'v',
  {
    position: ['int', ({ position }) => position],
    stream_id: ['text', ({ streamId }) => streamId],
    name: ['text', ({ name }) => name],
    wave: ['int', ({ wave }) => wave],
    plan: [
      'text',
      ({ plan, deps, owns, reads, waitsFor }) =>
        JSON.stringify({ plan, deps, owns, reads, waitsFor }),
    ],
    status: ['text', ({ status }) => status],
    tries: ['smallint', ({ tries }) => tries],
    job_id: ['text', ({ jobId }) => jobId],
    reserved_usd: ['float8', ({ reservedUsd }) => reservedUsd],
    note: ['text', ({ note }) => (note === null ? null : toJsonText(note))],
    max_tokens: ['int', ({ maxTokens }) => maxTokens],
  },
  2,
);

/** Writes new steps, and what can change of those that are there. */
const INSERT_STEPS = {
  name: 'execution_save_steps',
  text: `insert into execution_steps
      (execution_id, position, stream_id, name, wave, plan, status, tries, job_id, reserved_usd, note,
       max_tokens)
    select $1, v.* from ${STEP_ROWS.sql}
    on conflict (execution_id, position) do update set status = excluded.status,
      tries = excluded.tries, job_id = excluded.job_id, reserved_usd = excluded.reserved_usd,
      note = excluded.note, max_tokens = excluded.max_tokens`,
};

export async function insertSteps(
  tx: Queryable,
  executionId: string,
  steps: readonly Step[],
): Promise<void> {
  if (steps.length > 0) await tx.query(INSERT_STEPS, [executionId, ...STEP_ROWS.values(steps)]);
}

export async function updateArtifact(
  tx: Queryable,
  executionId: string,
  position: number,
  artifact: Artifact,
): Promise<void> {
  await tx.query(
    {
      name: 'execution_save_artifact',
      text: 'update execution_steps set artifact = $3 where execution_id = $1 and position = $2',
    },
    [executionId, position, JSON.stringify(artifact)],
  );
}

/** By position. */
export async function listArtifacts(
  tx: Queryable,
  executionId: string,
): Promise<Map<number, Artifact>> {
  const { rows } = await tx.query<{ position: number; artifact: string }>(
    {
      name: 'execution_list_artifacts',
      text: `select position, artifact from execution_steps
             where execution_id = $1 and artifact is not null order by wave, position`,
    },
    [executionId],
  );
  return new Map(rows.map((row) => [row.position, JSON.parse(row.artifact) as Artifact]));
}

/** A step as callers see it. */
export interface StepView {
  index: number;
  streamId: string;
  name: string;
  wave: number;
  status: StreamStatus;
  /** null: it has not started. */
  durationMs: number | null;
  tokensUsed: number;
  usageEstimated?: true;
}

// What a step used is the sum of its jobs: tokens of a call that was cancelled are reported later.
// Planning has jobs in wave 0, whose stream id a step may have, too.
const VIEW_COLUMNS = `stream_id, execution_id, wave_number, tokens_input, tokens_output, usage_estimated,
  started_at, ended_at`;

const viewsText = (jobs: string) => `with tried as (
      select stream_id, sum(tokens_input + tokens_output)::float8 as tokens,
        bool_or(usage_estimated) as estimated, min(started_at) as started_at, max(ended_at) as ended_at
      from ${jobs} j where execution_id = $1 and wave_number > 0 group by stream_id
    )
    select s.position as index, s.stream_id as "streamId", s.name, s.wave,
      case when s.status <> 'queued' then s.status
        when j.status = 'running' then 'in_progress' else 'pending' end as status,
      (extract(epoch from case when s.status = 'queued' then now() else t.ended_at end
        - t.started_at) * 1000)::float8 as "durationMs",
      coalesce(t.tokens, 0) as "tokensUsed", coalesce(t.estimated, false) as estimated
    from execution_steps s
    left join jobs j on j.id = s.job_id
    left join tried t on t.stream_id = s.stream_id
    where s.execution_id = $1 and s.position >= 0 order by s.position`;

const LIST_VIEWS = {
  name: 'execution_list_step_views',
  text: viewsText(currentJobsOfRun(VIEW_COLUMNS, 2)),
};

type ViewRow = StepView & { estimated: boolean };

function toViews(rows: readonly ViewRow[]): StepView[] {
  return rows.map(({ estimated, ...row }) => ({
    ...row,
    ...(estimated ? { usageEstimated: true as const } : {}),
    durationMs: row.durationMs === null ? null : Math.max(0, Math.round(row.durationMs)),
  }));
}

/** Of an execution that runs: its jobs are where they were made. */
export async function listOpenStepViews(
  db: Queryable,
  { id, teamId, runId }: RunKey & { id: string },
): Promise<StepView[]> {
  const { rows } = await db.query<ViewRow>(LIST_VIEWS, [id, teamId, runId]);
  return toViews(rows);
}

export async function listStepViews(
  db: Queryable,
  execution: RunKey & { id: string; endedAt: Date | null } & MovedColumns,
): Promise<StepView[]> {
  if (execution.endedAt === null) return listOpenStepViews(db, execution);
  const { id, teamId, runId } = execution;
  const known = { teamId, runId, moved: movedOf(execution) };
  const { rows } = await readJobsOfRun(db, known, (run) => {
    if (run.moved === undefined) return db.query<ViewRow>(LIST_VIEWS, [id, teamId, runId]);
    const jobs = jobsOfRun(VIEW_COLUMNS, run, 2);
    return db.query<ViewRow>(viewsText(jobs.sql), [id, ...jobs.values]);
  });
  return toViews(rows);
}
