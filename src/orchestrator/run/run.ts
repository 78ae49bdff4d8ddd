// Runs a manifest in a project, or goes on with a run that was cut off.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { MillraceClient } from '../../client/index.ts';
import type { RunStatus } from '../../contract/history-api.ts';
import { manifestName } from '../../domain/manifest/model.ts';
import type { Manifest } from '../../domain/manifest/model.ts';
import { planManifest } from '../../domain/manifest/plan-manifest.ts';
import type { StreamOrder } from '../../domain/manifest/plan.ts';
import type { Problem } from '../../domain/manifest/problem.ts';
import { parseManifest } from '../../domain/manifest/text/parse.ts';
import { createBudget } from '../../domain/run/budget.ts';
import type { RunEvent, RunEventBody, RunTotals } from '../../domain/run/events.ts';
import { MAX_ATTEMPTS } from '../../domain/run/fix-stream.ts';
import { createReplay } from '../../domain/run/replay.ts';
import type { Replay } from '../../domain/run/replay.ts';
import { createPace } from '../../domain/run/pace.ts';
import type { Pace } from '../../domain/run/pace.ts';
import { createScheduler } from '../../domain/run/scheduler.ts';
import { totalsOf } from '../../domain/run/totals.ts';
import { commandsOf } from '../commands/trust.ts';
import { createContextCollector } from '../context/collect.ts';
import { recoverTransactions } from '../apply/transaction.ts';
import { createCheckpoint } from '../state/checkpoint.ts';
import type { Checkpoint } from '../state/checkpoint.ts';
import { openJournal } from '../state/journal.ts';
import { takeLock } from '../state/lock.ts';
import { journalOf, makeStateDir, stateDirOf } from '../state/run-folder.ts';
import { dropRemoved } from './drop-removed.ts';
import type { Halt } from './halt.ts';
import { createLane } from './lane.ts';
import { findLastRun, isOpen } from './last-run.ts';
import { createModelCaller } from './model-caller.ts';
import { createConflictTest, namedIn, sharedPathsOf } from './prepare.ts';
import type { Selection } from './prepare.ts';
import { readAgain } from './read-again.ts';
import { recordHistory } from './record-history.ts';
import type { ApplyMode, Review } from './run-deps.ts';
import { runLoop } from './run-loop.ts';
import { planStreams } from './run-streams.ts';
import type { ModelDefaults, RunTask } from './task.ts';
import { NO_UNUSED_ANSWERS, unusedAnswersOf } from './unused-answers.ts';
import type { UnusedAnswers } from './unused-answers.ts';
import { createWarmth } from './warmth.ts';

export interface RunOptions extends ModelDefaults {
  root: string;
  /** Absolute. */
  manifestFile: string;
  /** Of somebody who has read it already; it may have been edited since. */
  plan?: KnownPlan;
  client: MillraceClient;
  url: string;
  newRunId(): string;
  concurrency: number;
  /** Learns how many calls to make at once; told of limits by whoever made the client. */
  pace?: Pace;
  laneLimits?: ReadonlyMap<string, number>;
  laneOf(model: string): string;
  maxCostUsd: number | undefined;
  maxAttempts?: number;
  priceOf(model: string, tokens: { input: number; output: number }): number | null;
  /** About how long a stream takes, for the order of starting. */
  weightOf?(task: RunTask): number;
  apply: ApplyMode;
  review?: Review;
  selection: Selection;
  /** What the user agreed to run; by default all that the manifest has at the start. */
  commands?: ReadonlySet<string>;
  env: NodeJS.ProcessEnv;
  scrub(text: string): string;
  warm: boolean;
  /** Shows the text of the answers as it comes. */
  isLive: boolean;
  onComplete?(task: RunTask, files: readonly string[]): Promise<void>;
  now(): Date;
  stop: AbortSignal;
  onEvent(event: RunEvent): void;
}

export interface RunEnd {
  runId: string;
  status: Extract<RunStatus, 'complete' | 'failed' | 'cancelled' | 'paused'>;
  halt: Halt | undefined;
  totals: RunTotals;
}

export class ManifestProblemsError extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(`The manifest has ${problems.length} problem${problems.length === 1 ? '' : 's'}.`);
    this.name = 'ManifestProblemsError';
    this.problems = problems;
  }
}

/** A manifest that was read, with the text it was read from. */
export interface KnownPlan {
  text: string;
  manifest: Manifest;
  order: StreamOrder;
}

function readPlan(text: string, file: string): Omit<KnownPlan, 'text'> {
  const parsed = parseManifest(text, { file });
  if (parsed.kind === 'invalid') throw new ManifestProblemsError(parsed.problems);
  const order = planManifest(parsed.manifest);
  if (order.kind === 'cyclic') throw new ManifestProblemsError([]);
  return { manifest: parsed.manifest, order };
}

