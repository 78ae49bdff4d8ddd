// Moves executions on when one of their jobs has ended, in the transaction that ends the job: its
// answer is recorded, what may start now is queued, and an execution with nothing left is closed.
// There is no other state, so a crash can cost at most the calls that were under way.
import {
  judgeCutOff,
  judgeFailure,
  judgeRefused,
  readAnswer,
} from '../domain/execution/answers.ts';
import type { StepAnswer, StepFiles, StepVerdict } from '../domain/execution/answers.ts';
import type { Price } from '../domain/usage/largest-cost.ts';
import type { Tiers } from '../domain/job/tiers.ts';
import {
  PLANNING,
  REPAIR,
  newStep,
  overBudget,
  planningStep,
  progressOf,
  timedOut,
} from '../domain/execution/model.ts';
import type { Step } from '../domain/execution/model.ts';
import { filesForStep } from '../domain/execution/prompts.ts';
import { readPlan } from '../domain/execution/read-plan.ts';
import type { ReadPlan } from '../domain/execution/read-plan.ts';
import type { ComposedPlan } from '../manifest/compose/compose.ts';
import { writeManifest } from '../manifest/compose/write-manifest.ts';
import { sha256 } from '../platform/sha256.ts';
import { completedSummary, mergeArtifacts, planResult } from '../domain/execution/results.ts';
import {
  findOpenExecution,
  updateChangedSteps,
  updateExecution,
  recordEvent,
} from '../store/executions/execution-rows.ts';
import type { OpenExecution } from '../store/executions/execution-rows.ts';
import {
  listOpenStepViews,
  listSteps,
  updateArtifact,
} from '../store/executions/execution-steps.ts';
import type { EndedJob, PrepareAdvance } from '../store/jobs/finalize-jobs.ts';
import { cutOffOf } from '../domain/run/cut-off.ts';
import { CANCELLED_CODE, CANCELLED_ERROR } from '../store/jobs/job-outcome.ts';
import type { JobEnd } from '../store/jobs/job-outcome.ts';
import { inSavepoint } from '../store/postgres/db.ts';
import type { Db, Queryable } from '../store/postgres/db.ts';
import { isUnavailable } from '../store/postgres/errors.ts';
import { fromJsonText } from '../store/postgres/json-text.ts';
import { closeExecution } from './close.ts';
import type { CloseDeps, Ending } from './close.ts';
import { createStepInputs, promptOf, queueReady } from './queue-steps.ts';
import type { StepInputs } from './queue-steps.ts';

/** Of a step, or of the planning. */
type Answer = StepAnswer | ReadPlan;
type ReadAnswers = ReadonlyMap<JobEnd, Answer>;

interface Advancing extends CloseDeps {
  price: Price;
  /** Answers that were read before the transaction. */
  answers: ReadAnswers;
}

async function readOne(db: Db, executionId: string, end: JobEnd): Promise<Answer | undefined> {
  const { ending, jobId } = end;
  if (ending.kind !== 'completed' || ending.stopReason === 'length') return undefined;
  const steps = await listSteps(db, executionId);
  const step = steps.find((each) => each.jobId === jobId && each.status === 'queued');
  // Nobody waits for it any more.
  if (step === undefined) return undefined;
  const output = fromJsonText(ending.output);
  return readOutput(steps, { output, step, inputs: createStepInputs(db, executionId) });
}

async function readOutput(
  steps: readonly Step[],
  { output, step, inputs }: { output: string; step: Step; inputs: StepInputs },
): Promise<Answer> {
  if (step.position < 0) return readPlan(output, await inputs.task());
  const files = await filesOf(inputs, steps, step);
  return readAnswer(output, step, () => files);
}

/** What the prompt of the step was made from. */
async function filesOf(inputs: StepInputs, steps: readonly Step[], step: Step): Promise<StepFiles> {
  const { context } = await inputs.task();
  const tree = await inputs.filesFor(steps, step.position);
  const { files } = filesForStep(step, context, tree, sha256);
  const shown = new Set(files.map(({ path }) => path));
  return { tree, shown, given: context.contents, named: new Set(context.files) };
}

/**
 * Reads answers before the transaction: placing the edits of a large one, or repairing a large plan, takes its
 * time, in which the transaction would hold locks that others wait for. What they are read against cannot change any
 * more: the files that came with the task, and the artifacts of steps that were complete before.
 */
