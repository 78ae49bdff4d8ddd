// What a caller sees of an execution. The result is stored as JSON text and goes out as it is.
import type { ListedExecution } from '../../contract/execution-api.ts';
import type { ExecutionRow } from '../../store/executions/executions.ts';
import type { StepView } from '../../store/executions/execution-steps.ts';
import { roundUsd } from '../../domain/usage/usage-month.ts';
import { fromJsonText } from '../../store/postgres/json-text.ts';

export const statusUrlOf = (id: string) => `/v1/executions/${id}`;

export function listedView(row: ExecutionRow): ListedExecution {
  return {
    id: row.id,
    status: row.status,
    task: fromJsonText(row.task),
    createdAt: row.createdAt.toISOString(),
    completedAt: row.endedAt?.toISOString() ?? null,
    statusUrl: statusUrlOf(row.id),
    progress: { current: row.stepsDone, total: row.stepsTotal },
    metrics: {
      duration: Math.max(0, Math.round(row.durationMs)),
      tokensUsed: row.tokensUsed,
      costUsd: row.costUsd === null ? null : roundUsd(row.costUsd),
      ...(row.unpricedCalls > 0 ? { unpricedCalls: row.unpricedCalls } : {}),
      ...(row.usageEstimated ? { usageEstimated: true } : {}),
    },
  };
}

export function currentStepOf(steps: readonly StepView[]): number | null {
  return steps.find((step) => step.status === 'in_progress')?.index ?? null;
}

/** From the steps where they are at hand: they were read after the row, and may be further. */
export function progressOf(row: ExecutionRow, steps: readonly StepView[]) {
  if (row.status !== 'running' || steps.length === 0) return listedView(row).progress;
  const done = steps.filter(({ status }) => status === 'complete');
  return { current: done.length, total: steps.length };
}

export function executionView(row: ExecutionRow, steps: readonly StepView[]): string {
  const { id, status, progress: _, metrics, ...listed } = listedView(row);
  const progress = progressOf(row, steps);
  const currentStep = row.status === 'running' ? currentStepOf(steps) : null;
  const { runId, model, provider, simulated, dryRun, maxSteps, budgetUsd } = row;
  const head = JSON.stringify({ id, status, progress });
  const tail = JSON.stringify({
    metrics,
    steps,
    currentStep,
    ...listed,
    runId,
    model,
    provider,
    simulated,
    dryRun,
    maxSteps,
    budgetUsd,
  });
  return `${head.slice(0, -1)},"result":${row.result ?? 'null'},${tail.slice(1)}`;
}
