// One attempt at a stream, from its setup to files that pass their checks.
import type { Artifact } from '../../contract/artifact.ts';
import { artifactFileOf, writeRecord } from '../state/run-folder.ts';
import { applyAndVerify, createStreamClock, setUp, verifyApplied } from './apply-stream.ts';
import { askAgain, blocksToAsk } from './ask-again.ts';
import { askModel } from './ask-model.ts';
import type { Attempt, RunContext } from './context.ts';
import { readAnswer } from './read-answer.ts';
import { failed, settle } from './stream-outcome.ts';
import type { StreamOutcome } from './stream-outcome.ts';
import { promptOf } from './stream-prompt.ts';

export async function runStream(
  context: RunContext,
  start: Omit<Attempt, 'signal' | 'clock'>,
): Promise<StreamOutcome> {
  const { stop } = context.options;
  const { timeoutMs } = start.task;
  const clock = createStreamClock(timeoutMs);
  try {
    const signal = AbortSignal.any([stop, clock.signal]);
    const outcome = await run(context, { ...start, signal, clock });
    if (outcome.kind !== 'stopped' || stop.aborted) return outcome;
    return failed({ kind: 'timeout', error: `Timed out after ${timeoutMs} ms.` });
  } finally {
    clock.close();
  }
}

async function run(context: RunContext, start: Attempt): Promise<StreamOutcome> {
  if (start.open?.applied) return settle(context, await verifyApplied(context, start));
  if ((start.open?.calls.length ?? 0) === 0) {
    const trouble = await setUp(context, start);
    if (trouble) return settle(context, trouble);
  }
  const asked = await askModel(context, start, 1, () => promptOf(context, start));
  const answer = readAnswer(start, asked);
  if (answer.kind === 'done') return answer.outcome;
  start.onAnswered();
  if (context.options.apply === 'never') return keep(context, start, answer.artifact);
  const applied = await applyAndVerify(context, start, answer.artifact.operations);
  const again = blocksToAsk(applied);
  if (again === undefined) return settle(context, applied);
  return askAgain(context, start, { artifact: answer.artifact, problems: again });
}

/** Not applied now: kept for `millrace apply`. */
async function keep(
  context: RunContext,
  { task }: Attempt,
  artifact: Artifact,
): Promise<StreamOutcome> {
  await writeRecord(artifactFileOf(context.stateDir, context.runId, task.id), artifact);
  return { kind: 'complete', files: [], appliedAt: undefined };
}
