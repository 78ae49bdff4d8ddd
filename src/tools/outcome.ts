// An execution as the tools report it: short enough for a model to read, without the texts of files.
import type { Artifact } from '../contract/artifact.ts';
import type { Execution, ExecutionStep } from '../client/index.ts';
import { changedSummary, endedSummary } from '../domain/execution/results.ts';
import type { Applied } from './apply.ts';
import { MOST, clip, within } from './bounds.ts';
import { errorOf } from './failure.ts';
import { messageOf, nextOf } from './headline.ts';
import type { Origin } from './headline.ts';
import { currentStepOf } from './progress.ts';
import { artifactUri, planManifestUri } from './resources/address.ts';
import type { ExecuteOutput, StatusOutput } from './tool-schemas.ts';
import type { TaskFiles } from './workspace-files.ts';

type Result = NonNullable<ExecuteOutput['result']>;
type Plan = NonNullable<Result['plan']>;
type Shown = Result['artifacts'][number];
type FullResult = NonNullable<Execution['result']>;
type StepStatus = ExecuteOutput['steps'][number]['status'];

const STATUSES = {
  running: 'running',
  completed: 'success',
  failed: 'failed',
  cancelled: 'cancelled',
} as const;

const statusOf = ({ status }: Execution): ExecuteOutput['status'] => STATUSES[status];

const lines = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - Number(text.endsWith('\n'));
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

function shownOperation(operation: Artifact['operations'][number]): Shown['operations'][number] {
  const { type, path } = operation;
  if (operation.type === 'delete') return { type, path, additions: 0 };
  if ('content' in operation) {
    const { content } = operation;
    return { type, path, bytes: Buffer.byteLength(content), additions: lines(content) };
  }
  return {
    type,
    path,
    additions: sum(operation.edits.map(({ newText }) => lines(newText))),
    deletions: sum(operation.edits.map(({ oldText }) => lines(oldText))),
  };
}

/** All changes of an execution, in the order to apply them. */
export function changesOf({ result }: Execution): Shown['operations'] {
  return (result?.artifacts ?? []).flatMap(({ operations }) => operations.map(shownOperation));
}

const STEP_STATUSES: Record<ExecutionStep['status'], StepStatus> = {
  pending: 'pending',
  in_progress: 'running',
  complete: 'completed',
  failed: 'failed',
  skipped: 'skipped',
  blocked: 'skipped',
};

function stepStatus({ status }: ExecutionStep, execution: Execution): StepStatus {
  if (execution.dryRun) return 'planned';
  // An execution that ended has steps that were stopped, or that nobody comes back to.
  if (execution.status === 'cancelled' && status !== 'complete') {
    return status === 'skipped' || status === 'blocked' ? 'skipped' : 'cancelled';
  }
  const isOpen = status === 'pending' || status === 'in_progress';
  return isOpen && execution.status === 'failed' ? 'skipped' : STEP_STATUSES[status];
}

/** The steps that fit, and how many do not. */
export function stepsOf(
  execution: Execution,
): Pick<ExecuteOutput, 'steps'> & { omittedSteps?: number } {
  const { shown: steps, omitted } = within(allSteps(execution), MOST.steps);
  return { steps, ...(omitted === 0 ? {} : { omittedSteps: omitted }) };
}

function allSteps(execution: Execution): ExecuteOutput['steps'] {
  const summaries = new Map(
    execution.result?.artifacts.map(({ streamId, summary }) => [streamId, summary]),
  );
  const planned = execution.steps.length > 0 ? [] : (execution.result?.plan?.streams ?? []);
  if (planned.length > 0) {
    return planned.map(({ name }, index) => ({
      index,
      name: clip(name, MOST.name),
      status: 'planned' as const,
    }));
  }
  return execution.steps.map((step) => {
    const summary = summaries.get(step.streamId) ?? '';
    return {
      index: step.index,
      name: clip(step.name, MOST.name),
      status: stepStatus(step, execution),
      ...(step.durationMs === null ? {} : { durationMs: step.durationMs }),
      ...(summary === '' ? {} : { summary: clip(summary, MOST.stepSummary) }),
    };
  });
}

const MANY_READS = 4;

/** Cut anywhere, it would be another plan: what does not fit is read elsewhere. */
function manifestOf({ id, result }: Execution): Pick<Plan, 'manifest' | 'manifestAt'> {
  const manifest = result?.plan?.manifest;
  if (manifest === undefined) return {};
  const fits = JSON.stringify(manifest).length <= MOST.manifest;
  return fits ? { manifest } : { manifestAt: planManifestUri(id) };
}

