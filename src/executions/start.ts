// Writes a new execution beside the job that plans it, in the transaction that accepts the job.
import { largestCost, overBudget } from '../domain/execution/budget.ts';
import type { Price } from '../domain/execution/budget.ts';
import { PLANNING, planningStep } from '../domain/execution/model.ts';
import type { Step } from '../domain/execution/model.ts';
import { findOpenExecution, insertExecution } from '../store/executions/execution-rows.ts';
import { insertSteps } from '../store/executions/execution-steps.ts';
import { lockForEnd } from '../store/jobs/lock-for-end.ts';
import type { LetInDeps } from '../store/jobs/parked-jobs.ts';
import type { StartExecution } from '../store/jobs/submit-jobs.ts';
import { fromJsonText } from '../store/postgres/json-text.ts';
import { insertWebhook } from '../store/webhooks/webhooks.ts';
import { closeExecution } from './close.ts';
import { recordEvent } from './events.ts';

export function createExecutionStarter(deps: LetInDeps & { price: Price }): StartExecution {
  return async (tx, job, execution, signals) => {
    const { id, maxSteps, dryRun, budgetUsd } = execution;
    const { teamId, userId, provider, model, maxTokens } = job;
    const prompt = fromJsonText(job.prompt);
    const cost =
      budgetUsd === undefined ? 0 : largestCost(deps.price, { provider, model, prompt, maxTokens });
    const now = await insertExecution(tx, job, execution, cost ?? 0);
    const step: Step = {
      ...planningStep(PLANNING),
      position: PLANNING,
      status: 'queued',
      tries: 1,
      jobId: job.jobId,
      reservedUsd: cost ?? 0,
      note: null,
      maxTokens: null,
    };
    await insertSteps(tx, id, [step]);
    if (execution.webhook) await insertWebhook(tx, execution.webhook);
    const source = { id, teamId, userId, sequence: 0, now };
    const result = { task: fromJsonText(execution.task), maxSteps, dryRun };
    await recordEvent(tx, source, signals, {
      event: 'execution.started',
      data: { status: 'running', result },
      kept: { status: 'running', maxSteps, dryRun },
    });
    if (budgetUsd === undefined || (cost !== null && cost <= budgetUsd)) return;
    // Known before the first call: the job never leaves this transaction.
    const open = (await findOpenExecution(tx, id))!;
    const capped = await lockForEnd(tx, [{ teamId }]);
    const error = overBudget(open.execution, step, cost);
    await closeExecution(tx, { ...deps, signals, capped }, open, {
      status: 'failed',
      error,
    });
  };
}
