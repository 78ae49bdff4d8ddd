// Starts streams as places become free, and makes of each end what follows from it.
import { setTimeout as delay } from 'node:timers/promises';
import { attemptsFor, isUpToModel } from '../../domain/run/ladder-climb.ts';
import {
  NO_TOKENS,
  attemptsSinceReview,
  beginAnew,
  chainOf,
  climbsOf,
} from '../../domain/run/replay.ts';
import { ANSWER } from '../../manifest/model.ts';
import type { StatusChange } from '../../domain/run/scheduler.ts';
import { appliedDirOf } from '../apply/record.ts';
import { fixFileOf, writeRecord } from '../state/run-folder.ts';
import type { RunContext } from './context.ts';
import { addToManifest, fixDetailsOf, fixFor, readFixDetails } from './fix-details.ts';
import type { Halt } from '../../domain/run/halt.ts';
import { runStream } from './stream-runner.ts';
import type { Denied, StreamOutcome } from './stream-outcome.ts';
import { toTask } from './task.ts';
import type { RunTask } from './task.ts';

export interface LoopEnd {
  /** Why the run cannot continue, if so. */
  halt: Halt | undefined;
}

interface Loop extends LoopEnd {
  active: Set<string>;
  /** Something has happened that may let another stream start, or end the run. */
  wake(): void;
}

export async function runLoop(context: RunContext): Promise<LoopEnd> {
  const loop: Loop = { halt: undefined, active: new Set(), wake: () => {} };
  for (;;) {
    await startReady(context, loop);
    if (loop.active.size === 0) return { halt: loop.halt };
    await new Promise<void>((resolve) => (loop.wake = resolve));
  }
}

/** Nothing new is started once the run must stop; what is under way is waited for. */
async function startReady(context: RunContext, loop: Loop): Promise<void> {
  const { scheduler, callsAtOnce, checkpoint, options } = context;
  const mayStart = () => loop.halt === undefined && !options.stop.aborted;
  if (mayStart()) await checkpoint.look();
  if (!mayStart()) return;
  scheduler.setConcurrency(callsAtOnce.allowed());
  for (const id of scheduler.startReady()) {
    loop.active.add(id);
    void oneStream(context, loop, id)
      .catch((error: unknown) => giveUp(context, loop, id, error as Error))
      .finally(() => {
        loop.active.delete(id);
        loop.wake();
      });
  }
}

/** A mistake of ours, or a disk that is full: nothing that the model could do better. */
function giveUp({ emit, options, scheduler }: RunContext, loop: Loop, id: string, error: Error) {
  loop.halt ??= { kind: 'broken', reason: error.message };
  const message = options.scrub(`${id}: ${error.stack ?? String(error)}`);
  emit({ type: 'run.note', level: 'warning', code: 'BROKEN', about: id, message });
  if (scheduler.running().includes(id)) scheduler.postpone(id, { isCounted: false });
}

async function oneStream(context: RunContext, loop: Loop, id: string): Promise<void> {
  const { scheduler, checkpoint, options, emit } = context;
  const { attempts: attempt, root } = scheduler.stream(id);
  const wave = context.waves.get(root ?? id) ?? 1;
  const open = await openAttempt(context, id, attempt);
  const fix = root === undefined ? undefined : await readFixDetails(context, id);
  // On disk before the first call at the latest: until then nothing is lost with it.
  if (open === undefined) {
    const task = context.tasks.get(id)!;
    const by = task.agent === ANSWER ? {} : { agent: task.agent };
    emit({ type: 'stream.started', stream: id, wave, attempt, ...rungOf(task), ...by });
  }
  checkpoint.set(id, { status: 'in_progress', attempts: attempt, error: null });
  if (root !== undefined) checkpoint.set(root, { attempts: scheduler.stream(root).attempts });
  checkpoint.schedule();
  const startedAt = options.now().getTime();
  const onAnswered = () => {
    // Files are written and checked by one stream at a time; meanwhile others may ask the model.
    scheduler.freePlace(id);
    loop.wake();
  };
  const start = { task: context.tasks.get(id)!, wave, attempt, open, fix, onAnswered };
  const outcome = await runStream(context, start);
  const durationMs = options.now().getTime() - startedAt;
  await takeIn(context, loop, { stream: id, wave, attempt, durationMs }, outcome);
  checkpoint.schedule();
}

