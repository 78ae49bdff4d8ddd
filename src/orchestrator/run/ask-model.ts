// One model call of a stream. What will be sent is on disk before it is sent: a process that takes
// over sends the same under the same key, and gets the job that was paid for.
import { isSimulatedModel } from '../../domain/model/model-routing.ts';
import { estimateTokenCount } from 'tokenx';
import { defaultMaxTokens } from '../../domain/model/answer-length.ts';
import { MillraceError } from '../../client/index.ts';
import type { NewJob, NewTurn } from '../../client/index.ts';
import { WaitReason } from '../../contract/run-events.ts';
import type { FollowUpReason } from '../../contract/run-events.ts';
import type { BuiltPrompt } from '../../domain/prompt/prompt.ts';
import { NO_TOKENS } from '../../domain/run/replay.ts';
import type { OpenCall } from '../../domain/run/replay.ts';
import { dearest, mostInputTokens, mostTokensOf } from '../../domain/usage/largest-cost.ts';
import type { CallUsage } from '../../domain/usage/largest-cost.ts';
import { haltOf } from './model-caller.ts';
import type { Asked, CallEnd } from './model-caller.ts';
import type { Attempt, RunContext } from './context.ts';
import type { Asking, CallPlace, QuestionFiles } from './question.ts';
import type { RunTask } from './task.ts';
import { ANSWER, manifestName } from '../../manifest/model.ts';

/** On average, for the progress of an answer that is arriving. */
const CHARACTERS_A_TOKEN = 3;

/** Of one kind of worker: where it keeps what it asks. */
export async function askModel<Q extends Asking>(
  context: RunContext,
  start: Attempt,
  { call, question, files }: { call: number; question(): Promise<Q>; files: QuestionFiles<Q> },
): Promise<{ asked: Asked; question: Q }> {
  const { task, attempt, signal } = start;
  const { runId } = context;
  const place = { stream: task.id, attempt, call };
  // An earlier process may have made this call, and counted what it cost.
  let earlier = start.open?.calls.findLast((open) => open.call === call);
  // Another worker has the same numbers, and asks something else.
  const by = task.agent === ANSWER ? '' : `:${task.agent}`;
  let key = `${runId}:${task.id}:${attempt}:${call}${by}`;
  let made = start.open && (await files.read(context, place));
  let written: Promise<void> | undefined;
  if (made === undefined) {
    made = await question();
    const cached = await useCached(context, place, made.job);
    if (cached) return { asked: cached, question: made };
    written = begun(files.write(context, place, made));
    if (call === 1) earlier = (await takeUnused(context, start, made.job)) ?? earlier;
  } else if (made.job.model !== task.model && earlier?.jobId === undefined) {
    // It was never taken, and another model is asked for now: another call, under another key.
    made = { ...made, job: { ...made.job, model: task.model, maxTokens: task.maxTokens } };
    written = begun(files.write(context, place, made));
    earlier = undefined;
    key = `${key}:${task.model}`;
  }
  try {
    const { job, asks } = made;
    const one = { job, task, place, key, written, ...(asks && { asks }) };
    let asked = await makeCall(context, { ...one, earlier }, signal);
    if (isGone(asked, earlier)) {
      asked = await makeCall(context, { ...one, earlier: undefined }, signal);
    } else if (wasCancelledBefore(asked, earlier)) {
      // Under its own key the cancelled job would come again.
      const anew = `${key}:${earlier!.jobId!.slice(-12)}`;
      asked = await makeCall(context, { ...one, key: anew, earlier: undefined }, signal);
    }
    if (asked.kind === 'answered') context.answers.heard({ job: made.job, end: asked });
    return { asked, question: made };
  } finally {
    await written;
  }
}

