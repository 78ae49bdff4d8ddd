// A vendor as the engine sees it: one streamed request for each call, never more.
import { offersTier } from '../../domain/model/service-tier.ts';
import { textsOf } from '../../domain/prompt/conversation.ts';
import { NO_USAGE } from '../provider.ts';
import type { Provider, ProviderFailure, ProviderOutcome, ProviderRequest } from '../provider.ts';
import type { PriceList } from '../prices.ts';
import type { AnswerReader, AnswerSoFar, Delta } from '../wire/answer.ts';
import { createAnswerReader } from '../wire/create-reader.ts';
import { createEventFeed } from '../wire/feed.ts';
import type { Protocol } from '../wire/protocol.ts';
import { createAnswerLengths } from './answer-length.ts';
import type { VendorEndpoint } from './endpoint.ts';
import { failure, failureOfAnswer, failureOfWire } from './failures.ts';
import { readSome } from './read-some.ts';
import { buildRequest } from './requests/build-request.ts';
import { turnAnswerOf } from './turns/answer.ts';
import { estimatedUsage, finalUsage } from './usage.ts';
import type { VendorAnswer } from './vendor-http.ts';

export interface VendorDeps {
  endpoint: VendorEndpoint;
  prices: PriceList;
  scrub(text: string): string;
  now(): number;
}

/** Of an answer with an error status. */
const MAX_REFUSAL = 256 * 1024;

/** Every event is a sign of life, also one that brings no text. */
function createLiveReader(
  protocol: Protocol,
  options: { keepsBlocks: boolean },
  onText: (delta: string) => void,
): AnswerReader {
  let texts = 0;
  const take = (delta: Delta) => {
    if (delta.kind !== 'text') return;
    texts += 1;
    onText(delta.text);
  };
  const reader = createAnswerReader(protocol, take, options);
  return {
    answer: reader.answer,
    event(data, name) {
      const before = texts;
      reader.event(data, name);
      if (texts === before) onText('');
    },
    whole: (body) => reader.whole(body),
  };
}

/** The only rule of success: an end that says so, and nothing that went wrong before it. */
function finishOf({ isComplete, finish }: AnswerSoFar): 'stop' | 'length' | undefined {
  if (!isComplete) return undefined;
  if (finish === 'length') return 'length';
  return finish === 'stop' || finish === 'tool_calls' ? 'stop' : undefined;
}

/** All that is charged as output. */
function saidIn({ thought, text, toolCalls }: AnswerSoFar): string {
  return [thought, text, ...toolCalls.map((call) => call.name + call.arguments)].join('');
}

const askedIn = ({ prompt, conversation }: ProviderRequest): string =>
  conversation === undefined ? prompt : [...textsOf(conversation)].join('\n');

export function createVendor(deps: VendorDeps): Provider {
  const { endpoint } = deps;
  const { provider } = endpoint;
  const lengths = createAnswerLengths(provider);
  const tools = () => ({ scrub: deps.scrub, nowMs: deps.now() });

  function broken(what: string, error: unknown): ProviderFailure {
    const why = error instanceof Error ? error.message : '';
    return failure('network', provider, deps.scrub(why === '' ? what : `${what}: ${why}`));
  }

  /** Why there is no whole answer, where that is no matter of what the answer says. */
  async function call(
    request: ProviderRequest,
    { path, headers, body }: ReturnType<typeof buildRequest>,
    reader: AnswerReader,
  ): Promise<ProviderFailure | undefined> {
    const { signal } = request;
    let answer: VendorAnswer;
    try {
      const sent = { method: 'POST', headers, body: JSON.stringify(body), signal } as const;
      answer = await endpoint.http.send(endpoint.baseUrl + path, sent);
    } catch (error) {
      return broken('no answer', error);
    }
    if (answer.status >= 400) {
      const said = await readSome(answer.body, MAX_REFUSAL).catch(() => '');
      return failureOfAnswer({ ...answer, body: said }, provider, tools());
    }
    const feed = createEventFeed(reader);
    try {
      for await (const chunk of answer.body) feed.write(chunk);
    } catch {
      return failure('network', provider, 'the connection broke off');
    }
    return undefined;
  }

  function whyFailed(answer: AnswerSoFar): ProviderFailure {
    if (answer.error !== undefined) return failureOfWire(answer.error, provider, tools());
    if (answer.finish === 'content_filter') {
      const why = answer.finishRaw ?? 'content filter';
      return failure('refused', provider, `the model declined to answer (${why})`);
    }
    const begun = saidIn(answer) === '' ? 'no end at all' : 'interrupted';
    const how = (answer.isComplete ? answer.finishRaw : undefined) ?? begun;
    return failure('interrupted', provider, `the answer broke off (${how})`);
  }

  async function run(
    request: ProviderRequest,
    onText: (delta: string) => void,
  ): Promise<ProviderOutcome> {
    const built = buildRequest(endpoint, request, lengths.of(request.model, request.maxTokens));
    const { model, conversation } = request;
    const keepsBlocks = conversation !== undefined;
    const reader = createLiveReader(built.protocol, { keepsBlocks }, onText);
    const { answer } = reader;
    const broke = await call(request, built, reader);
    // A call that fails before the model says anything costs nothing, also inside of a stream. But
    // one that we stop after it was sent may well have been read by then, also before the first byte comes back.
    const charged = answer.began || answer.partial !== undefined || request.signal.aborted;
    const usage =
      finalUsage(answer.usage) ??
      (charged ? estimatedUsage(askedIn(request), saidIn(answer), answer.partial) : NO_USAGE);
    const cost = answer.costUsd === undefined ? {} : { reportedCostUsd: answer.costUsd };
    // An answer that is whole is one, even if the call was stopped in the same moment, or its connection broke after it.
    const finish = finishOf(answer);
    if (finish !== undefined) {
      // Only then: what the first events say may be what was asked for.
      const tier = answer.tier === undefined ? {} : { reportedTier: answer.tier };
      const by = { provider, model, format: built.protocol };
      const turn = conversation && { turn: turnAnswerOf(answer, by) };
      return { kind: 'completed', finish, usage, ...cost, ...tier, ...turn };
    }
    // Before failures: an abort also shows as a connection that broke, and looks retryable there.
    if (request.signal.aborted) return { kind: 'aborted', usage, ...cost };
    // What the vendor said counts more than what happened to the connection after it.
    const why = answer.error === undefined && broke ? broke : whyFailed(answer);
    if (why.outputLimit !== undefined) lengths.learn(request.model, why.outputLimit);
    return { kind: 'failed', failure: why, usage, ...cost };
  }

  return {
    id: provider,
    simulated: false,
    // A server of one's own, such as Ollama, may ask for none.
    needsKey: !(provider === 'openai' && endpoint.custom),
    run,
    offersTier: (model, tier) => offersTier({ provider, model, custom: endpoint.custom }, tier),
    costUsd: (model, usage, tier) => deps.prices.costUsd(provider, model, usage, { tier }),
  };
}
