// The end of a run: in the manifest, in the history of the server and in the journal.
import { manifestName } from '../../manifest/model.ts';
import { atRest, totalsOf } from '../../domain/run/totals.ts';
import type { Halt } from './model-caller.ts';
import { recordHistory } from './record-history.ts';
import type { RunEnd } from './run-options.ts';
import type { Scene } from './scene.ts';
import type { RunTask } from './task.ts';

const NOT_WRITTEN: Halt = {
  kind: 'manifest',
  reason: 'the manifest cannot be written as it is now; mend it and run again',
};

function statusOf(
  scene: Scene,
  { halt, isClosed }: { halt: Halt | undefined; isClosed?: boolean },
): RunEnd['status'] {
  if (scene.options.stop.aborted) return 'cancelled';
  if (halt !== undefined) return 'paused';
  if (isClosed) return 'cancelled';
  const { streams, fixes } = scene.replay.record;
  const isGood = [...streams].every(
    ([id, { status }]) => fixes.has(id) || status === 'complete' || status === 'skipped',
  );
  return isGood ? 'complete' : 'failed';
}

export async function finishRun(
  scene: Scene,
  run: {
    halt: Halt | undefined;
    /** Whatever is left is not done by this run any more. */
    isClosed?: boolean;
    startedAt: number;
    tasks: ReadonlyMap<string, RunTask>;
    waves: ReadonlyMap<string, number>;
  },
): Promise<RunEnd> {
  const { options, runId, replay, emit, checkpoint, manifest } = scene;
  const { tasks, waves } = run;
  const durationMs = options.now().getTime() - run.startedAt;
  checkpoint.setRunStatus(statusOf(scene, run));
  const isWritten = await checkpoint.flush();
  // Left open: the next run reads the journal, and does not do again what is done.
  const halt = run.halt ?? (isWritten ? undefined : NOT_WRITTEN);
  const status = statusOf(scene, { ...run, halt });
  const entry = { runId, status, durationMs, tasks, waves, record: replay.record };
  const { startedAt } = replay.record;
  const feature = manifestName(manifest);
  const isDeaf = halt?.kind === 'unreachable' || halt?.kind === 'not_authorised';
  const hasWorked = [...replay.record.streams.values()].some(({ attempt }) => attempt > 0);
  const problem =
    isDeaf || !hasWorked
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
