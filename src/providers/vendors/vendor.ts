// A vendor as the engine sees it: one streamed request for each call, never more.
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { offersTier } from '../../domain/model/service-tier.ts';
import { NO_USAGE } from '../provider.ts';
import type { Provider, ProviderFailure, ProviderOutcome, ProviderRequest } from '../provider.ts';
import type { PriceList } from '../prices.ts';
import { createAnswerLengths } from './answer-length.ts';
import { failure, failureOf } from './failures.ts';
import { createLanguageModels } from './language-model.ts';
import type { VendorEndpoint } from './language-model.ts';
import { createAnthropicReader } from './plain/anthropic-events.ts';
import { createChatReader } from './plain/chat-events.ts';
import { fieldsOf } from './plain/plain-reader.ts';
import type { PlainReader } from './plain/plain-reader.ts';
import { layOutPrompt } from './prompt-layout.ts';
import { mergeOptions, reasoningOptions } from './reasoning.ts';
import { nothingReceived } from './received.ts';
import type { Received } from './received.ts';
import { readTier, tierInMetadata, tierOptions } from './service-tier.ts';
import { estimatedUsage, finalUsage, partialUsage } from './usage.ts';
import { ANSWER_READ, plainReaders } from './vendor-fetch.ts';

export interface VendorDeps {
  endpoint: VendorEndpoint;
  prices: PriceList;
  scrub(text: string): string;
  now(): number;
}

const KNOWN_EVENTS = /^(message_|content_block_|ping|error|response\.)/;

/** Vendors add kinds of events; one that nobody knows yet is no reason to fail. */
function isUnknownEvent(error: unknown): boolean {
  const { name, value } = (error ?? {}) as { name?: string; value?: { type?: unknown } };
  if (name !== 'AI_TypeValidationError' || typeof value?.type !== 'string') return false;
  return !KNOWN_EVENTS.test(value.type);
}

/** OpenRouter reports what it charged. */
function reportedCost(metadata: unknown): number | undefined {
  const { openrouter } = (metadata ?? {}) as { openrouter?: { usage?: { cost?: unknown } } };
  const cost = openrouter?.usage?.cost;
  return typeof cost === 'number' && cost >= 0 ? cost : undefined;
}

function take(
  part: LanguageModelV4StreamPart,
  received: Received,
  onText: (delta: string) => void,
) {
  received.began ||= part.type === 'text-start' || part.type === 'reasoning-start';
  if (part.type === 'text-delta') {
    received.text += part.delta;
    onText(part.delta);
    return;
  }
  onText('');
  if (part.type === 'reasoning-delta') received.thought += part.delta;
  if (part.type === 'raw') {
    received.partial = partialUsage(part.rawValue) ?? received.partial;
    received.tier = readTier(fieldsOf(part.rawValue)?.['service_tier']) ?? received.tier;
  } else if (part.type === 'finish') {
    received.usage = part.usage;
    received.finish = part.finishReason.unified;
    received.finishRaw = part.finishReason.raw;
    received.costUsd = reportedCost(part.providerMetadata);
    received.tier = tierInMetadata(part.providerMetadata) ?? received.tier;
  } else if (part.type === 'error' && !isUnknownEvent(part.error)) {
    received.error ??= part.error;
  }
}

/** The only rule of success: an end that says so, and nothing that went wrong before it. */
function finishOf(received: Received): 'stop' | 'length' | undefined {
  if (received.error !== undefined) return undefined;
  if (received.finish === 'length') return 'length';
  return received.finish === 'stop' || received.finish === 'tool-calls' ? 'stop' : undefined;
}

