// Starts streams as places become free, and makes of each end what follows from it.
import type { FeatureStream, Manifest } from '../../manifest/model.ts';
import type { Pace } from '../../domain/run/pace.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import { NO_TOKENS } from '../../domain/run/replay.ts';
import {
  MAX_ATTEMPTS,
  asNewStream,
  fixId,
  isTakenIn,
  makeFix,
} from '../../domain/run/fix-stream.ts';
import type { Scheduler, StatusChange } from '../../domain/run/scheduler.ts';
import { appliedDirOf } from '../apply/record.ts';
import type { Checkpoint } from '../state/checkpoint.ts';
import { fixFileOf, writeRecord } from '../state/run-folder.ts';
import { fixDetailsOf, readFixDetails } from './fix-details.ts';
import type { Halt } from './model-caller.ts';
import type { RunDeps } from './run-deps.ts';
import { runStream } from './stream-runner.ts';
import type { StreamOutcome } from './stream-runner.ts';
import { toTask } from './task.ts';
import type { ModelDefaults, RunTask } from './task.ts';

export interface LoopDeps extends Omit<RunDeps, 'onAnswered'> {
  manifest: Manifest;
  defaults: ModelDefaults;
  scheduler: Scheduler;
  checkpoint: Checkpoint;
  tasks: Map<string, RunTask>;
  waves: ReadonlyMap<string, number>;
  /** Kept up to date by every event. */
  known: RunRecord;
  pace: Pace;
  maxAttempts?: number;
  stop: AbortSignal;
}

export interface LoopEnd {
  /** Why the run cannot go on, if so. */
  halt: Halt | undefined;
}

/** In `error` of the YAML: enough to see what happened, not the whole output. */
const ERROR_LENGTH = 2_000;

/** Files that are there although the journal did not come to say so. */
async function openAttempt(deps: LoopDeps, streamId: string, attempt: number) {
  const open = deps.known.streams.get(streamId)?.open;
  if (open === undefined || open.applied) return open;
  const { root, stateDir, runId } = deps;
  const record = appliedDirOf({ root, stateDir, runId, streamId, attempt });
  return { ...open, applied: (await record.state()) === 'applied' };
}

