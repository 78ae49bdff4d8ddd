// One attempt at a stream, from its setup to files that pass their checks.
import { setUp, verifyApplied } from './apply-stream.ts';
import type { Attempt, RunContext } from './context.ts';
import { converse } from './converse.ts';
import { createStreamClock } from './stream-clock.ts';
import { failed, settle } from './stream-outcome.ts';
import type { StreamOutcome } from './stream-outcome.ts';

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
  return converse(context, start);
}
