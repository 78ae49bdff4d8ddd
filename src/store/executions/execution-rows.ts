// Executions and their steps as the transactions that change them read and write them.
import type { Artifact } from '../../contract/artifact.ts';
import type {
  ExecutionContext,
  PlannedStep,
  Step,
  StepStatus,
} from '../../domain/execution/model.ts';
import { BASE_MAX_TOKENS } from '../../domain/model/model-limits.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import type { Queryable } from '../postgres/db.ts';
import { fromJsonText, toJsonText } from '../postgres/json-text.ts';
import { rowset } from '../postgres/rowset.ts';

export type ExecutionStatus = 'running' | 'completed' | 'failed' | 'cancelled';

export interface LockedExecution {
  id: string;
  userId: string;
  apiKeyId: string | null;
  teamId: string;
  runId: string;
  tier: Tier;
  status: ExecutionStatus;
  dryRun: boolean;
  maxSteps: number;
  budgetUsd: number | null;
  /** Output tokens that each call may have. */
  maxTokens: number;
  provider: string;
  model: string;
  simulated: boolean;
  sequence: number;
  /** The run's, whose jobs may have been ended in this transaction. */
  spentUsd: number;
  tokensUsed: number;
  hasStarted: boolean;
  remainingMs: number;
  now: Date;
}

const LOCK = {
  name: 'execution_lock',
  text: `select e.id, e.user_id as "userId", e.team_id as "teamId",
      e.api_key_id as "apiKeyId", e.run_id as "runId", t.tier,
      e.status, e.dry_run as "dryRun", e.max_steps as "maxSteps", e.budget_usd as "budgetUsd",
      coalesce(e.max_tokens, ${BASE_MAX_TOKENS}) as "maxTokens",
      e.provider, e.model, e.simulated, e.sequence, r.cost_usd as "spentUsd",
      (r.tokens_input + r.tokens_output)::float8 as "tokensUsed",
      r.worked or r.status <> 'pending' as "hasStarted",
      (extract(epoch from e.deadline_at - now()) * 1000)::float8 as "remainingMs", now() as now
    from executions e join teams t on t.id = e.team_id join runs r on r.id = e.run_id
    where e.id = $1 for update of e`,
};

/** The execution's user and run are to be locked before. */
async function lockExecution(tx: Queryable, id: string): Promise<LockedExecution | undefined> {
  const { rows } = await tx.query<LockedExecution>(LOCK, [id]);
  return rows[0];
}

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
}

const LIST_STEPS = {
  name: 'execution_list_steps',
  text: `select position, stream_id, name, wave, plan, status, tries, job_id, reserved_usd, note
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
  },
  2,
);

/** Writes new steps, and what can change of those that are there. */
const SAVE_STEPS = {
  name: 'execution_save_steps',
  text: `insert into execution_steps
      (execution_id, position, stream_id, name, wave, plan, status, tries, job_id, reserved_usd, note)
    select $1, v.* from ${STEP_ROWS.sql}
    on conflict (execution_id, position) do update set status = excluded.status,
      tries = excluded.tries, job_id = excluded.job_id, reserved_usd = excluded.reserved_usd,
      note = excluded.note`,
};

export async function saveSteps(
  tx: Queryable,
  executionId: string,
  steps: readonly Step[],
): Promise<void> {
  if (steps.length > 0) await tx.query(SAVE_STEPS, [executionId, ...STEP_ROWS.values(steps)]);
}

/** An execution that is being changed, with its steps as they are and as they were saved. */
export interface OpenExecution {
  execution: LockedExecution;
  steps: Step[];
  saved: Map<number, string>;
}

const stateOf = ({ status, tries, jobId, reservedUsd, note }: Step) =>
  JSON.stringify([status, tries, jobId, reservedUsd, note]);

const statesOf = (steps: readonly Step[]) =>
  new Map(steps.map((step) => [step.position, stateOf(step)]));

/** Undefined when it has ended. */
export async function openExecution(
  tx: Queryable,
  executionId: string,
): Promise<OpenExecution | undefined> {
  const execution = await lockExecution(tx, executionId);
  if (execution?.status !== 'running') return undefined;
  const steps = await listSteps(tx, executionId);
  return { execution, steps, saved: statesOf(steps) };
}

/** Plans can be long, and most steps of a large execution stay as they are. */
export async function saveChangedSteps(tx: Queryable, open: OpenExecution): Promise<void> {
  const changed = open.steps.filter((step) => open.saved.get(step.position) !== stateOf(step));
  await saveSteps(tx, open.execution.id, changed);
  open.saved = statesOf(open.steps);
}

export async function saveArtifact(
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

export interface ExecutionInput {
  task: string;
  context: ExecutionContext;
}

export async function findInput(tx: Queryable, executionId: string): Promise<ExecutionInput> {
  const { rows } = await tx.query<{ task: string; context: string }>(
    { name: 'execution_input', text: 'select task, context from executions where id = $1' },
    [executionId],
  );
  const row = rows[0]!;
  return { task: fromJsonText(row.task), context: JSON.parse(row.context) as ExecutionContext };
}