export async function runLoop(deps: LoopDeps): Promise<LoopEnd> {
  const { scheduler, pace } = deps;
  const maxAttempts = deps.maxAttempts ?? MAX_ATTEMPTS;
  const active = new Set<string>();
  let halt: Halt | undefined;
  let wake = () => {};

  function launch(id: string): void {
    active.add(id);
    void oneStream(id)
      .catch((error: unknown) => {
        halt ??= { kind: 'broken', reason: (error as Error).message };
        deps.emit({
          type: 'run.note',
          level: 'warning',
          code: 'BROKEN',
          about: id,
          message: deps.scrub(`${id}: ${(error as Error).stack ?? String(error)}`),
        });
        if (scheduler.running().includes(id)) scheduler.postpone(id, { isCounted: false });
      })
      .finally(() => {
        active.delete(id);
        wake();
      });
  }

  /** Files are written and checked by one stream at a time; meanwhile others may ask the model. */
  function onAnswered(id: string): void {
    scheduler.freePlace(id);
    wake();
  }

  async function oneStream(id: string): Promise<void> {
    const task = deps.tasks.get(id)!;
    const { attempts, root } = scheduler.stream(id);
    const wave = deps.waves.get(root ?? id) ?? 1;
    const open = await openAttempt(deps, id, attempts);
    const fix = root === undefined ? undefined : await readFixDetails(deps, id);
    if (open === undefined) {
      // On disk before the first call at the latest: until then nothing is lost with it.
      deps.emit({ type: 'stream.started', stream: id, wave, attempt: attempts });
    }
    deps.checkpoint.set(id, { status: 'in_progress', attempts, error: null });
    if (root !== undefined) {
      deps.checkpoint.set(root, { attempts: scheduler.stream(root).attempts });
    }
    deps.checkpoint.schedule();
    const startedAt = deps.now().getTime();
    const start = { task, wave, attempt: attempts, open, fix };
    const outcome = await runStream({ ...deps, onAnswered }, start, deps.stop);
    const durationMs = deps.now().getTime() - startedAt;
    await conclude({ id, task, wave, attempt: attempts, durationMs }, outcome);
    deps.checkpoint.schedule();
  }

  interface Attempt {
    id: string;
    task: RunTask;
    wave: number;
    attempt: number;
    durationMs: number;
  }

  async function conclude(of: Attempt, outcome: StreamOutcome): Promise<void> {
    const { id, wave, attempt, durationMs } = of;
    const used = deps.known.streams.get(id) ?? { tokens: NO_TOKENS, costUsd: 0 };
    const ended = { stream: id, attempt, wave, durationMs };
    const usage = { tokens: used.tokens, costUsd: used.costUsd };
    switch (outcome.kind) {
      case 'complete': {
        pace.answered();
        const { files, appliedAt } = outcome;
        const applied = appliedAt === undefined ? {} : { appliedAt };
        const kept = deps.apply === 'never' ? { kept: true as const } : {};
        await deps.record({
          type: 'stream.completed',
          ...ended,
          ...usage,
          files,
          ...applied,
          ...kept,
        });
        // What is not applied is still to be done.
        const status = deps.apply === 'never' ? 'pending' : 'complete';
        deps.checkpoint.set(id, { status, error: null, ...applied });
        follow(scheduler.complete(id), appliedAt);
        return;
      }
      case 'failed':
        await fail(of, outcome);
        return;
      case 'halted':
        halt ??= outcome.halt;
        await postpone(of, outcome.halt.reason);
        return;
      case 'stopped':
        await postpone(of, 'stopped');
    }
  }

  async function postpone({ id, attempt }: Attempt, reason: string): Promise<void> {
    // What is open stays open in the journal: the call goes on at the server and is not lost.
    if (reason === 'stopped') {
      await deps.record({ type: 'stream.postponed', stream: id, attempt, reason });
    }
    scheduler.postpone(id, { isCounted: false });
    deps.checkpoint.set(id, { status: 'pending', attempts: scheduler.stream(id).attempts });
  }

  async function fail(
    of: Attempt,
    { failure, classified }: Extract<StreamOutcome, { kind: 'failed' }>,
  ): Promise<void> {
    const { id, wave, attempt, durationMs } = of;
    const { root: rootId = id } = scheduler.stream(id);
    const { attempts } = scheduler.stream(rootId);
    const error = deps.scrub(classified.error).slice(0, ERROR_LENGTH);
    const fix = fixFor(rootId, attempts, classified.mayFix);
    if (fix) {
      const more = { attempt: attempts + 1, of: maxAttempts };
      const details = await fixDetailsOf(deps, { stream: id, attempt, failure, error }, more);
      await writeRecord(fixFileOf(deps.stateDir, deps.runId, fix.id), details);
    }
    const { tokens, costUsd } = deps.known.streams.get(id)!;
    const { class: name, retryable, mayFix } = classified;
    const ended = { stream: id, wave, attempt, durationMs, tokens, costUsd };
    deps.emit({ type: 'stream.failed', ...ended, error, class: name, retryable, mayFix });
    if (fix) {
      const more = { attempt: attempts + 1, of: maxAttempts };
      await deps.record({ type: 'stream.fix', stream: rootId, fix: fix.id, ...more });
      addFix(fix);
    } else await deps.record({ type: 'run.note', ...gaveUp(id, classified.retryable) });
    deps.checkpoint.set(id, { status: 'failed', error });
    if (rootId !== id) deps.checkpoint.set(rootId, { error });
    follow(scheduler.fail(id, fix && { id: fix.id }));
  }

  function gaveUp(id: string, retryable: boolean) {
    const why = retryable ? 'no attempts are left' : 'trying again would not mend it';
    const message = `${id} is given up: ${why}.`;
    return { level: 'info' as const, code: 'GAVE_UP', message, about: id };
  }

  function fixFor(rootId: string, attempts: number, mayFix: boolean): FeatureStream | undefined {
    if (!mayFix || attempts >= maxAttempts || deps.manifest.notation === 'A') return undefined;
    const root = deps.manifest.streams.get(rootId);
    if (root === undefined) return undefined;
    const isTaken = isTakenIn(deps.manifest.streams, rootId);
    const isOther = (id: string) => isTaken(id) || (deps.tasks.get(id)?.root ?? rootId) !== rootId;
    return makeFix(root, attempts, fixId(rootId, attempts, isOther));
  }

  function addFix(fix: FeatureStream): void {
    deps.tasks.set(fix.id, toTask(deps.manifest, fix, deps.defaults));
    deps.checkpoint.addStream(asNewStream(fix));
  }

  /** What the end of one stream did to others. */
  function follow(changes: readonly StatusChange[], appliedAt?: string): void {
    for (const { id, from, to, cause } of changes) {
      if (id === cause && to !== 'skipped') continue;
      deps.emit({ type: 'stream.status', stream: id, from, to, cause });
      const skipped = { error: `Skipped because ${cause} failed.`, skippedBy: cause };
      const isMended = to === 'complete';
      deps.checkpoint.set(id, {
        status: to,
        ...(to === 'skipped' && skipped),
        ...(isMended && { error: null, ...(appliedAt !== undefined && { appliedAt }) }),
      });
    }
  }

  while (true) {
    const mayStart = () => halt === undefined && !deps.stop.aborted;
    if (mayStart()) await deps.checkpoint.look();
    if (mayStart()) {
      scheduler.setConcurrency(pace.allowed());
      for (const id of scheduler.startReady()) launch(id);
    }
    if (active.size === 0) return { halt };
    await new Promise<void>((resolve) => (wake = resolve));
  }
}
