// Moves executions on when one of their jobs has ended, in the transaction that ends the job: its
// answer is recorded, what may start now is queued, and an execution with nothing left is closed.
// There is no other state, so a crash can cost at most the calls that were under way.
import type { Price } from '../../domain/execution/budget.ts';
import {
  judgeCutOff,
  judgeCutOffPlan,
  judgeFailure,
  judgeRefused,
} from '../../domain/execution/answers.ts';
import type { Judged } from '../../domain/execution/answers.ts';
import { mergeArtifacts } from '../../domain/execution/results.ts';
import { PLANNING, REPAIR, planningStep } from '../../domain/execution/model.ts';
import type { Step } from '../../domain/execution/model.ts';
import { readAnswer } from '../../domain/execution/answers.ts';
import type { StepAnswer } from '../../domain/execution/answers.ts';
import { readPlan } from '../../domain/execution/read-plan.ts';
import { completedSummary, planResult } from '../../domain/execution/results.ts';
import type { Queryable } from '../postgres/db.ts';
import { CANCELLED_CODE, CANCELLED_ERROR } from '../jobs/end-jobs-sql.ts';
import { isRetryableConflict, isUnavailable } from '../postgres/errors.ts';
import type { ReadAnswers } from './execution-answers.ts';
import { overBudget } from './execution-budget.ts';
import { closeExecution, progressOf } from './execution-close.ts';
import type { CloseDeps, Ending } from './execution-close.ts';
import { createHeavy, promptOf, queueReady } from './execution-queue.ts';
import type { Heavy } from './execution-queue.ts';
import { recordEvent } from './execution-record.ts';
import { openExecution, saveArtifact, saveChangedSteps } from './execution-rows.ts';
import type { OpenExecution } from './execution-rows.ts';
import { listStepViews } from './execution-steps.ts';
import type { JobEnd } from '../jobs/job-end.ts';
import { fromJsonText } from '../postgres/json-text.ts';

export interface AdvanceDeps extends CloseDeps {
  price?: Price;
  /** Answers that were read before the transaction. */
  answers: ReadAnswers;
  onError?(error: unknown): void;
}

export interface EndedJob {
  executionId: string;
  end: JobEnd;
  /** The output tokens that it was allowed. */
  maxTokens: number;
}

type Failed = Extract<Judged, { kind: 'failed' }> & { position: number };

const NEW_STEP = {
  status: 'pending',
  tries: 0,
  jobId: null,
  reservedUsd: 0,
  note: null,
} as const satisfies Partial<Step>;

function addPlan(open: OpenExecution, step: Step, output: string): Failed | undefined {
  const plan = readPlan(output, open.execution.maxSteps);
  if (plan.kind === 'plan') {
    step.status = 'complete';
    const added = plan.steps.map((planned, position) => ({ ...planned, ...NEW_STEP, position }));
    open.steps.push(...added);
    return undefined;
  }
  step.status = 'failed';
  const note = plan.problems.map((problem) => `- ${problem}`).join('\n');
  if (step.position === PLANNING) {
    open.steps.push({ ...planningStep(REPAIR), ...NEW_STEP, position: REPAIR, note });
    return undefined;
  }
  const message = `The model gave no usable plan: ${plan.problems.join('; ')}`;
  return { kind: 'failed', code: 'PLAN_INVALID', message, position: step.position };
}

function applyJudged(step: Step, judged: Judged): Failed | undefined {
  if (judged.kind === 'failed') {
    step.status = 'failed';
    return { ...judged, position: step.position };
  }
  step.status = 'pending';
  step.note = judged.note ?? step.note;
  return undefined;
}

/** Only when it could not be read before. */
async function readNow(
  open: OpenExecution,
  { output, step, heavy }: { output: string; step: Step; heavy: Heavy },
): Promise<StepAnswer> {
  const tree = await heavy.treeFor(open.steps, step.position);
  return readAnswer(output, step, () => tree);
}

/** Takes in the end of one job; returns the failure that ends the execution, if it is one. */
async function takeIn(
  tx: Queryable,
  open: OpenExecution,
  { end, maxTokens }: EndedJob,
  { step, heavy, answers }: { step: Step; heavy: Heavy; answers: ReadAnswers },
): Promise<Failed | undefined> {
  const { ending, used } = end;
  step.reservedUsd = 0;
  if (ending.kind === 'failed') {
    const failure = { code: ending.errorCode, message: ending.error };
    return applyJudged(step, judgeFailure(step, failure));
  }
  if (ending.kind !== 'completed') {
    const failure = { code: CANCELLED_CODE, message: CANCELLED_ERROR };
    return applyJudged(step, judgeFailure(step, failure));
  }
  if (ending.stopReason === 'length') {
    const cut = { maxTokens, outputTokens: used?.output ?? maxTokens };
    return applyJudged(step, step.position < 0 ? judgeCutOffPlan(cut) : judgeCutOff(step, cut));
  }
  const output = fromJsonText(ending.output);
  if (step.position < 0) return addPlan(open, step, output);
  const answer = answers.get(end) ?? (await readNow(open, { output, step, heavy }));
  switch (answer.kind) {
    case 'artifact':
      step.status = 'complete';
      step.note = null;
      await saveArtifact(tx, open.execution.id, step.position, answer.artifact);
      return undefined;
    case 'refused':
      return applyJudged(step, judgeRefused(step, answer));
    case 'given_up': {
      const failure = { code: 'STEP_GIVEN_UP', message: answer.message };
      return applyJudged(step, judgeFailure(step, failure));
    }
  }
}

