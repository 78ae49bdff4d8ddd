// How far an execution is, in numbers and in words.
import type { Execution } from '../client/index.ts';
import type { ToolCall } from './call.ts';
import type { FollowOptions } from './follow.ts';

export function currentStepOf({ status, steps, currentStep, dryRun }: Execution): string | null {
  if (status !== 'running') return null;
  if (steps.length === 0) return 'planning';
  const step = steps.find(({ index }) => index === currentStep);
  if (step !== undefined) return step.name;
  return dryRun ? 'planning' : 'waiting for the next step';
}

/** Which step it is at, without the time. */
export function stepText(execution: Execution): string {
  const { current, total } = execution.progress;
  const step = total === 0 ? '' : `step ${Math.min(current + 1, total)} of ${total}: `;
  return `${step}${currentStepOf(execution) ?? 'done'}`;
}

export interface ProgressReport {
  progress: number;
  total?: number;
  message: string;
}

/** Each number is larger than the one before, as the protocol asks, also while a step takes long. */
export function createProgress(): (execution: Execution) => ProgressReport {
  let completed = -1;
  let beats = 0;
  return (execution) => {
    const { current, total } = execution.progress;
    beats = current > completed ? 0 : beats + 1;
    completed = Math.max(completed, current);
    const seconds = Math.round(execution.metrics.duration / 1000);
    return {
      progress: completed + beats / (beats + 1),
      ...(total === 0 ? {} : { total }),
      message: `${stepText(execution)} (${seconds}s)`,
    };
  };
}

/** Reports to a client that asked for it, that often. */
export function beatOf(
  { reportProgress }: Pick<ToolCall, 'reportProgress'>,
  everyMs: number,
): FollowOptions['beat'] {
  if (reportProgress === undefined) return undefined;
  const reportOf = createProgress();
  return { everyMs, tell: (execution) => reportProgress(reportOf(execution)) };
}
