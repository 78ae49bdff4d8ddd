// Queues the steps of an execution that may start: their prompts, what they may cost, their jobs.
import type { Artifact } from '../contract/artifact.ts';
import { DEFAULT_TIMEOUT_MS } from '../contract/fields.ts';
import { affordableTokens, largestCost } from '../domain/usage/largest-cost.ts';
import type { Price } from '../domain/usage/largest-cost.ts';
import { treeAfter } from '../domain/execution/file-tree.ts';
import type { FileTree } from '../domain/execution/file-tree.ts';
import {
  REPAIR,
  ancestorsOf,
  executionBudget,
  forbiddenModel,
  inOrder,
  overCallLimit,
  overRunCap,
  overTeamBudget,
  readySteps,
} from '../domain/execution/model.ts';
import type { ExecutionError, Step } from '../domain/execution/model.ts';
import { planPrompt, stepPrompt } from '../domain/execution/prompts.ts';
import type { SubmitOutcome } from '../domain/job/submission.ts';
import type { Tiers } from '../domain/job/tiers.ts';
import { remainingUsd, reserve } from '../domain/usage/reservation.ts';
import { BASE_MAX_TOKENS } from '../domain/model/model-limits.ts';
import { readCachingHints } from '../domain/prompt/caching-hints.ts';
import { usableParts } from '../domain/prompt/prompt-parts.ts';
import { newId } from '../platform/ids.ts';
import { sha256 } from '../platform/sha256.ts';
import { findInput } from '../store/executions/execution-rows.ts';
import type { ExecutionInput, OpenExecution } from '../store/executions/execution-rows.ts';
import { listArtifacts } from '../store/executions/execution-steps.ts';
import type { NewJob } from '../store/jobs/new-job.ts';
import { submitInTx } from '../store/jobs/submit-jobs.ts';
import type { Queryable } from '../store/postgres/db.ts';
import { toJsonText } from '../store/postgres/json-text.ts';
import type { PendingSignals } from '../store/postgres/signals.ts';

/** The execution's own deadline comes first. */
const DEADLINE_SLACK_MS = 5000;

/** What the steps work on: the task with its files, and what earlier steps made. Read when needed. */
export interface StepInputs {
  task(): Promise<ExecutionInput>;
  /** By position; of steps that were complete when it was first asked for. */
  artifacts(): Promise<Map<number, Artifact>>;
  /** After steps have been completed. */
  forgetArtifacts(): void;
  /** The files as a step finds them: with the changes of all steps that it waits for. */
  filesFor(steps: readonly Step[], position: number): Promise<FileTree>;
}

export function createStepInputs(tx: Queryable, executionId: string): StepInputs {
  let task: Promise<ExecutionInput> | undefined;
  let artifacts: Promise<Map<number, Artifact>> | undefined;
  const inputs: StepInputs = {
    task: () => (task ??= findInput(tx, executionId)),
    artifacts: () => (artifacts ??= listArtifacts(tx, executionId)),
    forgetArtifacts: () => (artifacts = undefined),
    async filesFor(steps, position) {
      const { context } = await inputs.task();
      const done = await inputs.artifacts();
      const before = ancestorsOf(steps, position);
      const earlier = inOrder(steps.filter((step) => before.has(step.position)));
      return treeAfter(
        context.contents,
        earlier.flatMap((step) => done.get(step.position) ?? []),
      );
    },
  };
  return inputs;
}

export interface PreparedPrompt {
  prompt: string;
  parts?: string;
}

export async function promptOf(
  { execution, steps }: OpenExecution,
  step: Step,
  inputs: StepInputs,
): Promise<PreparedPrompt> {
  const { task, context } = await inputs.task();
  if (step.position < 0) {
    const { maxSteps } = execution;
    const problems = step.position === REPAIR ? (step.note ?? undefined) : undefined;
    return { prompt: planPrompt({ task, context, maxSteps, sha256, problems }) };
  }
  const stepCount = steps.filter(({ position }) => position >= 0).length;
  const tree = await inputs.filesFor(steps, step.position);
  const built = stepPrompt({ task, context, step, stepCount, tree, sha256 });
  const parts = usableParts(built.prompt, built.structuredPrompt);
  const caching = readCachingHints(built.structuredPrompt.cachingHints);
  return { prompt: built.prompt, ...(parts && { parts: JSON.stringify({ ...parts, caching }) }) };
}

