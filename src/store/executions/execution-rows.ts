// Executions and their steps as the transactions that change them read and write them.
import type { Reasoning, ServiceTier } from '../../contract/fields.ts';
import type { PlannedTask } from '../../domain/execution/known-files.ts';
import { progressOf, reservedForSteps } from '../../domain/execution/model.ts';
import type { ExecutionContext, Step } from '../../domain/execution/model.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { BASE_MAX_TOKENS } from '../../domain/model/model-limits.ts';
import type { ExecutionEventName } from '../../domain/webhook/webhook-events.ts';
import type { NewExecution, NewJob } from '../jobs/new-job.ts';
import type { Queryable } from '../postgres/db.ts';
import { fromJsonText } from '../postgres/json-text.ts';
import type { PendingSignals } from '../postgres/signals.ts';
import { addToMonths } from '../usage/usage-months.ts';
import { emitEvent } from '../webhooks/webhook-outbox.ts';
import { insertSteps, listSteps } from './execution-steps.ts';

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
  reasoning: Reasoning | null;
  serviceTier: ServiceTier | null;
  provider: string;
  model: string;
  simulated: boolean;
  trace: string | null;
  sequence: number;
  /** The run's, whose jobs may have been ended in this transaction; nothing where they are simulated. */
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
      coalesce(e.max_tokens, ${BASE_MAX_TOKENS}) as "maxTokens", e.reasoning, e.service_tier as "serviceTier",
      e.provider, e.model, e.simulated, e.trace, e.sequence, case when e.simulated then 0 else r.cost_usd end as "spentUsd",
      (r.tokens_input + r.tokens_output)::float8 as "tokensUsed",
      r.worked or r.status <> 'pending' as "hasStarted",
      (extract(epoch from e.deadline_at - now()) * 1000)::float8 as "remainingMs", now() as now
    from executions e join teams t on t.id = e.team_id join runs r on r.team_id = e.team_id and r.id = e.run_id
    where e.id = $1 for update of e`,
};

/** The execution's user and run must be locked before. */
async function lockExecution(tx: Queryable, id: string): Promise<LockedExecution | undefined> {
  const { rows } = await tx.query<LockedExecution>(LOCK, [id]);
  return rows[0];
}

const INSERT = {
  name: 'execution_insert',
  text: `insert into executions (id, user_id, team_id, api_key_id, run_id, status, task, context, dry_run,
      max_steps, timeout_ms, budget_usd, reserved_usd, provider, model, simulated, max_tokens,
      sequence, reasoning, trace, service_tier, deadline_at)
    values ($1, $2, $3, $4, $5, 'running', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 1, $17, $18, $19,
      now() + $10::int * interval '1 millisecond')
    returning created_at as now`,
};

/** With its first event, which the caller writes. Returns the time. */
export async function insertExecution(
  tx: Queryable,
  job: NewJob,
  execution: NewExecution,
  reservedUsd: number,
): Promise<Date> {
  const { rows } = await tx.query<{ now: Date }>(INSERT, [
    execution.id,
    job.userId,
    job.teamId,
    job.apiKeyId,
    job.runId,
    execution.task,
    execution.context,
    execution.dryRun,
    execution.maxSteps,
    execution.timeoutMs,
    execution.budgetUsd,
    reservedUsd,
    job.provider,
    job.model,
    job.simulated,
    execution.maxTokens,
    execution.reasoning,
    job.trace,
    execution.serviceTier,
  ]);
  return rows[0]!.now;
}

const UPDATE = {
  name: 'execution_save',
  text: `update executions set sequence = $2, steps_done = $3, steps_total = $4, reserved_usd = $5
         where id = $1`,
};

/** Of one that stays open, with its steps. */
export async function updateExecution(tx: Queryable, open: OpenExecution): Promise<void> {
  const { execution, steps } = open;
  await updateChangedSteps(tx, open);
  const { current, total } = progressOf(steps);
  const reservedUsd = reservedForSteps(steps);
  await tx.query(UPDATE, [execution.id, execution.sequence, current, total, reservedUsd]);
}

const COMPLETE = {
  name: 'execution_close',
  text: `update executions set status = $2, result = $3, sequence = $4, steps_done = $5,
           steps_total = $6, reserved_usd = 0, ended_at = now()
         where id = $1`,
};

const COMPLETE_RUN = {
  name: 'execution_close_run',
  text: `update runs r set status = $2, ended_at = now(),
      duration_ms = (extract(epoch from now() - started_at) * 1000)::bigint,
      quota_month = case when $3 then null else r.quota_month end
    from (select team_id, id, quota_month from runs where team_id = $4 and id = $1) old
    where r.team_id = old.team_id and r.id = old.id
    returning case when $3 then old.quota_month::text end as month`,
};

const RUN_STATUS = { completed: 'complete', failed: 'failed', cancelled: 'cancelled' } as const;

/** Writes the end of an execution and of its run. `refund`: the run gives its quota back. */
export async function completeExecution(
  tx: Queryable,
  { id, teamId, runId, sequence }: LockedExecution,
  end: {
    status: Exclude<ExecutionStatus, 'running'>;
    /** JSON text. */
    result: string;
    progress: { current: number; total: number };
    refund: boolean;
  },
): Promise<void> {
  const { current, total } = end.progress;
  await tx.query(COMPLETE, [id, end.status, end.result, sequence, current, total]);
  const { rows } = await tx.query<{ month: string | null }>(COMPLETE_RUN, [
    runId,
    RUN_STATUS[end.status],
    end.refund,
    teamId,
  ]);
  const refunds = rows.flatMap(({ month }) =>
    month === null ? [] : [{ teamId, month, runsCounted: -1 }],
  );
  await addToMonths(tx, refunds);
}

export interface ExecutionRef {
  id: string;
  teamId: string;
  runId: string;
}

const MAX_DUE = 100;

/** Those whose time is over. */
export async function listDueExecutions(db: Queryable): Promise<ExecutionRef[]> {
  const { rows } = await db.query<ExecutionRef>(
    `select id, team_id as "teamId", run_id as "runId" from executions
     where status = 'running' and deadline_at < now() order by deadline_at limit ${MAX_DUE}`,
  );
  return rows;
}

export interface EventSource {
  id: string;
  teamId: string;
  userId: string;
  /** The number of the last event; raised here, and to be saved with the execution. */
  sequence: number;
  now: Date;
}

export interface NewEvent {
  event: ExecutionEventName;
  /** What webhooks get, beside the execution and the number of the event. */
  data: Record<string, unknown>;
  /** What is kept; nothing for the last event, which readers see in the execution itself. */
  kept: Record<string, unknown> | null;
}

const INSERT_EVENT = {
  name: 'execution_insert_event',
  text: `insert into execution_events (execution_id, sequence, event, data)
         values ($1, $2, $3, $4)`,
};

/** For readers who follow the execution, and for webhooks. */
export async function recordEvent(
  tx: Queryable,
  source: EventSource,
  signals: PendingSignals,
  { event, data, kept }: NewEvent,
): Promise<void> {
  source.sequence += 1;
  const { id: executionId, teamId, userId, sequence, now } = source;
  await tx.query(INSERT_EVENT, [executionId, sequence, event, kept && JSON.stringify(kept)]);
  const outgoing = { teamId, userId, executionId, event, sequence, timestamp: now, data };
  if ((await emitEvent(tx, outgoing)) > 0) signals.add('webhooks');
  signals.add('progress', executionId);
}

/** An execution that is being changed, with its steps as they are and as they were saved. */
export interface OpenExecution {
  execution: LockedExecution;
  steps: Step[];
  saved: Map<number, string>;
}

const stateOf = ({ status, tries, jobId, reservedUsd, note, maxTokens }: Step) =>
  JSON.stringify([status, tries, jobId, reservedUsd, note, maxTokens]);

const statesOf = (steps: readonly Step[]) =>
  new Map(steps.map((step) => [step.position, stateOf(step)]));

/** Undefined when it has ended. */
export async function findOpenExecution(
  tx: Queryable,
  executionId: string,
): Promise<OpenExecution | undefined> {
  const execution = await lockExecution(tx, executionId);
  if (execution?.status !== 'running') return undefined;
  const steps = await listSteps(tx, executionId);
  return { execution, steps, saved: statesOf(steps) };
}

/** Plans can be long, and most steps of a large execution stay as they are. */
export async function updateChangedSteps(tx: Queryable, open: OpenExecution): Promise<void> {
  const changed = open.steps.filter((step) => open.saved.get(step.position) !== stateOf(step));
  await insertSteps(tx, open.execution.id, changed);
  open.saved = statesOf(open.steps);
}

/** What it was asked for, which does not change. */
export type ExecutionInput = PlannedTask;

interface ExecutionChoices {
  timeout: number;
  maxTokens: number;
  reasoning: Reasoning | null;
  serviceTier: ServiceTier | null;
}

/** What the caller chose for it, for another like it. */
export async function findChoices(db: Queryable, executionId: string): Promise<ExecutionChoices> {
  const { rows } = await db.query<ExecutionChoices>(
    {
      name: 'execution_choices',
      text: `select timeout_ms as timeout, coalesce(max_tokens, ${BASE_MAX_TOKENS}) as "maxTokens", reasoning,
               service_tier as "serviceTier"
             from executions where id = $1`,
    },
    [executionId],
  );
  return rows[0]!;
}

export async function findInput(tx: Queryable, executionId: string): Promise<ExecutionInput> {
  const { rows } = await tx.query<Omit<ExecutionInput, 'context'> & { context: string }>(
    {
      name: 'execution_input',
      text: `select task, context, max_steps as "maxSteps", provider, model,
               coalesce(max_tokens, ${BASE_MAX_TOKENS}) as "maxTokens"
             from executions where id = $1`,
    },
    [executionId],
  );
  const { task, context, ...limits } = rows[0]!;
  const given = JSON.parse(context) as ExecutionContext;
  return { ...limits, task: fromJsonText(task), context: given };
}
