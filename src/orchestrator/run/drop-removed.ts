// A run that is gone on with, of a manifest that has lost streams meanwhile.
import type { RunEvent, RunEventBody } from '../../domain/run/events.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { appliedDirOf } from '../apply/record.ts';
import { undoApplied } from '../apply/transaction.ts';

interface Scene extends ProjectPlace {
  runId: string;
  record: RunRecord;
  emit(body: RunEventBody): RunEvent;
}

/** They do not count any more, and what they wrote and did not come to check is taken back. */
export async function dropRemoved(
  { root, stateDir, runId, record, emit }: Scene,
  known: ReadonlyMap<string, unknown>,
): Promise<void> {
  for (const [id, { status, attempt, open }] of record.streams) {
    if (known.has(id) || (open === undefined && status === 'complete')) continue;
    if (open) {
      const applied = appliedDirOf({ root, stateDir, runId, streamId: id, attempt });
      if ((await applied.state()) === 'applied') {
        await undoApplied({ root, stateDir }, applied.dir);
        const reason = 'it is no longer in the manifest';
        emit({ type: 'stream.rolled_back', stream: id, attempt, reason });
      }
      emit({ type: 'stream.postponed', stream: id, attempt, reason: 'removed' });
    }
    if (status === 'skipped') continue;
    emit({ type: 'stream.status', stream: id, from: status, to: 'skipped', cause: id });
  }
}
