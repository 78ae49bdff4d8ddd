// Ends an execution: its open jobs are cancelled, and what was done is kept. In the transaction that
// found its end, or from outside: on a caller's request, or because its time is over.
import type { Artifact } from '../contract/artifact.ts';
import { dependentsOf, progressOf, timedOut } from '../domain/execution/model.ts';
import type {
  ExecutionError,
  ExecutionResult,
  FinalState,
  Step,
} from '../domain/execution/model.ts';
import { endedSummary, filesChangedBy } from '../domain/execution/results.ts';
import {
  completeExecution,
  findOpenExecution,
  listDueExecutions,
  updateChangedSteps,
  recordEvent,
} from '../store/executions/execution-rows.ts';
import type { ExecutionRef, OpenExecution } from '../store/executions/execution-rows.ts';
import { listArtifacts } from '../store/executions/execution-steps.ts';
import { endInTx } from '../store/jobs/finalize-jobs.ts';
import { LOST_CODE } from '../store/jobs/job-outcome.ts';
import type { JobEnd } from '../store/jobs/job-outcome.ts';
import { lockForEnd } from '../store/jobs/lock-for-end.ts';
import type { LetInDeps } from '../store/jobs/parked-jobs.ts';
import { createCoalescer } from '../store/postgres/coalesce.ts';
import type { Db, Queryable } from '../store/postgres/db.ts';
import { collectSignals } from '../store/postgres/signals.ts';
import type { PendingSignals, Signals } from '../store/postgres/signals.ts';

export interface CloseDeps extends LetInDeps {
  signals: PendingSignals;
  /** See endInTx. */
  capped: readonly string[];
}

export type Ending =
  | { status: 'completed'; result: ExecutionResult }
  | { status: 'failed'; error: ExecutionError; failedAt?: number }
  | { status: 'cancelled' };

async function cancelJobs(
  tx: Queryable,
  deps: CloseDeps,
  { execution, steps }: OpenExecution,
): Promise<void> {
  const { signals, capped } = deps;
  const open = steps.filter(({ status }) => status === 'queued');
  if (open.length === 0) return;
  const ends = open.map(({ jobId }): JobEnd => ({
    jobId: jobId!,
    runId: execution.runId,
    teamId: execution.teamId,
    attempt: undefined,
    ending: { kind: 'cancelled' },
    used: undefined,
    textGeneration: 0,
  }));
  const { ended, letIn, written } = await endInTx(tx, deps, ends, capped);
  await written;
  const was = new Map([...ended.values()].map((row) => [row.id, row.was]));
  for (const step of open) {
    const ran = was.get(step.jobId!) === 'running';
    step.status = ran ? 'failed' : 'skipped';
    step.reservedUsd = 0;
    signals.add('ended', step.jobId!);
    if (ran) signals.add('cancel', step.jobId!);
  }
  if (letIn > 0) signals.add('work');
}

/** What never started: blocked behind a failed step, otherwise skipped. */
function closeWaiting(steps: readonly Step[], failedAt: number | undefined): void {
  const blocked = failedAt === undefined ? new Set<number>() : dependentsOf(steps, failedAt);
  for (const step of steps) {
    if (step.status !== 'pending') continue;
    step.status = blocked.has(step.position) ? 'blocked' : 'skipped';
  }
}

function resultOf(open: OpenExecution, ending: Ending, artifacts: Artifact[]): ExecutionResult {
  const simulated = open.execution.simulated ? { simulated: true as const } : {};
  if (ending.status === 'completed') return { ...ending.result, ...simulated };
  const { current: done, total } = progressOf(open.steps);
  const error = ending.status === 'failed' ? ending.error : undefined;
  const summary = endedSummary(ending.status, { done, total }, error?.message);
  return { success: false, artifacts, summary, ...(error && { error }), ...simulated };
}

function eventData(ending: Ending, result: ExecutionResult, finalState: FinalState) {
  const { status } = ending;
  switch (status) {
    case 'completed':
      return { status, result };
    case 'failed':
      return { status, result, error: ending.error };
    case 'cancelled':
      return { status, result, finalState };
  }
}

/** The caller has locked the execution and found it running. */
export async function closeExecution(
  tx: Queryable,
  deps: CloseDeps,
  open: OpenExecution,
  ending: Ending,
): Promise<FinalState> {
  const { execution, steps } = open;
  const current = steps.find(({ position, status }) => position >= 0 && status === 'queued');
  await cancelJobs(tx, deps, open);
  closeWaiting(steps, ending.status === 'failed' ? ending.failedAt : undefined);
  const artifacts = [...(await listArtifacts(tx, execution.id)).values()];
  const progress = progressOf(steps);
  const finalState: FinalState = {
    progress,
    currentStep: current?.position ?? null,
    tokensUsed: execution.tokensUsed,
    filesChanged: filesChangedBy(artifacts),
  };
  const result = resultOf(open, ending, artifacts);
  await recordEvent(tx, execution, deps.signals, {
    event: `execution.${ending.status}`,
    data: eventData(ending, result, finalState),
    kept: null,
  });
  await updateChangedSteps(tx, open);
  // A run gives its quota back when it never started, or when the server lost all that it did.
  const isLost =
    ending.status === 'failed' && ending.error.code === LOST_CODE && progress.current === 0;
  await completeExecution(tx, execution, {
    status: ending.status,
    result: JSON.stringify(result),
    progress,
    refund: !execution.hasStarted || isLost,
  });
  return finalState;
}

export interface ExecutionCloser {
  /** Undefined when it had ended. */
  cancel(execution: ExecutionRef): Promise<FinalState | undefined>;
  /** Fails those whose time is over; returns how many. */
  failDue(): Promise<number>;
}

export function createExecutionCloser(
  deps: LetInDeps & { db: Db; signals: Signals },
): ExecutionCloser {
  async function close(ref: ExecutionRef, ending: Ending): Promise<FinalState | undefined> {
    const signals = collectSignals();
    const finalState = await deps.db.tx(async (tx) => {
      const capped = await lockForEnd(tx, [ref], [ref.teamId]);
      const open = await findOpenExecution(tx, ref.id);
      return open && closeExecution(tx, { ...deps, signals, capped }, open, ending);
    });
    signals.sendBy(deps.signals);
    return finalState;
  }

  // One at a time each; the coalescer is here for its retries when two transactions collide.
  const coalescer = createCoalescer({
    run: async ([item]: { ref: ExecutionRef; ending: Ending }[]) => [
      await close(item!.ref, item!.ending),
    ],
    maxBatch: 1,
    maxConcurrent: 4,
  });

  return {
    cancel: (ref) => coalescer.add({ ref, ending: { status: 'cancelled' } }),
    async failDue() {
      const due = await listDueExecutions(deps.db);
      const ending: Ending = { status: 'failed', error: timedOut() };
      const closed = await Promise.all(due.map((ref) => coalescer.add({ ref, ending })));
      return closed.filter((state) => state !== undefined).length;
    },
  };
}
