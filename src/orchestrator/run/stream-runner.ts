// One attempt at a stream, from its setup to files that pass their checks.
import { setUp, verifyApplied } from './apply-stream.ts';
import type { Attempt, RunContext } from './context.ts';
import type { Worker } from '../../agents/worker.ts';
import { ANSWER, LOOP } from '../../manifest/model.ts';
import { agentText } from './agent-text.ts';
import { withKeptWork } from './request-answers.ts';
import { createAnswerWorker } from './answer-worker.ts';
import { createAttemptCopy } from './attempt-copy.ts';
import { dropSession } from '../state/session-record.ts';
import { createStreamClock } from './stream-clock.ts';
import { failed, settle } from './stream-outcome.ts';
import type { StreamOutcome } from './stream-outcome.ts';
import { workOnStream } from './work-on-stream.ts';

export async function runStream(
  context: RunContext,
  start: Omit<Attempt, 'signal' | 'clock' | 'copy'>,
): Promise<StreamOutcome> {
  const { stop } = context.options;
  const { timeoutMs, id } = start.task;
  const clock = createStreamClock(timeoutMs);
  const copy = createAttemptCopy(context, { stream: id, attempt: start.attempt });
  let outcome: StreamOutcome = { kind: 'stopped' };
  try {
    const signal = AbortSignal.any([stop, clock.signal]);
    outcome = await run(context, { ...start, signal, clock, copy });
    if (outcome.kind === 'stopped' && !stop.aborted) {
      outcome = failed({ kind: 'timeout', error: `Timed out after ${timeoutMs} ms.` });
    }
    return outcome;
  } finally {
    clock.close();
    await copy.end(outcome.kind);
    if (outcome.kind === 'complete') dropSession(context, start.task);
  }
}

async function run(context: RunContext, start: Attempt): Promise<StreamOutcome> {
  if (start.open?.applied) return settle(context, await verifyApplied(context, start));
  // What an agent of an earlier process had is gone, and so is what its setup installed.
  if ((start.open?.calls.length ?? 0) === 0 || start.task.agent !== ANSWER) {
    const trouble = await setUp(context, start);
    if (trouble) return settle(context, trouble);
  }
  return workOnStream(context, start, await workerOf(context, start));
}

/** Loaded only where there is one to run. */
async function workerOf(context: RunContext, start: Attempt): Promise<Worker> {
  const { agent } = start.task;
  if (agent === ANSWER) return createAnswerWorker(context, start);
  if (agent === LOOP) return (await import('./loop-stream.ts')).createLoopStream(context, start);
  const program = context.options.agents?.programs.get(agent);
  if (program === undefined) throw new Error(`There is no agent "${agent}" here.`);
  const { createAgentStream } = await import('./agent-stream.ts');
  const worker = createAgentStream(context, start, program);
  const { instructions } = context;
  const text = agentText(start.task, { instructions, fix: start.fix });
  return withKeptWork(context, start, { worker, text });
}