async function readAnswers(db: Db, batch: readonly JobEnd[]): Promise<ReadAnswers> {
  const answers = new Map<JobEnd, Answer>();
  for (const end of batch) {
    if (!end.executionId) continue;
    try {
      const answer = await readOne(db, end.executionId, end);
      if (answer !== undefined) answers.set(end, answer);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      // A bug shows again in the transaction, which knows what to do about it.
    }
  }
  return answers;
}

type Failed = Extract<StepVerdict, { kind: 'failed' }> & { position: number };

function refusePlan(
  open: OpenExecution,
  step: Step,
  problems: readonly string[],
): Failed | undefined {
  step.status = 'failed';
  const note = problems.map((problem) => `- ${problem}`).join('\n');
  if (step.position === PLANNING) {
    open.steps.push({ ...newStep(planningStep(REPAIR), REPAIR), note });
    return undefined;
  }
  const message = `The model did not return a usable plan: ${problems.join('; ')}`;
  return { kind: 'failed', code: 'PLAN_INVALID', message, position: step.position };
}

function applyVerdict(step: Step, verdict: StepVerdict): Failed | undefined {
  if (verdict.kind === 'failed') {
    step.status = 'failed';
    return { ...verdict, position: step.position };
  }
  step.status = 'pending';
  step.note = verdict.note ?? step.note;
  if (verdict.delayMs !== undefined) step.delayMs = verdict.delayMs;
  if (verdict.maxTokens !== undefined) step.maxTokens = verdict.maxTokens;
  return undefined;
}

/** What one transaction knows of an execution, beside its rows. */
interface Advance {
  inputs: StepInputs;
  answers: ReadAnswers;
  /** Where the plan was made in this transaction: nothing else keeps what the rules said about it. */
  plan?: ComposedPlan;
}

/** Applies the end of one job; returns the failure that ends the execution, if it is one. */
async function applyEnd(
  tx: Queryable,
  open: OpenExecution,
  { end, maxTokens }: EndedJob,
  { step, advance }: { step: Step; advance: Advance },
): Promise<Failed | undefined> {
  const { inputs, answers } = advance;
  const { ending, used } = end;
  step.reservedUsd = 0;
  if (ending.kind === 'failed') {
    const failure = { code: ending.errorCode, message: ending.error };
    return applyVerdict(step, judgeFailure(step, failure));
  }
  if (ending.kind !== 'completed') {
    const failure = { code: CANCELLED_CODE, message: CANCELLED_ERROR };
    return applyVerdict(step, judgeFailure(step, failure));
  }
  if (ending.stopReason === 'length') {
    const model = `${open.execution.provider}:${open.execution.model}`;
    const cut = cutOffOf(model, { maxTokens, outputTokens: used?.output ?? maxTokens });
    return applyVerdict(step, judgeCutOff(step, cut, model));
  }
  const output = fromJsonText(ending.output);
  // It is read here only when it could not be read before.
  const answer = answers.get(end) ?? (await readOutput(open.steps, { output, step, inputs }));
  switch (answer.kind) {
    case 'plan':
      step.status = 'complete';
      open.steps.push(...answer.steps.map(newStep));
      advance.plan = answer.plan;
      return undefined;
    case 'invalid':
      return refusePlan(open, step, answer.problems);
    case 'artifact':
      step.status = 'complete';
      step.note = null;
      await updateArtifact(tx, open.execution.id, step.position, answer.artifact);
      return undefined;
    case 'refused':
      return applyVerdict(step, judgeRefused(step, answer));
    case 'given_up': {
      const failure = { code: 'STEP_GIVEN_UP' as const, message: answer.message };
      return applyVerdict(step, judgeFailure(step, failure));
    }
  }
}

async function dryResult(
  open: OpenExecution,
  deps: Advancing,
  { inputs, plan: composed }: Advance,
): Promise<Ending> {
  const planned = open.steps.filter(({ position }) => position >= 0);
  const prompts: string[] = [];
  for (const step of planned) {
    prompts.push((await promptOf(open, step, inputs)).prompt);
  }
  const { provider, model } = open.execution;
  const estimate = planResult(planned, prompts, (usage) => deps.price(provider, model, usage));
  const plan = { ...estimate, ...(composed && { manifest: writeManifest(composed) }) };
  const summary = `Planned ${planned.length} step${planned.length === 1 ? '' : 's'}. Nothing was run.`;
  return { status: 'completed', result: { success: true, artifacts: [], summary, plan } };
}

