// A call that may be made: its row is opened, the vendor is asked, the answer is passed on, and whatever becomes of it
// the row is ended once, with what was used.
import { askForUsage } from '../domain/call/ask-for-usage.ts';
import { likelyInput } from '../domain/call/call-cost.ts';
import { headerIn, headersToClient } from '../domain/call/headers.ts';
import { estimateTokenCount } from 'tokenx';
import { FAILURE_CODES } from '../contract/job-codes.ts';
import type { JobCode } from '../contract/job-codes.ts';
import { codeOf } from '../providers/provider.ts';
import type { UpstreamAnswer, UpstreamRequest } from '../providers/upstream.ts';
import { failureOfAnswer, failureOfWire } from '../providers/vendors/failures.ts';
import { createAnswerReader } from '../providers/wire/create-reader.ts';
import { insertStoredAnswer } from '../store/calls/stored-answers.ts';
import { LOST_CODE, NOTHING_USED } from '../store/jobs/job-outcome.ts';
import type { JobEnding } from '../store/jobs/job-outcome.ts';
import { toJsonText } from '../store/postgres/json-text.ts';
import { errorEvent } from './call-error.ts';
import type { ErrorStyle } from './call-error.ts';
import { usedByAnswer } from './call-usage.ts';
import type { ModelAnswer, ModelRequest } from './caller.ts';
import { costOfCall, refusalOf } from './cost-of-call.ts';
import type { GatewayDeps, ReadyCall } from './gateway.ts';
import { createMask } from './mask.ts';
import { usedSoFar } from './open-call.ts';
import type { CallRows, CallStop } from './open-call.ts';
import { passOn } from './pass-on.ts';
import { CallRefusal } from './refusal.ts';
import { sendUpstream } from './send-upstream.ts';
import type { Permit } from './send-upstream.ts';

/** As for jobs: a stream that sends nothing for so long is given up. */
const SILENT_STREAM_MS = 120_000;
/** An answer that is not streamed is silent until it is there. */
const SILENT_BODY_MS = 600_000;
const LONGEST_CALL_MS = 3_600_000;
/** Of an error's body, for its kind. */
const MOST_OF_ERROR = 64 * 1024;

export interface RunCallDeps extends GatewayDeps {
  rows: CallRows;
  upstreamRequest(call: ReadyCall, signal: AbortSignal): UpstreamRequest;
  /** The call is over. */
  forget(): void;
}

export const styleOf = ({ provider, protocol }: ModelRequest): ErrorStyle =>
  provider === 'openrouter' ? 'openrouter' : protocol;

const failed = (
  errorCode: JobCode,
  error: string = FAILURE_CODES[errorCode].meaning,
): JobEnding => ({
  kind: 'failed',
  error,
  errorCode,
});

function stopped(reason: CallStop): JobEnding {
  switch (reason) {
    case 'gone':
    case 'cancelled':
      return { kind: 'cancelled' };
    case 'silence':
      return failed('PROVIDER_TIMEOUT', 'The vendor sent nothing for too long');
    case 'deadline':
      return failed('TIMEOUT', `A call may take ${LONGEST_CALL_MS / 1000} seconds at most`);
    case 'drain':
    case 'lost':
      return failed(LOST_CODE, 'The server stopped during this call');
    case 'used_up':
      return failed('RESERVE_USED', 'The call was cut off: what was reserved for it is used up');
  }
}

/** What the client sees where nothing has been sent yet. */
function refusalBy(reason: CallStop | undefined, error: unknown): CallRefusal {
  if (error instanceof CallRefusal) return error;
  if (reason === 'silence' || reason === 'deadline') {
    return new CallRefusal('timeout', 'The vendor did not answer in time.');
  }
  if (reason === 'drain' || reason === 'lost') {
    return new CallRefusal('unavailable', 'This server is shutting down. Try again.', {
      retryAfterSeconds: 1,
    });
  }
  if (reason === 'cancelled') return new CallRefusal('unavailable', 'The call was cancelled.');
  return new CallRefusal('upstream', 'The vendor cannot be reached, or broke the connection off.');
}