async function useCached(
  context: RunContext,
  place: OneCall['place'],
  job: NewJob | NewTurn,
): Promise<Asked | undefined> {
  const kept = await context.answers.find(job);
  if (kept === undefined) return undefined;
  const { output, artifact, assistantMessage, simulated, tokens, costUsd: savedUsd } = kept;
  context.emit({ type: 'stream.cached', ...place, tokens, savedUsd });
  const nothing = { tokens: { ...NO_TOKENS }, costUsd: 0, cutOff: undefined };
  const answer = { output, artifact, assistantMessage, simulated };
  return { kind: 'answered', ...answer, ...nothing, isCached: true };
}

/** Something that is waited for later: it may fail before that, and must not end the process then. */
function begun(work: Promise<void>): Promise<void> {
  work.catch(() => {});
  return work;
}

/** Of the run before, when the same was asked there and nothing came of it. */
async function takeUnused(
  context: RunContext,
  { task, attempt }: Attempt,
  job: NewJob | NewTurn,
): Promise<OpenCall | undefined> {
  const place = { stream: task.id, attempt, call: 1 };
  const found = attempt === 1 && !isTurn(job) ? await context.unused.find(task.id, job) : undefined;
  if (found === undefined) return undefined;
  const { runId, jobId, key } = found;
  const message = `${task.id}: reusing the answer that ${runId} got to the same question.`;
  context.emit({ type: 'run.note', level: 'info', code: 'ANSWER_USED', message, about: task.id });
  const { model } = task;
  context.emit({ type: 'stream.call', ...place, key, model, reservedUsd: 0 });
  context.emit({ type: 'stream.job', ...place, jobId });
  // It was counted there.
  const tokens = { ...NO_TOKENS };
  await context.record({ type: 'stream.answer', ...place, ok: true, tokens, costUsd: 0 });
  return { call: 1, key, jobId, isAnswered: true, isGood: true };
}

/** The server does not have the job any more, or it belongs to another account. */
function isGone(asked: Asked, earlier: OpenCall | undefined): boolean {
  if (asked.kind !== 'failed' || earlier?.jobId === undefined) return false;
  return asked.status === 404 || asked.status === 403;
}

/** By a process that was stopped and ended without waiting: nobody wanted it to fail. */
function wasCancelledBefore(asked: Asked, earlier: OpenCall | undefined): boolean {
  return asked.kind === 'failed' && asked.code === 'CANCELLED' && earlier?.jobId !== undefined;
}

const isTurn = (job: NewJob | NewTurn): job is NewTurn => job.messages !== undefined;

interface OneCall {
  job: NewJob | NewTurn;
  task: RunTask;
  place: CallPlace;
  key: string;
  asks?: FollowUpReason;
  earlier: OpenCall | undefined;
  /** When what will be sent is on disk, if it is not yet. */
  written: Promise<void> | undefined;
}