function planOf(execution: Execution, files: TaskFiles | undefined): Pick<Result, 'plan'> {
  const plan = execution.result?.plan;
  if (plan === undefined) return {};
  const sent = Object.entries(files?.sizes ?? {}).map(([path, bytes]) => ({
    path,
    bytes,
    included: 'full' as const,
  }));
  const leftOut = (files?.leftOut ?? []).map((file) => ({ ...file, included: 'omitted' as const }));
  const steps = plan.streams.map((stream, index) => ({
    index,
    id: stream.streamId,
    name: clip(stream.name, MOST.name),
    description: clip(stream.plan, MOST.planned),
    owns: within(stream.owns, MOST.planned).shown,
    reads: within(stream.reads, MOST.planned).shown,
    dependsOn: within(stream.deps, MOST.planned).shown,
  }));
  const manifest = manifestOf(execution);
  const room = manifest.manifest === undefined ? MOST.plannedSteps : MOST.stepsBesideManifest;
  const { shown, omitted } = within(steps, room);
  const warnings = plan.streams
    .filter(({ reads }) => reads.length > MANY_READS)
    .map(({ streamId, reads }) => `${streamId} reads ${reads.length} files; it may time out.`);
  return {
    plan: {
      totals: { tokens: plan.estimatedTokens, costUsd: plan.estimatedCostUsd },
      warnings: within(warnings, MOST.warnings).shown,
      waves: within(plan.waves, MOST.waves).shown,
      steps: shown,
      ...(omitted === 0 ? {} : { omittedSteps: omitted }),
      ...manifest,
      context: { files: within([...sent, ...leftOut], MOST.leftOut).shown },
    },
  };
}

/** With each path once. */
function artifactsOf(
  artifacts: readonly Artifact[],
): Pick<Result, 'artifacts' | 'omittedOperations'> {
  let left: number = MOST.operations;
  let omitted = 0;
  const shown: Shown[] = [];
  for (const { streamId, status, operations } of artifacts) {
    const empty: Shown = { streamId: clip(streamId, MOST.name), status, operations: [] };
    left -= JSON.stringify(empty).length + 1;
    const part = within(operations.map(shownOperation), Math.max(0, left));
    left -= JSON.stringify(part.shown).length;
    omitted += part.omitted;
    if (left > 0) shown.push({ ...empty, operations: part.shown });
    else omitted += part.shown.length;
  }
  return { artifacts: shown, ...(omitted === 0 ? {} : { omittedOperations: omitted }) };
}

/** Without what is said elsewhere: the steps have their own summaries, and `error` has the reason. */
function summaryOf({ status, progress, dryRun }: Execution, result: FullResult): string {
  if (status === 'failed' || status === 'cancelled') {
    return endedSummary(status, { done: progress.current, total: progress.total });
  }
  return dryRun ? result.summary : changedSummary(result.artifacts);
}

function resultOf(execution: Execution, { applied, files }: Telling): Result | null {
  const { result } = execution;
  if (result === null) return null;
  const conflicts = applied.conflicts.map(({ code, message }) => ({
    code,
    message: clip(message, MOST.conflict),
  }));
  return {
    success: result.success,
    applied: applied.applied,
    ...(applied.command === undefined ? {} : { applyCommand: applied.command }),
    ...(conflicts.length === 0 ? {} : { conflicts: conflicts.slice(0, 1) }),
    summary: clip(summaryOf(execution, result), MOST.summary),
    ...artifactsOf(result.artifacts),
    ...(result.artifacts.length === 0 ? {} : { texts: artifactUri(execution.id, '{n}') }),
    ...planOf(execution, files),
    ...(execution.simulated ? { simulated: true as const } : {}),
  };
}

export function metricsOf({ metrics }: Execution): ExecuteOutput['metrics'] {
  const { duration, tokensUsed, costUsd } = metrics;
  return { duration, tokensUsed, ...(costUsd === null ? {} : { costUsd }) };
}

/** In one line. */
const taskOf = ({ task }: Execution): string =>
  clip(task.trim().replaceAll(/\s+/g, ' '), MOST.task);

export interface Telling {
  applied: Applied;
  files?: TaskFiles | undefined;
  origin?: Origin | undefined;
  /** Number of the next look, for a host that would take the same call again for a loop. */
  poll?: number;
}

/** What a reader must not miss. */
export function headOf(
  execution: Execution,
  { applied, origin, poll = 1 }: Telling,
): Pick<ExecuteOutput, 'message' | 'status' | 'executionId' | 'error' | 'next' | 'task'> {
  const next = nextOf(execution, applied, poll);
  return {
    message: messageOf(execution, applied, origin),
    status: statusOf(execution),
    executionId: execution.id,
    ...errorOf(execution),
    ...(next === undefined ? {} : { next }),
    task: taskOf(execution),
  };
}

/** As millrace_execute reports it. */
export function executeOutput(execution: Execution, telling: Telling): ExecuteOutput {
  const { files, origin } = telling;
  const leftOut = (files?.leftOut ?? []).map(({ path, why }) => ({ path, why }));
  return {
    ...headOf(execution, telling),
    ...(origin === 'joined' ? { joined: true as const } : {}),
    ...(leftOut.length === 0 ? {} : { leftOut: within(leftOut, MOST.leftOut).shown }),
    result: resultOf(execution, telling),
    ...stepsOf(execution),
    metrics: metricsOf(execution),
  };
}

/** As millrace_status reports it. */
export function statusOutput(execution: Execution, telling: Telling): StatusOutput {
  return {
    ...headOf(execution, telling),
    progress: progressOf(execution),
    currentStep: currentStepOf(execution),
    elapsed: execution.metrics.duration,
    result: resultOf(execution, telling),
    ...stepsOf(execution),
    metrics: metricsOf(execution),
  };
}

export function progressOf({ progress }: Execution): StatusOutput['progress'] {
  const { current, total } = progress;
  return { completed: current, total, text: `${current}/${total}` };
}