async function newRow(deps: RunCallDeps, call: ReadyCall, signal: AbortSignal) {
  const { request, facts, settings, spooled, bytes } = call;
  const { caller } = request;
  const cost = costOfCall(call);
  const before = { ...NOTHING_USED, input: likelyInput(facts, bytes), estimated: true };
  const counted = { ...before, cacheWriteHour: 0 };
  const model = facts.models[0] ?? '(none)';
  const costUsd = call.provider.costUsd(model, counted);
  const used = { ...before, costUsd: costUsd ?? 0, unpricedCalls: costUsd === null ? 1 : 0 };
  const body =
    settings.storeModelCalls === true ? await spooled.read((text) => text.toString('utf8')) : '';
  const reply = await deps.rows.open(
    {
      jobId: call.id,
      userId: caller.userId,
      teamId: caller.teamId,
      apiKeyId: caller.apiKeyId,
      runId: caller.stream?.runId,
      streamId: caller.stream?.streamId ?? 'call',
      streamName: undefined,
      waveNumber: 1,
      feature: caller.stream?.streamId ?? 'call',
      provider: call.provider.id,
      model,
      simulated: call.provider.simulated,
      maxTokens: typeof facts.maxOutput === 'number' ? Math.min(facts.maxOutput, 2 ** 31 - 1) : 0,
      temperature: undefined,
      reasoning: undefined,
      serviceTier: undefined,
      priority: 0,
      prompt: toJsonText(body),
      promptParts: undefined,
      sealedKey: undefined,
      timeoutMs: LONGEST_CALL_MS,
      runsPerMonth: caller.runsPerMonth,
      concurrentJobs: caller.concurrentJobs,
      idempotency: undefined,
      trace: request.trace,
      isCall: true,
      call: { nodeId: deps.node.nodeId(), usedSoFar: usedSoFar(used) },
      largestCostUsd: cost.largestCostUsd,
      ...(cost.leastCostUsd && { leastCostUsd: cost.leastCostUsd }),
    },
    AbortSignal.any([request.signal, signal]),
  );
  if ('kind' in reply) {
    // It would have waited on.
    if (signal.aborted) throw refusalBy(signal.reason as CallStop, undefined);
    throw refusalOf(reply, cost);
  }
  return { row: reply, longest: cost.longest(reply.reservedUsd) };
}

/** Aborts the call for whatever ends it early, and says which it was. */
function watchCall(controller: AbortController, client: AbortSignal, silentMs: number) {
  const stop = (reason: CallStop) => controller.abort(reason);
  const onGone = () => stop('gone');
  if (client.aborted) onGone();
  else client.addEventListener('abort', onGone, { once: true });
  const silence = setTimeout(() => stop('silence'), silentMs);
  const deadline = setTimeout(() => stop('deadline'), LONGEST_CALL_MS);
  return {
    heard: () => void silence.refresh(),
    reason: () => (controller.signal.aborted ? (controller.signal.reason as CallStop) : undefined),
    stop,
    release() {
      clearTimeout(silence);
      clearTimeout(deadline);
      client.removeEventListener('abort', onGone);
    },
  };
}

/** Only where the vendor would not say it by itself; OpenRouter always does. */
const asksForUsage = ({ request, facts, provider }: ReadyCall): boolean =>
  request.protocol === 'chat' &&
  request.provider === 'openai' &&
  facts.isStream &&
  !facts.asksUsage &&
  !provider.simulated;