async function makeCall(
  context: RunContext,
  { job, task, place, asks, earlier, written, ...one }: OneCall,
  signal: AbortSignal,
): Promise<Asked> {
  const isCounted = earlier?.isAnswered === true;
  const isFree = isSimulatedModel(task.model);
  const most = { input: mostInputOf(job), output: job.maxTokens };
  const price = (usage: CallUsage) => context.options.priceOf(task.model, usage);
  const neededUsd = isFree ? 0 : dearest(price, most);
  const key = earlier?.key ?? one.key;
  if (earlier === undefined) {
    const why = asks === undefined ? {} : { asks };
    const { model } = task;
    const turn = isTurn(job) ? { turn: place.call } : {};
    const asked = { key, model, reservedUsd: neededUsd, ...why, ...turn };
    await context.record({ type: 'stream.call', ...place, ...asked });
  }
  await written;
  let end: Asked;
  const warmUp = await context.warmUp.enter(`${task.model}\n${prefixOf(job, place)}`, signal);
  try {
    const call = (submitted: () => void): Promise<CallEnd> =>
      context.caller.call(job, key, {
        signal,
        before: (stopped) => context.cap.keep(task, stopped),
        jobId: earlier?.jobId,
        isWatched: warmUp.isAhead,
        onSubmitted: async (id) => {
          submitted();
          await context.record({ type: 'stream.job', ...place, jobId: id });
        },
        onWait: (delayMs, error) => {
          const isLimited = error instanceof MillraceError && error.status === 429;
          const reason = isLimited ? 'rate_limited' : 'retry';
          const until = new Date(context.options.now().getTime() + delayMs).toISOString();
          const { stream, attempt } = place;
          const detail = context.options.scrub(error.message);
          context.emit({ type: 'stream.waiting', stream, attempt, reason, until, detail });
        },
        onJobWait: (waiting) => {
          const { stream, attempt } = place;
          if (waiting === undefined) return;
          // A newer server may have reasons that this version does not know.
          const reason = WaitReason.safeParse(waiting.reason).data ?? 'retry';
          context.emit({
            type: 'stream.waiting',
            stream,
            attempt,
            reason,
            ...(waiting.until === null ? {} : { until: waiting.until }),
            ...(waiting.detail === null ? {} : { detail: context.options.scrub(waiting.detail) }),
          });
        },
        onText: (length) => {
          warmUp.warmed();
          const outputTokens = Math.ceil(length / CHARACTERS_A_TOKEN);
          const { stream, attempt } = place;
          context.emit({ type: 'stream.progress', stream, attempt, outputTokens });
        },
      });
    end = await context.cap.within(call, signal);
  } finally {
    warmUp.warmed();
  }
  // A call that a halt cut off resumes when the run does, and is counted then.
  if (end.kind === 'over_budget') return end;
  if (isCounted || haltOf(end, task.model) !== undefined) return end;
  // Not waited for: should it be lost, the answer is fetched again.
  context.emit({
    type: 'stream.answer',
    ...place,
    ok: end.kind === 'answered',
    tokens: end.tokens,
    costUsd: end.costUsd,
    ...(end.kind === 'failed' && { error: context.options.scrub(end.error) }),
  });
  return end;
}

function mostInputOf(job: NewJob | NewTurn): number {
  if (!isTurn(job)) return mostInputTokens(job.prompt);
  return mostTokensOf({ messages: job.messages, tools: job.tools ?? [] });
}

/** What others may send as well. A conversation is one stream's own from the first message on. */
function prefixOf(job: NewJob | NewTurn, { stream }: CallPlace): string {
  if (isTurn(job)) return stream;
  const { systemContent = '', projectContext = '' } = job.structuredPrompt ?? {};
  return `${systemContent}${projectContext}`;
}

/** `streamContext`: the files that the answer may have to hold, and what is shown beside them. */
function maxTokensFor({ model, maxTokens, mayAskMore }: RunTask, streamContext: string): number {
  if (mayAskMore !== true) return maxTokens;
  return Math.max(maxTokens, defaultMaxTokens(model, estimateTokenCount(streamContext)));
}

/** The whole prompt is in `prompt` already. */
export function promptFields({ prompt, structuredPrompt: parts }: BuiltPrompt) {
  const { fullPrompt: _, ...structuredPrompt } = parts;
  return { prompt, structuredPrompt };
}

export function toJob(context: RunContext, start: Attempt, built: BuiltPrompt): NewJob {
  const maxTokens = maxTokensFor(start.task, built.structuredPrompt.streamContext);
  const { streamId, model, ...rest } = jobBasics(context, start);
  return { streamId, ...promptFields(built), model, maxTokens, ...rest };
}

/** What a job says of its stream, whatever it asks. */
export function jobBasics(context: RunContext, { task, wave }: Attempt) {
  return {
    streamId: task.id,
    model: task.model,
    ...(task.reasoning !== undefined && { reasoning: task.reasoning }),
    ...(task.serviceTier !== undefined && { serviceTier: task.serviceTier }),
    timeoutMs: Math.min(3_600_000, Math.max(1000, task.timeoutMs)),
    runId: context.runId,
    feature: manifestName(context.manifest).slice(0, 200),
    streamName: task.name.slice(0, 200),
    waveNumber: wave,
  };
}
