// A call as it goes to its vendor: where to, with which headers, and what it says.
import { hash } from 'node:crypto';
import { findFacts, knownFacts } from '../../../domain/model/model-facts.ts';
import { offersTier } from '../../../domain/model/service-tier.ts';
import type { ProviderRequest } from '../../provider.ts';
import type { Protocol } from '../../wire/protocol.ts';
import type { VendorEndpoint } from '../endpoint.ts';
import { keyHeaders } from '../key-headers.ts';
import { layOutPrompt } from '../prompt-layout.ts';
import { takesTemperature, thinkingOf } from '../reasoning.ts';
import { hasUnsignedTurn } from '../turns/anthropic.ts';
import { anthropicBody } from './anthropic.ts';
import { chatBody } from './chat.ts';
import { googleBody, googlePath } from './google.ts';
import { responsesBody } from './responses.ts';
import type { CallSettings } from './settings.ts';

export interface BuiltRequest {
  protocol: Protocol;
  /** Below the vendor's address. */
  path: string;
  headers: Record<string, string>;
  body: object;
}

type Place = Pick<VendorEndpoint, 'provider' | 'custom'>;

/** What a vendor's server speaks; one that the operator named instead of OpenAI's, only chat completions. */
function protocolOf({ provider, custom }: Place): Protocol {
  switch (provider) {
    case 'anthropic':
      return 'anthropic';
    case 'google':
      return 'google';
    case 'openrouter':
      return 'chat';
    case 'openai':
      return custom ? 'chat' : 'responses';
  }
}

const FORMS: Record<
  Protocol,
  { path: (model: string) => string; body: (settings: CallSettings) => object }
> = {
  anthropic: { path: () => '/messages', body: anthropicBody },
  chat: { path: () => '/chat/completions', body: chatBody },
  responses: { path: () => '/responses', body: responsesBody },
  google: { path: googlePath, body: googleBody },
};

/** From here on OpenAI takes explicit breakpoints; older models are not sent any. */
const EXPLICIT_OPENAI = /^gpt-(5\.[6-9]|[6-9]|\d\d)/;

function takesMarks({ provider, custom }: Place, model: string): boolean {
  if (provider === 'openai') return !custom && EXPLICIT_OPENAI.test(model);
  return provider === 'anthropic' || provider === 'openrouter';
}

/** OpenAI refuses longer ones than 64 characters; and who our users are is none of its business. */
function cacheKeyOf(request: ProviderRequest): string {
  return hash('sha256', request.cacheScope ?? request.ownerId, 'hex').slice(0, 32);
}

/** Anthropic refuses a longer answer than the model can give. */
function lengthOf({ provider }: Place, model: string, asked: number | undefined) {
  if (provider !== 'anthropic' || asked === undefined) return asked;
  const most = findFacts(knownFacts(), provider, model)?.maxOutputTokens;
  return most == null ? asked : Math.min(asked, most);
}

/** `length`: of the answer, as the vendor is asked for it. Undefined leaves it to the vendor. */
export function buildRequest(
  place: Place,
  request: ProviderRequest,
  length: number | undefined,
): BuiltRequest {
  const { model, temperature, serviceTier, apiKey, conversation } = request;
  const { provider, custom } = place;
  const protocol = protocolOf(place);
  const maxTokens = lengthOf(place, model, length);
  const asked = thinkingOf(place, { ...request, maxTokens });
  const isUnsigned =
    conversation !== undefined &&
    asked?.kind === 'budget' &&
    protocol === 'anthropic' &&
    hasUnsignedTurn(conversation, { provider, model, format: protocol });
  const thinking = isUnsigned ? undefined : asked;
  const hasTier = serviceTier && offersTier({ provider, model, custom }, serviceTier);
  return {
    protocol,
    path: FORMS[protocol].path(model),
    headers: { 'content-type': 'application/json', ...keyHeaders(provider, apiKey) },
    body: FORMS[protocol].body({
      provider,
      custom,
      model,
      prompt: layOutPrompt(request, takesMarks(place, model)),
      conversation,
      maxTokens,
      temperature: takesTemperature(place, model, thinking) ? temperature : undefined,
      thinking,
      serviceTier: hasTier ? serviceTier : undefined,
      cacheKey: cacheKeyOf(request),
    }),
  };
}