/** Worth saying only where there is another one. */
function rungOf({ ladder, rung, model }: RunTask) {
  return ladder.length > 1 ? { rung: { number: rung + 1, of: ladder.length, model } } : {};
}

/** Files that are there although the journal did not come to say so. */
async function openAttempt(context: RunContext, streamId: string, attempt: number) {
  const open = context.replay.record.streams.get(streamId)?.open;
  if (open === undefined || open.applied) return open;
  const { root, stateDir, runId } = context;
  const record = appliedDirOf({ root, stateDir, runId, streamId, attempt });
  return { ...open, applied: (await record.state()) === 'applied' };
}

interface Ended {
  stream: string;
  wave: number;
  attempt: number;
  durationMs: number;
}

async function takeIn(
  context: RunContext,
  loop: Loop,
  ended: Ended,
  outcome: StreamOutcome,
): Promise<void> {
  switch (outcome.kind) {
    case 'complete':
      return complete(context, ended, outcome);
    case 'failed':
      return fail(context, ended, outcome);
    case 'denied':
      return deny(context, ended, outcome);
    case 'halted':
      loop.halt ??= outcome.halt;
      // What is open stays open in the journal: the call continues at the server and is not lost.
      return postpone(context, ended.stream);
    case 'stopped': {
      const { stream, attempt } = ended;
      await context.record({ type: 'stream.postponed', stream, attempt, reason: 'stopped' });
      return postpone(context, stream);
    }
  }
}

async function complete(
  context: RunContext,
  ended: Ended,
  { files, appliedAt }: Extract<StreamOutcome, { kind: 'complete' }>,
): Promise<void> {
  const { callsAtOnce, scheduler, checkpoint, options } = context;
  callsAtOnce.answered();
  const applied = appliedAt === undefined ? {} : { appliedAt };
  const isKept = options.apply === 'never';
  await context.record({
    type: 'stream.completed',
    ...ended,
    ...usageOf(context, ended.stream),
    files,
    ...applied,
    ...(isKept && { kept: true as const }),
  });
  // What is not applied is still to be done.
  const status = isKept ? 'pending' : 'complete';
  checkpoint.set(ended.stream, { status, error: null, ...applied });
  passOn(context, scheduler.complete(ended.stream), appliedAt);
}

/** Not tried again in this run; a new run asks anew. */
async function deny(
  context: RunContext,
  ended: Ended,
  { what, by, comment, error }: Denied,
): Promise<void> {
  const { scheduler, checkpoint } = context;
  const { stream } = ended;
  await context.record({
    type: 'stream.denied',
    ...ended,
    ...usageOf(context, stream),
    what,
    ...(by !== undefined && { by }),
    ...(comment !== undefined && { comment }),
    error,
    denied: true,
  });
  checkpoint.set(stream, { status: 'skipped', error, skippedBy: stream });
  passOn(
    context,
    scheduler.deny(stream).filter(({ id }) => id !== stream),
  );
}

function usageOf({ replay }: RunContext, stream: string) {
  const used = replay.record.streams.get(stream);
  const { tokens = NO_TOKENS, costUsd = 0, estimatedUsd } = used ?? {};
  return { tokens, costUsd, ...(estimatedUsd !== undefined && { estimatedUsd }) };
}

function postpone({ scheduler, checkpoint }: RunContext, id: string): void {
  scheduler.postpone(id, { isCounted: false });
  checkpoint.set(id, { status: 'pending', attempts: scheduler.stream(id).attempts });
}

/** In `error` of the YAML: enough to see what happened, not the whole output. */
const ERROR_LENGTH = 2_000;

