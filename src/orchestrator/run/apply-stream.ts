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
import type { RunDeps, StreamStart } from './run-deps.ts';

export type Applied =
  | { kind: 'complete'; files: string[] }
  | { kind: 'failed'; failure: StreamFailure; problems?: readonly ApplyProblem[] }
  | { kind: 'stopped' };

const KEPT_OUTPUT = 8 * 1024;

export interface Limits {
  /** Stopped from outside, or out of time. */
  signal: AbortSignal;
  clock: StreamClock;
}

/** Alone with the files. The time of the stream does not run while others have them. */
async function withFiles<T>(
  deps: RunDeps,
  { task, attempt }: StreamStart,
  { clock }: Limits,
  work: () => Promise<T>,
): Promise<T> {
  clock.pause();
  if (deps.lane.isBusy()) {
    deps.emit({ type: 'stream.waiting', stream: task.id, attempt, reason: 'files' });
  }
  return deps.lane.take(async () => {
    clock.resume();
    return work();
  });
}

function contextOf(
  deps: RunDeps,
  { task, attempt }: StreamStart,
  phase: CommandPhase,
  signal: AbortSignal,
): CommandContext {
  const of = { stream: task.id, attempt, phase };
  return {
    root: deps.root,
    env: deps.env,
    timeoutMs: task.timeoutMs,
    signal,
    scrub: deps.scrub,
    onStart: (command) => void deps.emit({ type: 'command.started', ...of, command }),
    onEnd: (result) => {
      const { command, exitCode, timedOut, durationMs, critical } = result;
      const ok = exitCode === 0 && !timedOut;
      deps.emit({
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
export async function setUp(
  deps: RunDeps,
  start: StreamStart,
  limits: Limits,
): Promise<Applied | undefined> {
  const { setup } = start.task;
  if (setup.length === 0) return undefined;
  return withFiles(deps, start, limits, async () => {
    const outcome = await runSetup(setup, contextOf(deps, start, 'setup', limits.signal));
    if (outcome.ok) return undefined;
    return outcome.cancelled ? { kind: 'stopped' } : commandFailure('setup', outcome.results);
  });
}

export async function applyAndVerify(
  deps: RunDeps,
  start: StreamStart,
  operations: readonly Operation[],
  limits: Limits,
): Promise<Applied> {
  const { signal, clock } = limits;
  return withFiles(deps, start, limits, async () => {
    if (signal.aborted) return { kind: 'stopped' };
    const { task, attempt } = start;
    const { root, stateDir, runId, protectedPaths } = deps;
    const staged = await stageArtifact({ root, operations, owns: [...task.owns], protectedPaths });
    if (staged.kind === 'rejected') return rejectedBy(staged.problems);
    clock.pause();
    const changes = await reviewed(deps, start, staged.changes);
    clock.resume();
    // Whoever leaves in the middle of a review has turned nothing down.
    if (signal.aborted) return { kind: 'stopped' };
    if (changes === undefined) {
      const error = 'The changes were turned down in the review.';
      return { kind: 'failed', failure: { kind: 'call', code: 'REVIEW', status: 400, error } };
    }
    // Files that stand without the answer they came from would look as if they had cost nothing.
    await deps.settled();
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
    await deps.record({ type: 'stream.applied', stream: task.id, attempt, files });
    return verify(deps, start, limits);
  });
}

function rejectedBy(problems: readonly ApplyProblem[]): Applied {
  const lines = problems.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const error = `The answer cannot be applied: ${lines.join('; ')}`;
  const codes = problems.map(({ code }) => code);
  return { kind: 'failed', failure: { kind: 'artifact', codes, error }, problems };
}

async function reviewed(
  deps: RunDeps,
  { task, attempt }: StreamStart,
  changes: FileChange[],
): Promise<FileChange[] | undefined> {
  if (deps.apply !== 'review' || deps.review === undefined || changes.length === 0) return changes;
  deps.emit({ type: 'stream.waiting', stream: task.id, attempt, reason: 'review' });
  const accepted = await deps.review(task, changes);
  return accepted.size === 0 ? undefined : changes.filter(({ path }) => accepted.has(path));
}

export function summaryOf(change: FileChange): FileChangeSummary {
  const kind = change.before === null ? 'create' : change.after === null ? 'delete' : 'edit';
  return { path: change.path, kind, ...countChanges(change.before, change.after) };
}

/** Of files that an earlier process wrote and did not come to check. */
export async function verifyApplied(
  deps: RunDeps,
  start: StreamStart,
  limits: Limits,
): Promise<Applied> {
  return withFiles(deps, start, limits, () => verify(deps, start, limits));
}

async function verify(deps: RunDeps, start: StreamStart, limits: Limits): Promise<Applied> {
  const { signal, clock } = limits;
  const { task, attempt } = start;
  const outcome =
    task.commands.length > 0
      ? await runWorkflowCommands(task.commands, contextOf(deps, start, 'command', signal))
      : await runVerify(task.verify, contextOf(deps, start, 'verify', signal));
  const { root, stateDir, runId } = deps;
  const place = { root, stateDir, runId, streamId: task.id, attempt };
  const record = appliedDirOf(place);
  if (outcome.ok) {
    const files = await record.files();
    await deps.onComplete(task, files);
    return { kind: 'complete', files };
  }
  const whyEnded = clock.signal.aborted ? 'it took too long' : 'stopped';
  const reason = outcome.cancelled ? whyEnded : 'a check failed';
  await undoApplied(deps, record.dir);
  await deps.record({ type: 'stream.rolled_back', stream: task.id, attempt, reason });
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
