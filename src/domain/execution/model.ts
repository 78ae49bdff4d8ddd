// What an execution consists of, which of its steps wait for which, and what they may spend.
import type { Artifact } from '../../contract/artifact.ts';
import type { FailureCode } from '../../contract/job-codes.ts';
import type { Budget } from '../usage/reservation.ts';
import { budgetDollars as dollars, budgetText } from '../usage/team-budget.ts';
import type { RunCap } from '../usage/run-caps.ts';
import type { TeamBudget } from '../usage/team-budget.ts';

export interface ExecutionContext {
  /** Names of files of the caller's project. */
  files: string[];
  /** The texts of those that were sent along. */
  contents: Record<string, string>;
  environment: string;
}

/** A stream of the plan. */
export interface PlannedStep {
  streamId: string;
  name: string;
  wave: number;
  plan: string;
  deps: string[];
  owns: string[];
  reads: string[];
  /** Positions of the steps that must be complete before this one starts. */
  waitsFor: number[];
}

/** `queued`: there is a job for it that has not ended. */
export type StepStatus = 'pending' | 'queued' | 'complete' | 'failed' | 'skipped' | 'blocked';

export interface Step extends PlannedStep {
  position: number;
  status: StepStatus;
  /** Jobs so far. */
  tries: number;
  jobId: string | null;
  reservedUsd: number;
  /** What was wrong with the last answer. */
  note: string | null;
  /** Its own length, after an answer that was cut off; null while it has that of the execution. */
  maxTokens: number | null;
  /** Not before this time has passed. Only for the transaction that queues it: it is not stored. */
  delayMs?: number;
}

export interface ExecutionError {
  code: FailureCode;
  message: string;
}

export function timedOut(): ExecutionError {
  return {
    code: 'TIMEOUT',
    message: 'The execution ran out of time. Allow more with options.timeout.',
  };
}

/** How far an execution was when it was cancelled. */
export interface FinalState {
  progress: { current: number; total: number };
  currentStep: number | null;
  tokensUsed: number;
  filesChanged: string[];
}

export interface PlanResult {
  streams: {
    streamId: string;
    name: string;
    wave: number;
    deps: string[];
    owns: string[];
    reads: string[];
    plan: string;
  }[];
  waves: string[][];
  estimatedTokens: number;
  /** null: the price is not known. */
  estimatedCostUsd: number | null;
  /** The text of a manifest with these streams, and with what the rules repaired as comments. */
  manifest?: string;
}

export interface ExecutionResult {
  success: boolean;
  artifacts: Artifact[];
  summary: string;
  plan?: PlanResult;
  error?: ExecutionError;
  /** Made up by the simulator. */
  simulated?: true;
}

export const PLANNING = -2;
export const REPAIR = -1;
export const PLAN_STREAM = 'plan';
export const REPAIR_STREAM = 'plan-repair-1';

/** How often a step is tried in all. */
export const MAX_TRIES = 3;

/** The planning of a task, as the step that it is. */
export function planningStep(position: typeof PLANNING | typeof REPAIR): PlannedStep {
  const isRepair = position === REPAIR;
  return {
    streamId: isRepair ? REPAIR_STREAM : PLAN_STREAM,
    name: isRepair ? 'Plan (corrected)' : 'Plan',
    wave: 0,
    plan: '',
    deps: [],
    owns: [],
    reads: [],
    waitsFor: [],
  };
}

/** A step of a plan, before anything was done for it. */
export function newStep(planned: PlannedStep, position: number): Step {
  const state = { tries: 0, jobId: null, reservedUsd: 0, note: null, maxTokens: null };
  return { ...planned, ...state, position, status: 'pending' };
}

type Waiting = Pick<Step, 'position' | 'waitsFor'>;

/** Steps that have not started and wait for nothing any more, in the order of the plan. */
export function readySteps<S extends Pick<Step, 'position' | 'waitsFor' | 'status'>>(
  steps: readonly S[],
): S[] {
  const complete = new Set(
    steps.filter(({ status }) => status === 'complete').map(({ position }) => position),
  );
  return steps.filter(
    ({ status, waitsFor }) =>
      status === 'pending' && waitsFor.every((position) => complete.has(position)),
  );
}