async function completedResult(open: OpenExecution, inputs: StepInputs): Promise<Ending> {
  const artifacts = await inputs.artifacts();
  const { context } = await inputs.task();
  const done = open.steps.flatMap((step) => {
    const artifact = artifacts.get(step.position);
    return artifact ? [{ ...step, artifact }] : [];
  });
  const merged = mergeArtifacts(done, context.contents, sha256);
  if (merged.kind === 'conflict') {
    return { status: 'failed', error: { code: 'CONFLICT', message: merged.message } };
  }
  const summary = completedSummary(merged.artifacts);
  return { status: 'completed', result: { success: true, artifacts: merged.artifacts, summary } };
}

async function recordCompleted(
  tx: Queryable,
  deps: Advancing,
  open: OpenExecution,
  positions: ReadonlySet<number>,
): Promise<void> {
  if (positions.size === 0) return;
  const { execution } = open;
  await updateChangedSteps(tx, open);
  for (const step of await listOpenStepViews(tx, execution)) {
    if (!positions.has(step.index)) continue;
    await recordEvent(tx, execution, deps.signals, {
      event: 'execution.step_completed',
      data: { status: 'running', result: { step } },
      kept: { step },
    });
  }
}

/** How the execution ends now, or undefined after queueing what is ready. */
async function endOrQueue(
  tx: Queryable,
  deps: Advancing,
  open: OpenExecution,
  advance: Advance,
): Promise<Ending | undefined> {
  const { execution, steps } = open;
  const { inputs } = advance;
  const { current, total } = progressOf(steps);
  inputs.forgetArtifacts();
  if (total > 0 && execution.dryRun) return dryResult(open, deps, advance);
  if (total > 0 && current === total) return completedResult(open, inputs);
  if (execution.remainingMs <= 0) return { status: 'failed', error: timedOut() };
  const held = await queueReady(tx, deps, open, inputs);
  if (held === undefined || steps.some(({ status }) => status === 'queued')) return undefined;
  return {
    status: 'failed',
    error: held.error ?? overBudget(execution, held.step, held.cost),
    failedAt: held.step.position,
  };
}

async function advanceOne(
  tx: Queryable,
  deps: Advancing,
  executionId: string,
  ends: readonly EndedJob[],
): Promise<void> {
  const open = await findOpenExecution(tx, executionId);
  if (open === undefined) return;
  const advance: Advance = { inputs: createStepInputs(tx, executionId), answers: deps.answers };
  let failed: Failed | undefined;
  const completed = new Set<number>();
  for (const end of ends) {
    const isOpen = ({ jobId, status }: Step) => jobId === end.end.jobId && status === 'queued';
    const step = open.steps.find(isOpen);
    if (step === undefined) continue;
    failed = (await applyEnd(tx, open, end, { step, advance })) ?? failed;
    if (step.position >= 0 && step.status === 'complete') completed.add(step.position);
  }
  deps.signals.add('progress', executionId);
  await recordCompleted(tx, deps, open, completed);
  const { code, message, position } = failed ?? {};
  const ending: Ending | undefined =
    code !== undefined && message !== undefined
      ? { status: 'failed', error: { code, message }, failedAt: position! }
      : await endOrQueue(tx, deps, open, advance);
  if (ending) await closeExecution(tx, deps, open, ending);
  else await updateExecution(tx, open);
}

/** A bug must not keep the other jobs of the transaction from ending: their calls are paid for. */
async function failByBug(tx: Queryable, deps: Advancing, executionId: string): Promise<void> {
  const open = await findOpenExecution(tx, executionId);
  if (open === undefined) return;
  const message = 'Something went wrong on the server; try again.';
  const error = { code: 'INTERNAL_ERROR' as const, message };
  await closeExecution(tx, deps, open, { status: 'failed', error });
}

/** The hook of the job finalizer. `onError` gets the bug that ended an execution. */
export function createAdvance(deps: {
  db: Db;
  tiers: Tiers;
  price: Price;
  onError(error: unknown): void;
}): PrepareAdvance {
  return async (batch) => {
    const answers = await readAnswers(deps.db, batch);
    return async (tx, ended, { capped, signals }) => {
      const advancing = { ...deps, capped, signals, answers };
      const byExecution = Map.groupBy(ended, ({ executionId }) => executionId);
      // Sorted, so that two transactions lock executions in the same order.
      for (const executionId of [...byExecution.keys()].sort()) {
        await inSavepoint(
          tx,
          () => advanceOne(tx, advancing, executionId, byExecution.get(executionId)!),
          async (error) => {
            deps.onError(error);
            await failByBug(tx, advancing, executionId);
          },
        );
      }
    };
  };
}
