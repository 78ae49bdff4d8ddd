// The first words of an answer, and what to do next. The first words say whether files are written: a
// model that reads "success" alone reports changes that nobody can see.
import type { Execution } from '../client/index.ts';
import { endedSummary } from '../domain/execution/results.ts';
import type { Applied } from './apply.ts';
import { afterFailure } from './failure.ts';
import { stepText } from './progress.ts';

/** Where the execution of an answer comes from, if the call did not start it. */
export type Origin =
  /** The same call was made before. */
  | 'joined'
  /** "latest", in a session that has started none. */
  | 'earlier session';

const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

function filesOf({ result }: Execution): number {
  const operations = (result?.artifacts ?? []).flatMap((artifact) => artifact.operations);
  return new Set(operations.map(({ path }) => path)).size;
}

function outcomeWords(execution: Execution, { applied }: Applied): string {
  const { status, progress, dryRun, metrics, result } = execution;
  if (status === 'running') {
    return `Running: ${stepText(execution)} (${Math.round(metrics.duration / 1000)} s).`;
  }
  if (status !== 'completed') {
    const { current: done, total } = progress;
    return `No files written. ${endedSummary(status, { done, total })}`;
  }
  if (dryRun) {
    return `Nothing was run. Plan with ${plural(result?.plan?.streams.length ?? 0, 'step')}.`;
  }
  const files = filesOf(execution);
  if (files === 0) return 'No files to write.';
  const count = plural(files, 'file');
  if (applied === 'all') return `${count} written.`;
  return applied === 'conflict'
    ? `${count} ready, not written: they conflict with the project.`
    : `${count} ready, not written.`;
}

function originWords({ createdAt }: Execution, origin: Origin | undefined): string {
  if (origin === undefined) return '';
  return origin === 'joined'
    ? ` Joined the execution of the same call, started at ${createdAt}; nothing was started again.`
    : ` This session has started none; this is the newest of the workspace, started at ${createdAt}.`;
}

export function messageOf(
  execution: Execution,
  applied: Applied,
  origin: Origin | undefined,
): string {
  return outcomeWords(execution, applied) + originWords(execution, origin);
}

/** A model that repeats one call to the letter is stopped by its host, as if it was caught in a loop. */
function pollAgain(id: string, poll: number): string {
  return `Call millrace_status with executionId "${id}" and poll ${poll}. It waits for the end.`;
}

function afterPlan({ result }: Execution): string {
  const run = 'To run it, call millrace_execute with the same arguments and without dryRun.';
  if (result?.plan?.manifest === undefined) return run;
  return `${run} To keep the plan and change it first, write its manifest to millrace.yaml.`;
}

function afterResult(execution: Execution, now: Applied): string | undefined {
  if (execution.dryRun) return afterPlan(execution);
  const { applied, command, elsewhere, answer } = now;
  if (applied === 'conflict') {
    return 'Tell the user why, then run the task on the files as they are now.';
  }
  if (elsewhere !== undefined) return elsewhere;
  if (command === undefined) return undefined;
  if (answer === 'no') return `The user chose not to write them. They can still run: ${command}`;
  const asked = answer === 'none' ? 'The question whether to write them was not answered. ' : '';
  return `${asked}To write them, ask the user to run: ${command}`;
}

/** `poll` is the number of the next look at an execution that runs. */
export function nextOf(execution: Execution, applied: Applied, poll: number): string | undefined {
  switch (execution.status) {
    case 'running':
      return pollAgain(execution.id, poll);
    case 'failed':
      return afterFailure(execution);
    case 'cancelled':
      return 'To run it after all, call millrace_execute with the same arguments.';
    case 'completed':
      return afterResult(execution, applied);
  }
}
