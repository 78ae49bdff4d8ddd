// Attempts of a run that was cut off and that nobody will finish.
import { appliedDirOf } from '../apply/record.ts';
import { undoApplied } from '../apply/transaction.ts';
import { endOpenTokens } from './agent-tokens.ts';
import type { RunContext } from './context.ts';

/** What the attempt wrote and did not come to check is rolled back. */
async function dropAttempt(
  context: RunContext,
  id: string,
  why: { rolledBack: string; postponed: string },
): Promise<void> {
  const { root, stateDir, runId, replay, emit } = context;
  const { attempt, open } = replay.record.streams.get(id)!;
  if (open === undefined) return;
  // A server that cannot be asked now ends them when they are not renewed.
  await endOpenTokens(context, { stream: id, attempt }, open.calls).catch(() => undefined);
  const applied = appliedDirOf({ root, stateDir, runId, streamId: id, attempt });
  if ((await applied.state()) === 'applied') {
    await undoApplied({ root, stateDir }, applied.dir);
    emit({ type: 'stream.rolled_back', stream: id, attempt, reason: why.rolledBack });
  }
  emit({ type: 'stream.postponed', stream: id, attempt, reason: why.postponed });
}

/** Streams that the manifest has lost meanwhile do not count any more. */
export async function dropRemoved(context: RunContext): Promise<void> {
  const why = { rolledBack: 'no longer in the manifest', postponed: 'removed' };
  for (const [id, { status, open }] of context.replay.record.streams) {
    if (context.tasks.has(id) || (open === undefined && status === 'complete')) continue;
    await dropAttempt(context, id, why);
    if (status === 'skipped') continue;
    context.emit({ type: 'stream.status', stream: id, from: status, to: 'skipped', cause: id });
  }
}

/** The run is not resumed. */
export async function dropCutOff(context: RunContext): Promise<void> {
  const why = { rolledBack: 'the run is not resumed', postponed: 'stopped' };
  for (const id of context.replay.record.streams.keys()) await dropAttempt(context, id, why);
}