export async function runCall(
  deps: RunCallDeps,
  call: ReadyCall,
  controller: AbortController,
): Promise<ModelAnswer> {
  const { request, facts, key } = call;
  const { row, longest } = await newRow(deps, call, controller.signal);
  deps.metrics.jobsSubmitted.inc({ outcome: 'accepted' });
  if (key.value !== undefined) deps.scrubber.add(key.value);
  const watch = watchCall(
    controller,
    request.signal,
    facts.isStream ? SILENT_STREAM_MS : SILENT_BODY_MS,
  );
  let permit: Permit | undefined;
  let isSent = false;
  let isSettled = false;
  const mask = createMask(key.value);
  let outputTokens = 0;
  let shown = '';
  const show = (text: string) => {
    shown += text;
    row.text(text);
  };
  const reader = createAnswerReader(request.protocol, (delta) => {
    outputTokens += estimateTokenCount(delta.text);
    if (delta.kind === 'text') show(delta.text);
    else if (delta.kind === 'tool') {
      show(delta.name === undefined ? delta.text : `\n[${delta.name}] ${delta.text}`);
    }
  });
  const { answer } = reader;
  const counting = {
    provider: call.provider,
    model: facts.models[0] ?? '(none)',
    facts,
    bodyBytes: call.bytes,
  };
  const counted = () => usedByAnswer(counting, answer, outputTokens);
  row.used(counted);
  const isUsedUp = () => Math.max(outputTokens, answer.partial?.output ?? 0) >= longest;

  let errorBody = '';
  let status: number | undefined;
  let headers: readonly string[] = [];

  function endingOf(): JobEnding {
    const reason = watch.reason();
    if (reason === 'used_up') return stopped(reason);
    const tools = { scrub: deps.scrubber.scrub, nowMs: deps.clock.now() };
    if (status !== undefined && status >= 300) {
      const refused = { status, headers: {}, body: errorBody };
      const failure = failureOfAnswer(refused, request.provider, tools);
      return failed(codeOf(failure.kind), failure.message);
    }
    if (answer.isComplete && answer.error === undefined) {
      if (answer.finish === 'content_filter') {
        return failed('PROVIDER_REFUSED', `The model declined to answer (${answer.finishRaw})`);
      }
      return {
        kind: 'completed',
        stopReason: answer.finish === 'length' ? 'length' : 'stop',
        output: toJsonText(shown || answer.text),
        artifact: undefined,
        filesChanged: '[]',
      };
    }
    if (reason !== undefined) return stopped(reason);
    if (answer.error !== undefined) {
      const failure = failureOfWire(answer.error, request.provider, tools);
      return failed(codeOf(failure.kind), failure.message);
    }
    if (status === undefined) return failed('PROVIDER_NETWORK');
    return failed('PROVIDER_INTERRUPTED', 'The answer broke off');
  }

  /** A refusal costs nothing; a call that was stopped on its way may well have been read by then. */
  function wasCharged(): boolean {
    if (answer.usage !== undefined || answer.partial !== undefined || answer.began) return true;
    if (status !== undefined && status >= 300) return false;
    return (
      isSent &&
      (watch.reason() !== undefined ||
        (status === 200 && !answer.isComplete && answer.error === undefined))
    );
  }

  async function settle(): Promise<void> {
    if (isSettled) return;
    isSettled = true;
    const ending = endingOf();
    watch.release();
    if (key.value !== undefined) deps.scrubber.remove(key.value);
    permit?.done(ending.kind === 'completed' ? 'fine' : 'failed');
    const used = wasCharged() ? counted() : NOTHING_USED;
    try {
      if (answer.storedId !== undefined) await remember(answer.storedId);
      await row.end(ending, isSent ? used : undefined, shown);
      deps.metrics.jobsEnded.inc({ outcome: ending.kind });
    } finally {
      deps.forget();
    }
  }

  async function remember(id: string): Promise<void> {
    await insertStoredAnswer(deps.db, id, request.caller.teamId).catch((error: unknown) => {
      deps.log.warn({ jobId: call.id, err: error }, 'could not note whose an answer is');
    });
  }

  async function ask(): Promise<UpstreamAnswer> {
    const removesUsage = asksForUsage(call);
    if (removesUsage) {
      await call.spooled.replace(await call.spooled.read((body) => askForUsage(body)));
    }
    const asked = deps.upstreamRequest(call, controller.signal);
    const sent = await sendUpstream(deps, call.upstream, removesUsage ? plain(asked) : asked, {
      paceKey: key.paceKey,
      onTry: () => (isSent = true),
    });
    permit = sent.permit;
    return sent.answer;
  }

  async function* errorBodyOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of body) {
      watch.heard();
      if (errorBody.length < MOST_OF_ERROR) errorBody += Buffer.from(chunk).toString('utf8');
      yield mask.push(chunk);
    }
    yield mask.end();
  }

  async function* bodyOf(
    upstream: UpstreamAnswer,
    isChanged: boolean,
  ): AsyncGenerator<Uint8Array, void> {
    const type = headerIn(upstream.headers, 'content-type') ?? '';
    const coding = headerIn(upstream.headers, 'content-encoding')?.trim().toLowerCase();
    const isEvents = /^text\/event-stream\b/i.test(type);
    try {
      if (upstream.status !== 200) {
        yield* errorBodyOf(upstream.body);
        return;
      }
      yield* passOn(upstream.body, {
        reader,
        mask,
        isEvents,
        coding: coding === 'identity' || coding === '' ? undefined : coding,
        removesUsage: isChanged,
        onBytes: watch.heard,
        isUsedUp,
        lastEvent() {
          watch.stop('used_up');
          const message = 'The call was cut off: what was reserved for it is used up.';
          return errorEvent(styleOf(request), 'budget', message);
        },
      });
      const isHalf = answer.began && !answer.isComplete && answer.error === undefined;
      if (isEvents && isHalf && watch.reason() === undefined) {
        throw new Error('the answer ended without its end');
      }
    } finally {
      await settle();
    }
  }

  try {
    const upstream = await ask();
    ({ status, headers } = upstream);
    if (status >= 300 && status < 400) {
      const message = 'The vendor answered with a redirect, which is not followed.';
      throw new CallRefusal('upstream', message);
    }
    if (status === 401 || status === 403) await key.report(false);
    else if (status === 200) await key.report(true);
    if (status === 429) permit = turnedAway(permit);
    const isEvents = /^text\/event-stream\b/i.test(headerIn(headers, 'content-type') ?? '');
    const isChanged = asksForUsage(call) && status === 200 && isEvents;
    const body = bodyOf(upstream, isChanged);
    return {
      status,
      headers: headersToClient(headers, { isChanged, mask: mask.text }),
      body,
      async close() {
        await body.return();
        if (!isSettled) watch.stop('gone');
        await settle();
      },
    };
  } catch (error) {
    const refusal = refusalBy(watch.reason(), error);
    await settle();
    throw refusal;
  }
}

/** A body that was changed is not coded any more. */
function plain(request: UpstreamRequest): UpstreamRequest {
  const headers = [...request.headers];
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    if (headers[at]!.toLowerCase() === 'content-encoding') headers.splice(at, 2);
  }
  return { ...request, headers };
}

function turnedAway(permit: Permit | undefined): Permit | undefined {
  permit?.turnedAway(undefined);
  return undefined;
}