export function createVendor(deps: VendorDeps): Provider {
  const { provider } = deps.endpoint;
  const models = createLanguageModels(deps.endpoint);
  const lengths = createAnswerLengths(provider);

  function plainReader(received: Received, onText: (delta: string) => void) {
    if (provider === 'anthropic') return createAnthropicReader(received, onText);
    return provider === 'openai' && deps.endpoint.custom
      ? createChatReader(received, onText)
      : undefined;
  }

  /** An answer that was read to its end reaches nobody else: see ANSWER_READ. */
  async function readingPlain<T>(
    reader: PlainReader | undefined,
    call: () => PromiseLike<T>,
  ): Promise<T> {
    return reader === undefined ? call() : plainReaders.run(reader, call);
  }

  function failed(received: Received): ProviderFailure {
    if (received.error !== undefined) {
      return failureOf(received.error, provider, { scrub: deps.scrub, nowMs: deps.now() });
    }
    if (received.finish === 'content-filter') {
      const why = received.finishRaw ?? 'content filter';
      return failure('refused', provider, `the model declined to answer (${why})`);
    }
    const begun = received.text + received.thought !== '';
    const how = received.finish ?? (begun ? 'interrupted' : 'no end at all');
    return failure('interrupted', provider, `the answer broke off (${how})`);
  }

  async function run(
    request: ProviderRequest,
    onText: (delta: string) => void,
  ): Promise<ProviderOutcome> {
    const received = nothingReceived();
    try {
      const model = await models.find(request.model, request.apiKey);
      const { prompt, providerOptions } = layOutPrompt(provider, request);
      const maxTokens = lengths.of(request.model, request.maxTokens);
      const thinking = reasoningOptions(deps.endpoint, { ...request, maxTokens });
      const reader = plainReader(received, onText);
      const call = () =>
        model.doStream({
          prompt,
          ...thinking,
          providerOptions: [
            thinking.providerOptions,
            tierOptions(deps.endpoint, request.serviceTier),
          ].reduce(mergeOptions, providerOptions),
          ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
          abortSignal: request.signal,
          // Only these tell anything that is not in the parts; for the others it would be work for nothing.
          includeRawChunks:
            provider === 'anthropic' ||
            provider === 'google' ||
            (deps.endpoint.custom && request.serviceTier === 'flex'),
        });
      received.sent = true;
      const { stream } = await readingPlain(reader, call);
      for await (const part of stream) take(part, received, onText);
    } catch (error) {
      if (error !== ANSWER_READ) received.error ??= error;
    }
    // A call that fails before the model says anything costs nothing, also inside of a stream. But
    // one that we stop after it was sent may well have been read by then, also before the first byte comes back.
    const { sent, began, partial, thought, text } = received;
    const charged = began || partial !== undefined || (sent && request.signal.aborted);
    const usage =
      finalUsage(received.usage) ??
      (charged ? estimatedUsage(request.prompt, thought + text, partial) : NO_USAGE);
    const cost = received.costUsd === undefined ? {} : { reportedCostUsd: received.costUsd };
    // An answer that is whole is one, even if the call was stopped in the same moment.
    const finish = finishOf(received);
    if (finish !== undefined) {
      // Only then: what the first events say may be what was asked for.
      const tier = received.tier === undefined ? {} : { reportedTier: received.tier };
      return { kind: 'completed', finish, usage, ...cost, ...tier };
    }
    // Before failures: an abort also shows as an error of the stream, and looks retryable there.
    if (request.signal.aborted) return { kind: 'aborted', usage, ...cost };
    const why = failed(received);
    if (why.outputLimit !== undefined) lengths.learn(request.model, why.outputLimit);
    return { kind: 'failed', failure: why, usage, ...cost };
  }

  return {
    id: provider,
    simulated: false,
    // A server of one's own, such as Ollama, may ask for none.
    needsKey: !(provider === 'openai' && deps.endpoint.custom),
    run,
    offersTier: (model, tier) =>
      offersTier({ provider, model, custom: deps.endpoint.custom }, tier),
    costUsd: (model, usage, tier) => deps.prices.costUsd(provider, model, usage, { tier }),
  };
}
