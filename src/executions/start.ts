// Writes a new execution beside the job that plans it, in the transaction that accepts the job.
import { largestCost } from '../domain/usage/largest-cost.ts';
import type { Price } from '../domain/usage/largest-cost.ts';
import { isCovered } from '../domain/usage/reservation.ts';
import {
  PLANNING,
  executionBudget,
  newStep,
  overBudget,
  planningStep,
} from '../domain/execution/model.ts';
import type { Step } from '../domain/execution/model.ts';
import {
  findOpenExecution,
  insertExecution,
  recordEvent,
} from '../store/executions/execution-rows.ts';
import { insertSteps } from '../store/executions/execution-steps.ts';
import { endInTx } from '../store/jobs/finalize-jobs.ts';
import type { PrepareAdvance } from '../store/jobs/finalize-jobs.ts';
import type { JobEnd } from '../store/jobs/job-outcome.ts';
import type { NewJob } from '../store/jobs/new-job.ts';
import { lockForEnd } from '../store/jobs/lock-for-end.ts';
import type { LetInDeps } from '../store/jobs/parked-jobs.ts';
import type { StartExecution } from '../store/jobs/submit-jobs.ts';
import type { Queryable } from '../store/postgres/db.ts';
import { fromJsonText, toJsonText } from '../store/postgres/json-text.ts';
import type { PendingSignals } from '../store/postgres/signals.ts';
import { insertWebhook } from '../store/webhooks/webhooks.ts';
import { closeExecution } from './close.ts';

export interface StartDeps extends LetInDeps {
  price: Price;
  prepareAdvance: PrepareAdvance;
}

/** The planning of a task that was planned before ends at once, and the first steps are queued. */
async function runPlanned(
  tx: Queryable,
  deps: StartDeps,
  { job, by, signals }: { job: NewJob; by: string; signals: PendingSignals },
): Promise<void> {
  const { jobId, teamId, maxTokens } = job;
  const executionId = job.executionId!;
  const end: JobEnd = {
    jobId,
    runId: job.runId!,
    teamId,
    attempt: undefined,
    ending: {
      kind: 'completed',
      stopReason: 'stop',
      output: toJsonText(`The plan of ${by}, which was made before.`),
      artifact: undefined,
      filesChanged: '[]',
    },
    used: undefined,
    textGeneration: 0,
  };
  const advance = await deps.prepareAdvance([end]);
  const capped = await lockForEnd(tx, [end], [teamId]);
  const { written, letIn } = await endInTx(tx, deps, [end], capped);
  await written;
  signals.add('ended', jobId);
  if (letIn > 0) signals.add('work');
  await advance(tx, [{ executionId, end, maxTokens }], { capped, signals });
}

export function createExecutionStarter(deps: StartDeps): StartExecution {
  return async (tx, job, execution, signals) => {
    const { id, maxSteps, dryRun, budgetUsd, planned } = execution;
    const { teamId, userId, provider, model, maxTokens, serviceTier } = job;
    const prompt = fromJsonText(job.prompt);
    const cost =
      budgetUsd === undefined || planned
        ? 0
        : largestCost(deps.price, { provider, model, prompt, maxTokens, serviceTier });
    const now = await insertExecution(tx, job, execution, cost ?? 0);
    const step: Step = {
      ...newStep(planningStep(PLANNING), PLANNING),
      status: planned ? 'complete' : 'queued',
      tries: 1,
      jobId: job.jobId,
      reservedUsd: cost ?? 0,
    };
    await insertSteps(tx, id, [step, ...(planned?.steps ?? []).map(newStep)]);
    if (execution.webhook) await insertWebhook(tx, execution.webhook);
    const source = { id, teamId, userId, sequence: 0, now };
    const result = { task: fromJsonText(execution.task), maxSteps, dryRun };
    await recordEvent(tx, source, signals, {
      event: 'execution.started',
      data: { status: 'running', result },
      kept: { status: 'running', maxSteps, dryRun },
    });
    if (planned) return runPlanned(tx, deps, { job, by: planned.by, signals });
    const budget = executionBudget({ budgetUsd: budgetUsd ?? null, spentUsd: 0 }, []);
    if (isCovered(budget, cost)) return;
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
