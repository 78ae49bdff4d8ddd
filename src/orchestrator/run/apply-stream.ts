// From an answer to files that pass their checks, or to the tree as it was. Only one stream at a
// time does this.
import type { Operation } from '../../contract/artifact.ts';
import type { CommandPhase, FileChangeSummary } from '../../contract/run-events.ts';
import type { StreamFailure } from '../../domain/run/failure-class.ts';
import { NotWritableError } from '../apply/commit.ts';
import { countChanges } from '../apply/diff.ts';
import type { ApplyProblem, FileChange } from '../apply/file-change.ts';
import { appliedDirOf } from '../apply/record.ts';
import { stageArtifact } from '../apply/stage.ts';
import { applyChanges, undoApplied } from '../apply/transaction.ts';
import type { CommandContext, CommandResult } from '../commands/run-command.ts';
import { runSetup, runVerify, runWorkflowCommands } from '../commands/run-command.ts';
import { changeProblems } from '../checks/check-changes.ts';
import type { Attempt, RunContext } from './context.ts';
import type { RunTask } from './task.ts';

export type Applied =
  | { kind: 'complete'; files: string[] }
  | { kind: 'failed'; failure: StreamFailure; problems?: readonly ApplyProblem[] }
  | { kind: 'stopped' };

const KEPT_OUTPUT = 8 * 1024;

/** Alone with the files. The time of the stream does not run while others have them. */
async function withFiles<T>(
  context: RunContext,
  { task, attempt, clock }: Attempt,
  work: () => Promise<T>,
): Promise<T> {
  clock.pause();
  if (context.lane.isBusy()) {
    context.emit({ type: 'stream.waiting', stream: task.id, attempt, reason: 'files' });
  }
  return context.lane.take(async () => {
    clock.resume();
    return work();
  });
}

function commandContext(
  context: RunContext,
  { task, attempt, signal }: Attempt,
  phase: CommandPhase,
): CommandContext {
  const of = { stream: task.id, attempt, phase };
  return {
    root: context.root,
    env: context.options.env,
    timeoutMs: task.timeoutMs,
    signal,
    scrub: context.options.scrub,
    onStart: (command) => void context.emit({ type: 'command.started', ...of, command }),
    onEnd: (result) => {
      const { command, exitCode, timedOut, durationMs, critical } = result;
      const ok = exitCode === 0 && !timedOut;
      context.emit({
        type: 'command.finished',
        ...of,
        command,
        ok,
        exitCode,
        timedOut,
        durationMs,
        critical,
        ...(!ok && { output: result.output.slice(-KEPT_OUTPUT) }),
      });
    },
  };
}

function commandFailure(kind: 'setup' | 'verify', results: readonly CommandResult[]): Applied {
  return { kind: 'failed', failure: { kind, results } };
}

/** Undefined when all went well. */
export async function setUp(context: RunContext, start: Attempt): Promise<Applied | undefined> {
  const { setup } = start.task;
  if (setup.length === 0) return undefined;
  return withFiles(context, start, async () => {
    const outcome = await runSetup(setup, commandContext(context, start, 'setup'));
    if (outcome.ok) return undefined;
    return outcome.cancelled ? { kind: 'stopped' } : commandFailure('setup', outcome.results);
  });
}

export async function applyAndVerify(
  context: RunContext,
  start: Attempt,
  operations: readonly Operation[],
  { isLast }: { isLast: boolean },
): Promise<Applied> {
  const { signal, clock } = start;
  return withFiles(context, start, async () => {
    if (signal.aborted) return { kind: 'stopped' };
    const { task, attempt } = start;
    const { root, stateDir, runId, protectedPaths } = context;
    const staged = await stageArtifact({ root, operations, owns: [...task.owns], protectedPaths });
    if (staged.kind === 'rejected') return rejectedBy(staged.problems);
    const found = changeProblems({
      root,
      changes: staged.changes,
      expected: expectedBy(context, task),
    });
    const unfit = isLast ? found.filter((problem) => isFinal(problem, task)) : found;
    if (unfit.length > 0) return rejectedBy(unfit);
    clock.pause();
    const changes = await reviewed(context, start, staged.changes);
    clock.resume();
    // Whoever leaves in the middle of a review has turned nothing down.
    if (signal.aborted) return { kind: 'stopped' };
    if (changes === undefined) {
      const error = 'The changes were declined in the review.';
      return { kind: 'failed', failure: { kind: 'call', code: 'REVIEW', status: 400, error } };
    }
    // Files that stand without the answer they came from would look as if they had cost nothing.
    await context.settled();
    const place = { root, stateDir, runId, streamId: task.id, attempt };
    const written = await applyChanges(place, changes).catch((error: unknown) => {
      if (error instanceof NotWritableError) return error;
      throw error;
    });
    if (written instanceof NotWritableError) {
      return { kind: 'failed', failure: { kind: 'disk', error: written.message } };
    }
    if (written.kind === 'conflict') return rejectedBy(written.problems);
    const files = changes.map(summaryOf);
    await context.record({ type: 'stream.applied', stream: task.id, attempt, files });
    return verify(context, start);
  });
}

