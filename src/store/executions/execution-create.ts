// Writes a new execution beside the job that plans it, in the transaction that accepts the job.
import type { Price } from '../../domain/execution/budget.ts';
import { largestCost } from '../../domain/execution/budget.ts';
import { PLANNING, planningStep } from '../../domain/execution/model.ts';
import type { Step } from '../../domain/execution/model.ts';
import type { Queryable } from '../postgres/db.ts';
import { overBudget } from './execution-budget.ts';
import { closeExecution } from './execution-close.ts';
import type { Effects } from './execution-effects.ts';
import { recordEvent } from './execution-record.ts';
import { openExecution, saveSteps } from './execution-rows.ts';
import { fromJsonText } from '../postgres/json-text.ts';
import type { NewExecution, NewJob } from '../jobs/new-job.ts';
import { lockCappedTeams } from '../jobs/parked-jobs.ts';
import type { Queue } from '../jobs/queue.ts';
import { insertWebhook } from '../webhooks/webhooks.ts';

const INSERT = {
  name: 'execution_insert',
  text: `insert into executions (id, user_id, team_id, api_key_id, run_id, status, task, context, dry_run,
      max_steps, timeout_ms, budget_usd, reserved_usd, provider, model, simulated, max_tokens,
      sequence, deadline_at)
    values ($1, $2, $3, $4, $5, 'running', $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 1,
      now() + $10::int * interval '1 millisecond')
    returning created_at as now`,
};

export async function createExecution(
  tx: Queryable,
  deps: { queue: Queue; effects: Effects; price?: Price },
  job: NewJob,
  execution: NewExecution,
): Promise<void> {
  const { id, maxSteps, dryRun, budgetUsd } = execution;
  const { userId, teamId, provider, model, maxTokens } = job;
  const price = deps.price ?? (() => null);
  const prompt = fromJsonText(job.prompt);
  const cost =
    budgetUsd === undefined ? 0 : largestCost(price, { provider, model, prompt, maxTokens });
  const { rows } = await tx.query<{ now: Date }>(INSERT, [
    id,
    userId,
    teamId,
    job.apiKeyId,
    job.runId,
    execution.task,
    execution.context,
    dryRun,
    maxSteps,
    execution.timeoutMs,
    budgetUsd,
    cost ?? 0,
    provider,
    model,
    job.simulated,
    execution.maxTokens,
  ]);
  const step: Step = {
    ...planningStep(PLANNING),
    position: PLANNING,
    status: 'queued',
    tries: 1,
    jobId: job.jobId,
    reservedUsd: cost ?? 0,
    note: null,
  };
  await saveSteps(tx, id, [step]);
  if (execution.webhook) await insertWebhook(tx, execution.webhook);
  const source = { id, teamId, userId, sequence: 0, now: rows[0]!.now };
  const result = { task: fromJsonText(execution.task), maxSteps, dryRun };
  await recordEvent(tx, source, deps.effects, {
    event: 'execution.started',
    data: { status: 'running', result },
    kept: { status: 'running', maxSteps, dryRun },
  });
  if (budgetUsd === undefined || (cost !== null && cost <= budgetUsd)) return;
  // Known before the first call: the job never leaves this transaction.
  const open = (await openExecution(tx, id))!;
  const capped = await lockCappedTeams(tx, [teamId]);
  const error = overBudget(open.execution, step, cost);
  await closeExecution(tx, { ...deps, capped }, open, { status: 'failed', error });
}
