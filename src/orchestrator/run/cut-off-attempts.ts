// Attempts of a run that was cut off and that nobody will finish.
import { appliedDirOf } from '../apply/record.ts';
import { undoApplied } from '../apply/transaction.ts';
import { ANSWER } from '../../manifest/model.ts';
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

/**
 * Streams that another worker has now: the attempt begins anew. What was asked before was asked by another kind, and its
 * answer would be of no use. Files that were written are checked all the same.
 */
export async function dropChanged(context: RunContext): Promise<void> {
  const { root, stateDir, runId, tasks, replay } = context;
  const why = { rolledBack: 'another worker', postponed: 'another worker' };
  for (const [id, { agent = ANSWER, attempt, open }] of replay.record.streams) {
    if (open === undefined || (tasks.get(id)?.agent ?? agent) === agent) continue;
    const place = { root, stateDir, runId, streamId: id, attempt };
    if ((await appliedDirOf(place).state()) !== 'applied') await dropAttempt(context, id, why);
  }
}

/** The run is not resumed. */
export async function dropCutOff(context: RunContext): Promise<void> {
  const why = { rolledBack: 'the run is not resumed', postponed: 'stopped' };
  for (const id of context.replay.record.streams.keys()) await dropAttempt(context, id, why);
}