/** Everything that a step waits for, directly or not. */
export function ancestorsOf(steps: readonly Waiting[], position: number): Set<number> {
  const byPosition = new Map(steps.map((step) => [step.position, step]));
  const found = new Set<number>();
  const open = [...(byPosition.get(position)?.waitsFor ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(byPosition.get(next)?.waitsFor ?? []));
  }
  return found;
}

/** Steps that can never start once this one has failed. */
export function dependentsOf(steps: readonly Waiting[], position: number): Set<number> {
  return new Set(
    steps
      .filter((step) => ancestorsOf(steps, step.position).has(position))
      .map((step) => step.position),
  );
}

/** An order in which every step comes after those that it waits for. */
export function inOrder<S extends { wave: number; position: number }>(steps: readonly S[]): S[] {
  return steps.toSorted((a, b) => a.wave - b.wave || a.position - b.position);
}

/** Planning is not counted. */
export function progressOf(steps: readonly Step[]): { current: number; total: number } {
  const planned = steps.filter(({ position }) => position >= 0);
  return {
    current: planned.filter(({ status }) => status === 'complete').length,
    total: planned.length,
  };
}

export function reservedForSteps(steps: readonly Pick<Step, 'reservedUsd'>[]): number {
  return steps.reduce((sum, { reservedUsd }) => sum + reservedUsd, 0);
}

export function executionBudget(
  { budgetUsd, spentUsd }: { budgetUsd: number | null; spentUsd: number },
  steps: readonly Pick<Step, 'reservedUsd'>[],
): Budget {
  return { limitUsd: budgetUsd, spentUsd, reservedUsd: reservedForSteps(steps) };
}

function nextCost(step: { streamId: string; position: number }, cost: number | null): string {
  const what = step.position < 0 ? 'planning' : `step ${step.streamId}`;
  return cost === null
    ? `the price of ${what} is unknown`
    : `${what} may cost up to ${dollars(cost)}`;
}

export function overTeamBudget(
  budget: TeamBudget,
  step: { streamId: string; position: number },
  cost: number | null,
): ExecutionError {
  const message = `The team's budget is reached: ${budgetText(budget)}; ${nextCost(step, cost)}. Ask an admin of the team to raise the budget, or wait until it resets next month.`;
  return { code: 'BUDGET_EXCEEDED', message };
}

export function overRunCap(
  cap: RunCap,
  step: { streamId: string; position: number },
  cost: number | null,
): ExecutionError {
  const what = cap.streamId === undefined ? 'run' : `stream ${cap.streamId}`;
  const message = `The most that the ${what} may cost is reached: ${budgetText(cap)}; ${nextCost(step, cost)}. Raise it and start again.`;
  return { code: 'BUDGET_EXCEEDED', message };
}

export function overCallLimit(
  { limitUsd, costUsd }: { limitUsd: number; costUsd: number | null },
  step: { streamId: string; position: number },
): ExecutionError {
  const message = `The team lets one call cost ${dollars(limitUsd)} at most; ${nextCost(step, costUsd)}. Ask an admin of the team to raise maxCallCostUsd, or allow fewer tokens.`;
  return { code: 'BUDGET_EXCEEDED', message };
}

export function forbiddenModel(allowed: readonly string[]): ExecutionError {
  const message = `The team does not allow this model any more. It allows: ${allowed.join(', ') || 'none'}.`;
  return { code: 'MODEL_FORBIDDEN', message };
}

export function overBudget(
  execution: { budgetUsd: number | null; spentUsd: number },
  step: { streamId: string; position: number },
  cost: number | null,
): ExecutionError {
  const spent = `${dollars(execution.spentUsd)} of ${dollars(execution.budgetUsd ?? 0)} spent`;
  const message = `${spent}; ${nextCost(step, cost)}. Raise options.budgetUsd.`;
  return { code: 'BUDGET_EXCEEDED', message };
}