function toJob(
  { tiers, price }: { tiers: Tiers; price: Price },
  { execution }: OpenExecution,
  step: Step,
  prepared: PreparedPrompt & { maxTokens: number },
): NewJob {
  const { userId, teamId, apiKeyId, runId, provider, model, simulated, tier, remainingMs } =
    execution;
  const { serviceTier } = execution;
  return {
    jobId: newId('job'),
    userId,
    teamId,
    apiKeyId,
    runId,
    streamId: step.streamId,
    streamName: step.name,
    waveNumber: step.wave,
    // The run is there already and has its name.
    feature: step.streamId,
    provider,
    model,
    simulated,
    maxTokens: prepared.maxTokens,
    temperature: undefined,
    reasoning: execution.reasoning ?? undefined,
    serviceTier: execution.serviceTier ?? undefined,
    trace: execution.trace ?? undefined,
    priority: 0,
    prompt: toJsonText(prepared.prompt),
    promptParts: prepared.parts,
    sealedKey: undefined,
    timeoutMs: Math.min(DEFAULT_TIMEOUT_MS, Math.ceil(remainingMs) + DEADLINE_SLACK_MS),
    runsPerMonth: null,
    // The execution's run has counted already, or must not count.
    free: true,
    concurrentJobs: tiers[tier].concurrentJobs,
    idempotency: undefined,
    payOnce: execution.budgetUsd !== null,
    executionId: execution.id,
    isStep: true,
    largestCostUsd: () => largestCost(price, { provider, model, serviceTier, ...prepared }),
  };
}

/** Never so long that the time of the execution would be over. */
function delayOf(
  { delayMs }: Step,
  { remainingMs }: { remainingMs: number },
): Pick<NewJob, 'delayMs'> {
  return delayMs === undefined ? {} : { delayMs: Math.min(delayMs, remainingMs / 4) };
}

/** The step that the budget keeps from being queued, and what it may cost. */
export interface HeldStep {
  step: Step;
  cost: number | null;
  /** Set when it is a limit of the team, not the execution's own budget. */
  error?: ExecutionError;
}

/** What the limits of the team say about a step. */
function refusedStep(
  outcome: Exclude<SubmitOutcome, { kind: 'accepted' }>,
  step: Step,
): Pick<HeldStep, 'cost' | 'error'> {
  switch (outcome.kind) {
    case 'budget_exceeded':
      return {
        cost: outcome.costUsd,
        error: overTeamBudget(outcome.budget, step, outcome.costUsd),
      };
    case 'cap_exceeded':
      return { cost: outcome.costUsd, error: overRunCap(outcome.cap, step, outcome.costUsd) };
    case 'too_dear':
      return { cost: outcome.costUsd, error: overCallLimit(outcome, step) };
    case 'model_forbidden':
      return { cost: null, error: forbiddenModel(outcome.allowed) };
    case 'replayed':
    case 'key_reused':
    case 'quota_exceeded':
    case 'no_place':
    case 'team_deleted':
    case 'not_allowed':
      throw new Error(`step refused: ${outcome.kind}`);
  }
}

/**
 * Queues what is ready. What could pass the budget is held back: what open jobs may cost at most is
 * usually far more than what they do cost, so there may be room once they have ended.
 */
export async function queueReady(
  tx: Queryable,
  deps: { signals: PendingSignals; price: Price; tiers: Tiers },
  open: OpenExecution,
  inputs: StepInputs,
): Promise<HeldStep | undefined> {
  const { execution, steps } = open;
  const { provider, model, serviceTier } = execution;
  const budget = executionBudget(execution, steps);
  const jobs: NewJob[] = [];
  let held: HeldStep | undefined;
  const ready = readySteps(steps);
  for (const [index, step] of ready.entries()) {
    const prepared = await promptOf(open, step, inputs);
    let maxTokens = step.maxTokens ?? execution.maxTokens;
    if (budget.limitUsd !== null) {
      const call = { provider, model, serviceTier, prompt: prepared.prompt };
      // Long answers give way before steps do: each gets its part of what is left.
      const share = remainingUsd(budget) / (ready.length - index);
      const range = { least: BASE_MAX_TOKENS, most: maxTokens };
      maxTokens = affordableTokens(deps.price, call, share, range);
      const cost = largestCost(deps.price, { ...call, maxTokens });
      const reservation = reserve(budget, cost);
      if (reservation === undefined) {
        held ??= { step, cost };
        continue;
      }
      step.reservedUsd = reservation.amountUsd;
    }
    const asked = { ...prepared, maxTokens };
    const job = { ...toJob(deps, open, step, asked), ...delayOf(step, execution) };
    Object.assign(step, { status: 'queued', tries: step.tries + 1, jobId: job.jobId });
    jobs.push(job);
  }
  if (jobs.length > 0) {
    const { written, outcomes } = await submitInTx(tx, jobs);
    await written;
    deps.signals.add('work');
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.kind === 'accepted') continue;
      const step = steps.find(({ jobId }) => jobId === jobs[index]!.jobId)!;
      Object.assign(step, {
        status: 'pending',
        tries: step.tries - 1,
        jobId: null,
        reservedUsd: 0,
      });
      held ??= { step, ...refusedStep(outcome, step) };
    }
  }
  return held;
}