/** Where nobody can be asked any more, the commands of the stream judge better than we do. */
function isFinal({ code }: ApplyProblem, { verify, commands }: RunTask): boolean {
  return code === 'SYNTAX' && verify.length === 0 && commands.length === 0;
}

/** Files of streams that have not come to write them; one that names none may write any. */
function expectedBy({ tasks, scheduler }: RunContext, task: RunTask): string[] {
  return [...tasks.values()].flatMap(({ id, owns }) =>
    id === task.id || scheduler.stream(id).status === 'complete'
      ? []
      : owns.length > 0
        ? owns
        : ['**'],
  );
}

function rejectedBy(problems: readonly ApplyProblem[]): Applied {
  const lines = problems.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const error = `The answer cannot be applied: ${lines.join('; ')}`;
  const codes = problems.map(({ code }) => code);
  return { kind: 'failed', failure: { kind: 'artifact', codes, error }, problems };
}

async function reviewed(
  context: RunContext,
  { task, attempt }: Attempt,
  changes: FileChange[],
): Promise<FileChange[] | undefined> {
  if (
    context.options.apply !== 'review' ||
    context.options.review === undefined ||
    changes.length === 0
  )
    return changes;
  context.emit({ type: 'stream.waiting', stream: task.id, attempt, reason: 'review' });
  const accepted = await context.options.review(task, changes);
  return accepted.size === 0 ? undefined : changes.filter(({ path }) => accepted.has(path));
}

export function summaryOf(change: FileChange): FileChangeSummary {
  const kind = change.before === null ? 'create' : change.after === null ? 'delete' : 'edit';
  return { path: change.path, kind, ...countChanges(change.before, change.after) };
}

/** Of files that an earlier process wrote and did not come to check. */
export async function verifyApplied(context: RunContext, start: Attempt): Promise<Applied> {
  return withFiles(context, start, () => verify(context, start));
}

async function verify(context: RunContext, start: Attempt): Promise<Applied> {
  const { task, attempt, clock } = start;
  const outcome =
    task.commands.length > 0
      ? await runWorkflowCommands(task.commands, commandContext(context, start, 'command'))
      : await runVerify(task.verify, commandContext(context, start, 'verify'));
  const { root, stateDir, runId } = context;
  const place = { root, stateDir, runId, streamId: task.id, attempt };
  const record = appliedDirOf(place);
  if (outcome.ok) {
    const files = await record.files();
    await context.options.onComplete?.(task, files);
    return { kind: 'complete', files };
  }
  const whyEnded = clock.signal.aborted ? 'it took too long' : 'stopped';
  const reason = outcome.cancelled ? whyEnded : 'check failed';
  await undoApplied(context, record.dir);
  await context.record({ type: 'stream.rolled_back', stream: task.id, attempt, reason });
  return outcome.cancelled ? { kind: 'stopped' } : commandFailure('verify', outcome.results);
}

// One at a time, in the order of asking: files are written and checked by one stream at a time, so
// that each check sees a tree that nobody is writing to.

export interface Lane {
  /** Whether the next one has to wait. */
  isBusy(): boolean;
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  return {
    isBusy: () => count > 0,
    take(work) {
      count += 1;
      const mine = last.then(work).finally(() => (count -= 1));
      // The next one starts whether or not this one failed.
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}

// The time that a stream may take. It stands still while the stream waits for others: for its turn
// with the files, or for a person who looks through its changes.

export interface StreamClock {
  /** Aborted when the time is over. */
  signal: AbortSignal;
  pause(): void;
  resume(): void;
  /** Gives the timer back. */
  close(): void;
}

export function createStreamClock(timeoutMs: number): StreamClock {
  const over = new AbortController();
  let left = timeoutMs;
  let timer: NodeJS.Timeout | undefined;
  let since = 0;

  function resume(): void {
    if (timer !== undefined) return;
    since = performance.now();
    timer = setTimeout(() => over.abort(), left);
  }

  function pause(): void {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    left = Math.max(0, left - (performance.now() - since));
  }

  resume();
  return { signal: over.signal, pause, resume, close: () => clearTimeout(timer) };
}
