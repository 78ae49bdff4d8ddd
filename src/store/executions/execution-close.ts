// Ends an execution: whatever of it still waits or runs is cancelled, and what was done is kept.
import type { Artifact } from '../../contract/artifact.ts';
import type { ExecutionError, ExecutionResult, Step } from '../../domain/execution/model.ts';
import { endedSummary, filesChangedBy } from '../../domain/execution/results.ts';
import { dependentsOf } from '../../domain/execution/model.ts';
import type { Queryable } from '../postgres/db.ts';
import { LOST_CODE } from '../jobs/end-jobs-sql.ts';
import { endInTx } from '../jobs/end-jobs-tx.ts';
import type { Effects } from './execution-effects.ts';
import { recordEvent } from './execution-record.ts';
import { listArtifacts, saveChangedSteps } from './execution-rows.ts';
import type { OpenExecution } from './execution-rows.ts';
import type { JobEnd } from '../jobs/job-end.ts';
import type { Queue } from '../jobs/queue.ts';

export interface CloseDeps {
  queue: Queue;
  effects: Effects;
  /** See endInTx. */
  capped: readonly string[];
}

export type Ending =
  | { status: 'completed'; result: ExecutionResult }
  | { status: 'failed'; error: ExecutionError; failedAt?: number }
  | { status: 'cancelled' };

export interface FinalState {
  progress: { current: number; total: number };
  currentStep: number | null;
  tokensUsed: number;
  filesChanged: string[];
}

const isReal = ({ position }: Step) => position >= 0;

export function progressOf(steps: readonly Step[]): { current: number; total: number } {
  const real = steps.filter(isReal);
  return { current: real.filter((step) => step.status === 'complete').length, total: real.length };
}

async function cancelJobs(
  tx: Queryable,
  deps: CloseDeps,
  { execution, steps }: OpenExecution,
): Promise<void> {
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
  const { ended, letIn } = await endInTx(tx, deps.queue, ends, deps.capped);
  const was = new Map([...ended.values()].map((row) => [row.id, row.was]));
  for (const step of open) {
    const ran = was.get(step.jobId!) === 'running';
    step.status = ran ? 'failed' : 'skipped';
    step.reservedUsd = 0;
    deps.effects.endedJobs.add(step.jobId!);
    if (ran) deps.effects.stoppedJobs.add(step.jobId!);
  }
  if (letIn > 0) deps.effects.hasNewWork = true;
}

/** What never started: blocked where a failed step is in the way, otherwise left out. */
function giveUpWaiting(steps: readonly Step[], failedAt: number | undefined): void {
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

const CLOSE = {
  name: 'execution_close',
  text: `update executions set status = $2, result = $3, sequence = $4, steps_done = $5,
           steps_total = $6, reserved_usd = 0, ended_at = now()
         where id = $1`,
};

// A run gives its quota back when it never started, or when the server lost all that it did.
const CLOSE_RUN = {
  name: 'execution_close_run',
  text: `with old as (select team_id, quota_month from runs where id = $1),
    closed as (
      update runs set status = $2, ended_at = now(),
        duration_ms = (extract(epoch from now() - started_at) * 1000)::bigint,
        quota_month = case when $3 then null else quota_month end
      where id = $1
    )
    update usage_months m set runs_counted = greatest(0, m.runs_counted - 1)
    from old where $3 and m.team_id = old.team_id and m.month = old.quota_month`,
};

const RUN_STATUS = { completed: 'complete', failed: 'failed', cancelled: 'cancelled' } as const;

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
  const current = steps.find((step) => isReal(step) && step.status === 'queued');
  await cancelJobs(tx, deps, open);
  giveUpWaiting(steps, ending.status === 'failed' ? ending.failedAt : undefined);
  const artifacts = [...(await listArtifacts(tx, execution.id)).values()];
  const progress = progressOf(steps);
  const finalState: FinalState = {
    progress,
    currentStep: current?.position ?? null,
    tokensUsed: execution.tokensUsed,
    filesChanged: filesChangedBy(artifacts),
  };
  const result = resultOf(open, ending, artifacts);
  await recordEvent(tx, execution, deps.effects, {
    event: `execution.${ending.status}`,
    data: eventData(ending, result, finalState),
    kept: null,
  });
  await saveChangedSteps(tx, open);
  await tx.query(CLOSE, [
    execution.id,
    ending.status,
    JSON.stringify(result),
    execution.sequence,
    progress.current,
    progress.total,
  ]);
  const isLost =
    ending.status === 'failed' && ending.error.code === LOST_CODE && progress.current === 0;
  await tx.query(CLOSE_RUN, [
    execution.runId,
    RUN_STATUS[ending.status],
    !execution.hasStarted || isLost,
  ]);
  return finalState;
}