export async function runManifest(options: RunOptions): Promise<RunEnd> {
  const { root } = options;
  const file = relative(root, options.manifestFile);
  makeStateDir(root);
  const lock = takeLock(stateDirOf(root), 'starting');
  try {
    await recoverTransactions(root);
    const text = await readFile(options.manifestFile, 'utf8');
    const { manifest, order } = options.plan?.text === text ? options.plan : readPlan(text, file);
    checkCommands(manifest, options.commands);
    const last = await findLastRun(root, file);
    const open = last && isOpen(last) ? last : undefined;
    const runId = open?.record.runId ?? options.newRunId();
    lock.name(runId);
    const replay = open ?? createReplay([], 0, runId);
    const journal = await openJournal(journalOf(root, runId), {
      now: options.now,
      from: { seq: replay.record.lastSeq, bytes: replay.bytes },
    });
    const emit = (body: RunEventBody) => {
      // Text that grows is for those who look on; nobody needs it afterwards.
      if (body.type === 'stream.progress') {
        const { lastSeq: seq } = replay.record;
        const shown: RunEvent = { v: 1, seq, ts: options.now().toISOString(), ...body };
        options.onEvent(shown);
        return shown;
      }
      const event = journal.append(body);
      replay.follow(event);
      options.onEvent(event);
      return event;
    };
    const edited = { onEdited: (_changed: string) => {} };
    const checkpoint = createCheckpoint({
      file: options.manifestFile,
      text,
      onEdited: (changed) => edited.onEdited(changed),
      onProblem: (problem) => tellNotWritten(problem, file, emit),
    });
    try {
      const unused =
        last === undefined || open !== undefined
          ? NO_UNUSED_ANSWERS
          : unusedAnswersOf(root, last.record, namedIn(order, options.selection));
      const scene: Scene = {
        options,
        file,
        manifest,
        order,
        replay,
        emit,
        checkpoint,
        edited,
        unused,
      };
      const settled = () => journal.settled();
      return await play({ ...scene, runId, settled, isResumed: open !== undefined });
    } finally {
      await checkpoint.close();
      await journal.close();
    }
  } finally {
    lock.release();
  }
}

/** It may have been edited between the question and now. */
function checkCommands(manifest: Manifest, agreed: ReadonlySet<string> | undefined): void {
  const fresh = agreed && commandsOf(manifest).find((command) => !agreed.has(command));
  if (fresh === undefined) return;
  throw new Error(
    `The manifest was changed meanwhile: nobody has approved "${fresh}". Run it again.`,
  );
}

function tellNotWritten(
  problem: string,
  file: string,
  emit: (body: RunEventBody) => RunEvent,
): void {
  const message = `How far the run is cannot be written into ${file} (${problem}); it goes on without.`;
  emit({ type: 'run.note', level: 'warning', code: 'MANIFEST_NOT_WRITTEN', message });
}

interface Scene {
  options: RunOptions;
  file: string;
  manifest: Manifest;
  order: StreamOrder;
  replay: Replay;
  emit(body: RunEventBody): RunEvent;
  checkpoint: Checkpoint;
  /** Set once there is something that a changed manifest can change. */
  edited: { onEdited(text: string): void };
  unused: UnusedAnswers;
}

