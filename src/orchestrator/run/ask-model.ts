// One model call of a stream. What will be sent is on disk before it is sent: a process that takes
// over sends the same under the same key, and gets the job that was paid for.
import type { NewJob } from '../../client/index.ts';
import type { BuiltPrompt } from '../../domain/run/prompt.ts';
import { callFileOf, readRecord, writeRecord } from '../state/run-folder.ts';
import type { CallEnd } from './model-caller.ts';
import type { RunDeps, StreamStart } from './run-deps.ts';

export type Asked = CallEnd | { kind: 'over_budget'; neededUsd: number };

/** Characters a token has at least, on average: the reservation must not be too small. */
const CHARACTERS_A_TOKEN = 3;

interface AskOptions {
  call: number;
  prompt(): Promise<BuiltPrompt>;
  signal: AbortSignal;
}

export async function askModel(
  deps: RunDeps,
  start: StreamStart,
  { call, prompt, signal }: AskOptions,
): Promise<Asked> {
  const { task, attempt } = start;
  const { root, runId } = deps;
  const place = { stream: task.id, attempt, call };
  const file = callFileOf(root, runId, place);
  let job = await readRecord<NewJob>(file);
  if (job === undefined) {
    job = toJob(deps, start, await prompt());
    await writeRecord(file, job);
  }
  // An earlier process may have made this call, and counted what it cost.
  const earlier = start.open?.calls.findLast((open) => open.call === call);
  const isCounted = earlier?.isAnswered === true;
  const input = Math.ceil(job.prompt.length / CHARACTERS_A_TOKEN);
  const neededUsd = deps.priceOf(task.model, { input, output: task.maxTokens });
  if (!isCounted && !deps.budget.reserve(neededUsd ?? 0)) {
    return { kind: 'over_budget', neededUsd: neededUsd ?? 0 };
  }
  const key = `${runId}:${task.id}:${attempt}:${call}`;
  if (earlier === undefined) {
    await deps.record({ type: 'stream.call', ...place, key, reservedUsd: neededUsd });
  }
  let end: CallEnd;
  const prefix = `${job.structuredPrompt?.systemContent ?? ''}${job.structuredPrompt?.projectContext ?? ''}`;
  const warmth = await deps.warmth.enter(`${task.model}\n${prefix}`, signal);
  try {
    end = await deps.caller.call(job, key, {
      signal,
      jobId: earlier?.jobId,
      isWatched: warmth.isAhead,
      onSubmitted: async (id) => {
        await deps.record({ type: 'stream.job', ...place, jobId: id });
      },
      onText: (length) => {
        warmth.warmed();
        const outputTokens = Math.ceil(length / CHARACTERS_A_TOKEN);
        deps.emit({ type: 'stream.progress', stream: task.id, attempt, outputTokens });
      },
    });
  } finally {
    warmth.warmed();
  }
  if (isCounted) return end;
  deps.budget.settle(neededUsd ?? 0, end.costUsd ?? neededUsd ?? 0);
  await deps.record({
    type: 'stream.answer',
    ...place,
    ok: end.kind === 'answered',
    tokens: end.tokens,
    costUsd: end.costUsd,
    ...(end.kind === 'failed' && { error: deps.scrub(end.error) }),
  });
  return end;
}

function toJob(deps: RunDeps, { task, wave }: StreamStart, built: BuiltPrompt): NewJob {
  // The whole prompt stands in `prompt` already.
  const { fullPrompt: _, ...structuredPrompt } = built.structuredPrompt;
  return {
    streamId: task.id,
    prompt: built.prompt,
    structuredPrompt,
    model: task.model,
    maxTokens: task.maxTokens,
    timeoutMs: Math.min(3_600_000, Math.max(1000, task.timeoutMs)),
    runId: deps.runId,
    feature: deps.feature.slice(0, 200),
    streamName: task.name.slice(0, 200),
    waveNumber: wave,
  };
}