async function dryResult(open: OpenExecution, deps: AdvanceDeps, heavy: Heavy): Promise<Ending> {
  const planned = open.steps.filter(({ position }) => position >= 0);
  const prompts: string[] = [];
  for (const step of planned) {
    prompts.push((await promptOf(open, step, heavy)).prompt);
  }
  const { provider, model } = open.execution;
  const plan = planResult(
    planned,
    prompts,
    (usage) => deps.price?.(provider, model, usage) ?? null,
  );
  const summary = `A plan of ${planned.length} step${planned.length === 1 ? '' : 's'}; nothing was run.`;
  return { status: 'completed', result: { success: true, artifacts: [], summary, plan } };
}

async function completedResult(open: OpenExecution, heavy: Heavy): Promise<Ending> {
  const artifacts = await heavy.artifacts();
  const { context } = await heavy.input();
  const done = open.steps.flatMap((step) => {
    const artifact = artifacts.get(step.position);
    return artifact ? [{ ...step, artifact }] : [];
  });
  const merged = mergeArtifacts(done, context.contents);
  if (merged.kind === 'conflict') {
    return { status: 'failed', error: { code: 'CONFLICT', message: merged.message } };
  }
  const summary = completedSummary(merged.artifacts);
  return { status: 'completed', result: { success: true, artifacts: merged.artifacts, summary } };
}

async function tellCompleted(
  tx: Queryable,
  deps: AdvanceDeps,
  open: OpenExecution,
  positions: ReadonlySet<number>,
): Promise<void> {
  if (positions.size === 0) return;
  const { execution } = open;
  await saveChangedSteps(tx, open);
  for (const step of await listStepViews(tx, execution)) {
    if (!positions.has(step.index)) continue;
    await recordEvent(tx, execution, deps.effects, {
      event: 'execution.step_completed',
      data: { status: 'running', result: { step } },
      kept: { step },
    });
  }
}

const SAVE = {
  name: 'execution_save',
  text: `update executions set sequence = $2, steps_done = $3, steps_total = $4, reserved_usd = $5
         where id = $1`,
};

async function save(tx: Queryable, open: OpenExecution): Promise<void> {
  const { execution, steps } = open;
  await saveChangedSteps(tx, open);
  const { current, total } = progressOf(steps);
  const reserved = steps.reduce((sum, { reservedUsd }) => sum + reservedUsd, 0);
  await tx.query(SAVE, [execution.id, execution.sequence, current, total, reserved]);
}

/** How the execution ends now, or undefined when it goes on: then what is ready has been queued. */
async function goOn(
  tx: Queryable,
  deps: AdvanceDeps,
  open: OpenExecution,
  heavy: Heavy,
): Promise<Ending | undefined> {
  const { execution, steps } = open;
  const { current, total } = progressOf(steps);
  heavy.forgetArtifacts();
  if (total > 0 && execution.dryRun) return dryResult(open, deps, heavy);
  if (total > 0 && current === total) return completedResult(open, heavy);
  if (execution.remainingMs <= 0) return { status: 'failed', error: timedOut() };
  const held = await queueReady(tx, deps, open, heavy);
  if (held === undefined || steps.some(({ status }) => status === 'queued')) return undefined;
  return {
    status: 'failed',
    error: overBudget(execution, held.step, held.cost),
    failedAt: held.step.position,
  };
}

export function timedOut(): { code: string; message: string } {
  return { code: 'TIMEOUT', message: 'The time allowed for the execution is over.' };
}

async function advanceOne(
  tx: Queryable,
  deps: AdvanceDeps,
  executionId: string,
  ends: readonly EndedJob[],
): Promise<void> {
  const open = await openExecution(tx, executionId);
  if (open === undefined) return;
  const heavy = createHeavy(tx, executionId);
  let failed: Failed | undefined;
  const completed = new Set<number>();
  for (const end of ends) {
    const isOpen = ({ jobId, status }: Step) => jobId === end.end.jobId && status === 'queued';
    const step = open.steps.find(isOpen);
    if (step === undefined) continue;
    failed = (await takeIn(tx, open, end, { step, heavy, answers: deps.answers })) ?? failed;
    if (step.position >= 0 && step.status === 'complete') completed.add(step.position);
  }
  deps.effects.executions.add(executionId);
  await tellCompleted(tx, deps, open, completed);
  const { code, message, position } = failed ?? {};
  const ending: Ending | undefined =
    code !== undefined && message !== undefined
      ? { status: 'failed', error: { code, message }, failedAt: position! }
      : await goOn(tx, deps, open, heavy);
  if (ending) await closeExecution(tx, deps, open, ending);
  else await save(tx, open);
}

/** A bug must not keep the other jobs of the transaction from ending: their calls are paid for. */
async function failByBug(tx: Queryable, deps: AdvanceDeps, executionId: string): Promise<void> {
  const open = await openExecution(tx, executionId);
  if (open === undefined) return;
  const message = 'The server failed while it worked on this execution.';
  const error = { code: 'INTERNAL_ERROR', message };
  await closeExecution(tx, deps, open, { status: 'failed', error });
}

export async function advanceExecutions(
  tx: Queryable,
  deps: AdvanceDeps,
  ended: readonly EndedJob[],
): Promise<void> {
  const byExecution = Map.groupBy(ended, ({ executionId }) => executionId);
  for (const executionId of [...byExecution.keys()].sort()) {
    const ends = byExecution.get(executionId)!;
    await tx.query('savepoint advance');
    try {
      await advanceOne(tx, deps, executionId, ends);
    } catch (error) {
      if (isRetryableConflict(error) || isUnavailable(error)) throw error;
      deps.onError?.(error);
      await tx.query('rollback to savepoint advance');
      await failByBug(tx, deps, executionId);
    }
    await tx.query('release savepoint advance');
  }
}