async function fail(
  context: RunContext,
  ended: Ended,
  { failure, classified, answer }: Extract<StreamOutcome, { kind: 'failed' }>,
): Promise<void> {
  const { scheduler, checkpoint, options, tasks, manifest } = context;
  const { stream, attempt } = ended;
  const { root = stream } = scheduler.stream(stream);
  const { attempts } = scheduler.stream(root);
  const error = options.scrub(classified.error).slice(0, ERROR_LENGTH);
  const { ladder, rung } = tasks.get(stream)!;
  const climbs = isUpToModel(failure);
  const isNextBetter = climbs && rung < ladder.length - 1;
  const retryable = classified.retryable || isNextBetter;
  const mayFix = classified.mayFix || isNextBetter;
  // As the journal says it below: what a person asks for gets attempts of its own.
  if (failure.kind === 'review') beginAnew(context.replay.record, root);
  const fix = mayFix ? fixFor(context, root, attempts) : undefined;
  const counted = attemptsSinceReview(context.replay.record, root, attempts);
  const round = { attempt: counted + 1, of: attemptsFor(ladder, options) };
  if (fix) {
    const failed = { stream, attempt, failure, error, answer };
    const details = await fixDetailsOf(context, failed, round);
    await writeRecord(fixFileOf(context.stateDir, context.runId, fix.id), details);
  }
  const usage = usageOf(context, stream);
  context.emit({
    type: 'stream.failed',
    ...ended,
    ...usage,
    error,
    class: classified.class,
    retryable,
    mayFix,
    ...(climbs && { climbs }),
  });
  if (fix) {
    await context.record({ type: 'stream.fix', stream: root, fix: fix.id, ...round });
    const climbed = climbsOf(chainOf(context.replay.record, root));
    tasks.set(fix.id, toTask(manifest, fix, options, climbed));
    addToManifest(checkpoint, fix);
  } else if (retryable && !mayFix && counted < round.of) {
    return tryAgain(context, ended, error);
  } else {
    const why = retryable ? 'no attempts left' : 'another attempt would not help';
    const message = `${stream} is not retried: ${why}.`;
    const note = { level: 'info' as const, code: 'GAVE_UP', message, about: stream };
    await context.record({ type: 'run.note', ...note });
  }
  checkpoint.set(stream, { status: 'failed', error });
  if (root !== stream && scheduler.stream(root).status !== 'complete')
    checkpoint.set(root, { error });
  passOn(context, scheduler.fail(stream, fix && { id: fix.id }));
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

/** It goes away by waiting: the same is asked again. */
async function tryAgain(context: RunContext, ended: Ended, detail: string): Promise<void> {
  const { scheduler, checkpoint, options } = context;
  const { stream, attempt } = ended;
  const { retryWaitMs = FIRST_WAIT_MS, stop } = options;
  const waitMs = Math.min(LONGEST_WAIT_MS, retryWaitMs * 2 ** (attempt - 1));
  const until = new Date(options.now().getTime() + waitMs).toISOString();
  scheduler.freePlace(stream);
  context.emit({ type: 'stream.waiting', stream, attempt, reason: 'retry', until, detail });
  await delay(waitMs, undefined, { signal: stop }).catch(() => undefined);
  const again = { stream, from: 'failed' as const, to: 'pending' as const, cause: stream };
  await context.record({ type: 'stream.status', ...again });
  scheduler.postpone(stream);
  checkpoint.set(stream, { status: 'pending', attempts: scheduler.stream(stream).attempts });
}

/** What the end of one stream did to others. */
function passOn(
  { emit, checkpoint }: RunContext,
  changes: readonly StatusChange[],
  appliedAt?: string,
): void {
  for (const { id, from, to, cause } of changes) {
    if (id === cause && to !== 'skipped') continue;
    emit({ type: 'stream.status', stream: id, from, to, cause });
    const skipped = { error: `Skipped because ${cause} failed.`, skippedBy: cause };
    const isFixed = to === 'complete';
    checkpoint.set(id, {
      status: to,
      ...(to === 'skipped' && skipped),
      ...(isFixed && { error: null, ...(appliedAt !== undefined && { appliedAt }) }),
    });
  }
}
