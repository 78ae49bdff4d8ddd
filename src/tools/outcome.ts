// An execution as the tools report it: short enough for a model to read, without the texts of files.
import type { Artifact } from '../contract/artifact.ts';
import { FAILURE_CODES } from '../contract/job-codes.ts';
import type { Execution, ExecutionStep } from '../client/index.ts';
import type { Applied } from './apply.ts';
import type { ExecuteOutput, StatusOutput } from './tool-schemas.ts';
import type { TaskFiles } from './workspace-files.ts';

type Result = NonNullable<ExecuteOutput['result']>;
type Shown = Result['artifacts'][number];
type StepStatus = ExecuteOutput['steps'][number]['status'];

const MOST_OPERATIONS = 200;
const MOST_SUMMARY = 4000;
const MOST_STEP_SUMMARY = 500;
const MOST_FILES = 300;

const STATUSES = {
  running: 'running',
  completed: 'success',
  failed: 'failed',
  cancelled: 'cancelled',
} as const;

export const statusOf = ({ status }: Execution): ExecuteOutput['status'] => STATUSES[status];

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

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

export function stepsOf(execution: Execution): ExecuteOutput['steps'] {
  const summaries = new Map(
    execution.result?.artifacts.map(({ streamId, summary }) => [streamId, summary]),
  );
  const planned = execution.steps.length > 0 ? [] : (execution.result?.plan?.streams ?? []);
  if (planned.length > 0) {
    return planned.map(({ name }, index) => ({ index, name, status: 'planned' as const }));
  }
  return execution.steps.map((step) => {
    const summary = summaries.get(step.streamId) ?? '';
    return {
      index: step.index,
      name: step.name,
      status: stepStatus(step, execution),
      ...(step.durationMs === null ? {} : { durationMs: step.durationMs }),
      ...(summary === '' ? {} : { summary: clip(summary, MOST_STEP_SUMMARY) }),
    };
  });
}

const MANY_READS = 4;

function planOf(execution: Execution, files: TaskFiles | undefined): Pick<Result, 'plan'> {
  const plan = execution.result?.plan;
  if (plan === undefined) return {};
  const sent = Object.entries(files?.sizes ?? {}).map(([path, bytes]) => ({
    path,
    bytes,
    included: 'full' as const,
  }));
  const omitted = (files?.leftOut ?? []).map((file) => ({ ...file, included: 'omitted' as const }));
  return {
    plan: {
      waves: plan.waves,
      steps: plan.streams.map((stream, index) => ({
        index,
        id: stream.streamId,
        name: stream.name,
        description: clip(stream.plan, MOST_STEP_SUMMARY),
        owns: stream.owns,
        reads: stream.reads,
        dependsOn: stream.deps,
      })),
      totals: { tokens: plan.estimatedTokens, costUsd: plan.estimatedCostUsd },
      warnings: plan.streams
        .filter(({ reads }) => reads.length > MANY_READS)
        .map(({ streamId, reads }) => `${streamId} reads ${reads.length} files; it may time out.`),
      context: { files: [...sent, ...omitted].slice(0, MOST_FILES) },
    },
  };
}

function artifactsOf(artifacts: readonly Artifact[]) {
  let left = MOST_OPERATIONS;
  let omitted = 0;
  const shown = artifacts.map((artifact): Shown => {
    const listed = artifact.operations.slice(0, left);
    left -= listed.length;
    omitted += artifact.operations.length - listed.length;
    return {
      streamId: artifact.streamId,
      status: artifact.status,
      summary: clip(artifact.summary, MOST_STEP_SUMMARY),
      filesChanged: artifact.filesChanged.slice(0, listed.length),
      operations: listed.map(shownOperation),
    };
  });
  return { artifacts: shown, ...(omitted === 0 ? {} : { omittedOperations: omitted }) };
}

function resultOf(
  execution: Execution,
  { applied, files }: { applied: Applied; files: TaskFiles | undefined },
): Result | null {
  const { result } = execution;
  if (result === null) return null;
  const changed = [...new Set(result.artifacts.flatMap(({ filesChanged }) => filesChanged))];
  return {
    success: result.success,
    summary: clip(result.summary, MOST_SUMMARY),
    filesChanged: changed.slice(0, MOST_FILES),
    ...artifactsOf(result.artifacts),
    applied: applied.applied,
    ...(applied.command === undefined ? {} : { applyCommand: applied.command }),
    ...(applied.conflicts.length === 0 ? {} : { conflicts: applied.conflicts }),
    ...planOf(execution, files),
    ...(execution.simulated ? { simulated: true as const } : {}),
  };
}

export function metricsOf({ metrics }: Execution): ExecuteOutput['metrics'] {
  const { duration, tokensUsed, costUsd } = metrics;
  return { duration, tokensUsed, ...(costUsd === null ? {} : { costUsd }) };
}

function isRetryable(code: string): boolean {
  return (
    Object.hasOwn(FAILURE_CODES, code) &&
    FAILURE_CODES[code as keyof typeof FAILURE_CODES].retryable
  );
}

function errorOf({ result }: Execution): Pick<ExecuteOutput, 'error'> {
  if (result?.error === undefined) return {};
  const { code, message } = result.error;
  return { error: { code, message, retryable: isRetryable(code) } };
}

function nextOf(execution: Execution, now: Applied): { next?: string } {
  const { applied, command, elsewhere, isDeclined } = now;
  const { id, status } = execution;
  if (status === 'running') {
    return { next: `Still running. Call millrace_status with executionId "${id}".` };
  }
  if (applied === 'conflict') {
    return {
      next: 'Nothing was written. Tell the user why, then run the task on the files as they are now.',
    };
  }
  if (elsewhere !== undefined) return { next: elsewhere };
  if (command === undefined) return {};
  if (isDeclined) {
    return { next: `The user chose not to write the files. They can still run: ${command}` };
  }
  return { next: `Nothing is written yet. To write the files, ask the user to run: ${command}` };
}

/** What both tools say about an execution. */
export function outcomeOf(
  execution: Execution,
  more: { applied: Applied; files?: TaskFiles | undefined },
): Omit<ExecuteOutput, 'leftOut'> {
  return {
    status: statusOf(execution),
    result: resultOf(execution, { applied: more.applied, files: more.files }),
    steps: stepsOf(execution),
    metrics: metricsOf(execution),
    executionId: execution.id,
    ...errorOf(execution),
    ...nextOf(execution, more.applied),
  };
}

export function progressOf({ progress }: Execution): StatusOutput['progress'] {
  const { current, total } = progress;
  return { completed: current, total, text: `${current}/${total}` };
}
