// A run from its first event to the end of its last stream.
import { manifestName } from '../../manifest/model.ts';
import { createBudget } from '../../domain/run/budget.ts';
import { MAX_ATTEMPTS } from '../../domain/run/fix-stream.ts';
import { createPace } from '../../domain/run/pace.ts';
import { createScheduler } from '../../domain/run/scheduler.ts';
import { commandsOf } from '../commands/trust.ts';
import { createContextCollector } from '../context/collect.ts';
import { stateWithin } from '../state/state-dir.ts';
import { dropCutOff, dropRemoved } from './cut-off-attempts.ts';
import { finishRun } from './finish-run.ts';
import { createLane } from './apply-stream.ts';
import { createModelCaller } from './model-caller.ts';
import { createConflictTest, sharedPathsOf } from './prepare.ts';
import { readAgain } from './read-again.ts';
import { runLoop } from './run-loop.ts';
import type { RunEnd } from './run-options.ts';
import { planStreams } from './run-streams.ts';
import type { Scene } from './scene.ts';
import { createWarmth } from './ask-model.ts';

export async function playScene(scene: Scene): Promise<RunEnd> {
  const { options, manifest, replay, emit, checkpoint, runId, isResumed } = scene;
  const { root, stateDir, now } = options;
  const feature = manifestName(manifest);
  const startedAt = now().getTime();
  const { streams, tasks, waves, leftOut, missed } = planStreams({
    ...scene,
    record: replay.record,
  });
  const { only, from } = options.selection;
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
    ...(only.length + from.length > 0 && { named: { only, from } }),
    streams: streams
      .filter(({ root: parent }) => parent === undefined)
      .map(({ id, status, deps, after }) => ({
        id,
        name: tasks.get(id)!.name,
        wave: waves.get(id) ?? 1,
        status,
        waitsFor: [...deps, ...after],
        ...(leftOut.has(id) && { leftOut: true as const }),
      })),
  });
  for (const note of scene.notes) emit(note);
  for (const { id, parentStreamId } of missed) {
    const attempt = (replay.record.streams.get(parentStreamId!)?.attempt ?? 0) + 1;
    const of = options.maxAttempts ?? MAX_ATTEMPTS;
    emit({ type: 'stream.fix', stream: parentStreamId!, fix: id, attempt, of });
  }
  await dropRemoved({ root, stateDir, runId, record: replay.record, emit }, tasks);
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
  const spent = [...replay.record.streams.values()].reduce((sum, one) => sum + one.chargedUsd, 0);
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
    protectedPaths: [scene.file, ...stateWithin(options)],
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
  return finishRun(scene, { halt, startedAt, tasks, waves });
}

/** Ends a run that was cut off or paused, and that another one takes the place of. */
export async function closeScene(scene: Scene): Promise<RunEnd> {
  const { options, replay, emit, runId } = scene;
  const startedAt = options.now().getTime();
  const { record } = replay;
  // Also tells the manifest what the process that was cut off may not have written.
  const { tasks, waves } = planStreams({ ...scene, record });
  await dropCutOff({ ...options, runId, record, emit });
  return finishRun(scene, { halt: undefined, isClosed: true, startedAt, tasks, waves });
}
