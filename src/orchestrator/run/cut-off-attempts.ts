// Attempts of a run that was cut off and that nobody will finish.
import type { RunEvent, RunEventBody } from '../../contract/run-events.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import { appliedDirOf } from '../apply/record.ts';
import { undoApplied } from '../apply/transaction.ts';
import type { ProjectPlace } from '../state/state-dir.ts';

interface Scene extends ProjectPlace {
  runId: string;
  record: RunRecord;
  emit(body: RunEventBody): RunEvent;
}

/** What the attempt wrote and did not come to check is rolled back. */
async function dropAttempt(
  { root, stateDir, runId, record, emit }: Scene,
  id: string,
  why: { rolledBack: string; postponed: string },
): Promise<void> {
  const { attempt, open } = record.streams.get(id)!;
  if (open === undefined) return;
  const applied = appliedDirOf({ root, stateDir, runId, streamId: id, attempt });
  if ((await applied.state()) === 'applied') {
    await undoApplied({ root, stateDir }, applied.dir);
    emit({ type: 'stream.rolled_back', stream: id, attempt, reason: why.rolledBack });
  }
  emit({ type: 'stream.postponed', stream: id, attempt, reason: why.postponed });
}

/** Streams that the manifest has lost meanwhile do not count any more. */
export async function dropRemoved(
  scene: Scene,
  known: ReadonlyMap<string, unknown>,
): Promise<void> {
  const why = { rolledBack: 'it is no longer in the manifest', postponed: 'removed' };
  for (const [id, { status, open }] of scene.record.streams) {
    if (known.has(id) || (open === undefined && status === 'complete')) continue;
    await dropAttempt(scene, id, why);
    if (status === 'skipped') continue;
    scene.emit({ type: 'stream.status', stream: id, from: status, to: 'skipped', cause: id });
  }
}

/** The run is not resumed. */
export async function dropCutOff(scene: Scene): Promise<void> {
  const why = { rolledBack: 'the run is not resumed', postponed: 'stopped' };
  for (const id of scene.record.streams.keys()) await dropAttempt(scene, id, why);
}