async function play(
  scene: Scene & { runId: string; settled(): Promise<void>; isResumed: boolean },
): Promise<RunEnd> {
  const { options, manifest, replay, emit, checkpoint, runId, isResumed } = scene;
  const { root, now } = options;
  const feature = manifestName(manifest);
  const startedAt = now().getTime();
  const { streams, tasks, waves, missed } = planStreams({ ...scene, record: replay.record });
  emit({
    type: 'run.started',
    runId,
    manifest: feature,
    file: scene.file,
    notation: manifest.notation,
    model: [...new Set([...tasks.values()].map(({ model }) => model))].join(', '),
    simulated: [...tasks.values()].every(({ model }) => model.startsWith('sim-')),
    concurrency: options.concurrency,
    resumed: isResumed,
    url: options.url,
    streams: streams
      .filter(({ root: parent }) => parent === undefined)
      .map(({ id, status, deps, after }) => ({
        id,
        name: tasks.get(id)!.name,
        wave: waves.get(id) ?? 1,
        status,
        waitsFor: [...deps, ...after],
      })),
  });
  for (const { id, parentStreamId } of missed) {
    const attempt = (replay.record.streams.get(parentStreamId!)?.attempt ?? 0) + 1;
    const of = options.maxAttempts ?? MAX_ATTEMPTS;
    emit({ type: 'stream.fix', stream: parentStreamId!, fix: id, attempt, of });
  }
  await dropRemoved({ root, runId, record: replay.record, emit }, tasks);
  await scene.settled();
  const scheduler = createScheduler({
    streams,
    concurrency: options.concurrency,
    conflicts: createConflictTest(tasks),
    ...(options.laneLimits && { laneLimits: options.laneLimits }),
  });
  for (const id of options.selection.skip) {
    for (const change of scheduler.skip(id)) {
      emit({ type: 'stream.status', stream: change.id, ...change });
      checkpoint.set(change.id, { status: change.to });
    }
  }
  checkpoint.setRunStatus('in_progress');
  checkpoint.schedule();
  const spent = totalsOf(replay.record, 0).costUsd ?? 0;
  const commands = options.commands ?? new Set(commandsOf(manifest));
  scene.edited.onEdited = (text) => {
    const run = { file: scene.file, defaults: options, tasks, scheduler, commands, emit };
    for (const change of readAgain(text, run)) {
      emit({ type: 'stream.status', stream: change.id, ...change });
    }
  };
  const { halt } = await runLoop({
    ...options,
    pace: options.pace ?? createPace(options.concurrency),
    feature,
    runId,
    manifest,
    defaults: options,
    scheduler,
    checkpoint,
    tasks,
    waves,
    known: replay.record,
    protectedPaths: [scene.file],
    caller: createModelCaller(options.client, { isLive: options.isLive }),
    collector: createContextCollector({ root }),
    budget: createBudget(options.maxCostUsd, spent),
    lane: createLane(),
    warmth: createWarmth({ isOn: options.warm }),
    unused: scene.unused,
    review: options.review,
    sharedPaths: sharedPathsOf(tasks.values()),
    emit,
    record: async (body) => {
      const event = emit(body);
      await scene.settled();
      return event;
    },
    settled: scene.settled,
    onComplete: options.onComplete ?? (async () => {}),
  });
  return finish(scene, { halt, startedAt, tasks, waves, runId });
}

const NOT_WRITTEN: Halt = {
  kind: 'manifest',
  reason: 'the manifest cannot be written as it is now; mend it and run again',
};

function statusOf(scene: Scene, halt: Halt | undefined): RunEnd['status'] {
  if (scene.options.stop.aborted) return 'cancelled';
  if (halt !== undefined) return 'paused';
  const { streams, fixes } = scene.replay.record;
  const isGood = [...streams].every(
    ([id, { status }]) => fixes.has(id) || status === 'complete' || status === 'skipped',
  );
  return isGood ? 'complete' : 'failed';
}

/** What was cut off goes on from where it is; until then nobody is at work on it. */
function atRest(totals: RunTotals): RunTotals {
  const { in_progress: cutOff, pending } = totals.streams;
  return { ...totals, streams: { ...totals.streams, pending: pending + cutOff, in_progress: 0 } };
}

async function finish(
  scene: Scene & { settled(): Promise<void> },
  run: {
    runId: string;
    halt: Halt | undefined;
    startedAt: number;
    tasks: ReadonlyMap<string, RunTask>;
    waves: ReadonlyMap<string, number>;
  },
): Promise<RunEnd> {
  const { options, replay, emit, checkpoint, manifest } = scene;
  const { runId, tasks, waves } = run;
  const durationMs = options.now().getTime() - run.startedAt;
  checkpoint.setRunStatus(statusOf(scene, run.halt));
  const isWritten = await checkpoint.flush();
  // Left open: the next run reads the journal, and does not do again what is done.
  const halt = run.halt ?? (isWritten ? undefined : NOT_WRITTEN);
  const status = statusOf(scene, halt);
  const entry = { runId, status, durationMs, tasks, waves, record: replay.record };
  const { startedAt } = replay.record;
  const feature = manifestName(manifest);
  const problem =
    halt?.kind === 'unreachable' || halt?.kind === 'not_authorised'
      ? undefined
      : await recordHistory(options.client, { ...entry, feature, startedAt });
  if (problem !== undefined) {
    const message = `The run is not in the history of the server: ${problem}`;
    emit({ type: 'run.note', level: 'warning', code: 'NOT_IN_HISTORY', message });
  }
  const totals = atRest(totalsOf(replay.record, durationMs));
  if (status === 'paused') {
    emit({ type: 'run.paused', reason: halt?.reason ?? '', totals });
  } else {
    const type = `run.${status === 'complete' ? 'completed' : status}` as const;
    emit({ type, totals });
  }
  await scene.settled();
  return { runId, status, halt, totals };
}
