// One layout of a prompt for all vendors: the system part, then project, stream and task as parts
// of one message, always in this order and byte for byte the same, so that whatever a vendor caches
// by prefix is found again. Where a vendor wants the cuts marked, they are marked.
import { hash } from 'node:crypto';
import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { estimateTokenCount } from 'tokenx';
import type { Caching } from '../../domain/prompt/caching-hints.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import type { PromptParts, ProviderRequest } from '../provider.ts';

/** Vendors cache nothing shorter than this; a mark there would only cost a write. */
const MIN_CACHED_TOKENS = 1024;

/** From here on OpenAI takes explicit breakpoints; older models are not sent any. */
const EXPLICIT_OPENAI = /^gpt-(5\.[6-9]|[6-9]|\d\d)/;

export interface PromptLayout {
  prompt: LanguageModelV4Prompt;
  providerOptions: SharedV4ProviderOptions;
}

function marks(
  provider: PublicProvider,
  model: string,
  ttl?: '1h',
): SharedV4ProviderOptions | undefined {
  const cacheControl = { type: 'ephemeral', ...(ttl && { ttl }) };
  switch (provider) {
    case 'anthropic':
      return { anthropic: { cacheControl } };
    case 'openrouter':
      return { openrouter: { cacheControl } };
    case 'openai':
      return EXPLICIT_OPENAI.test(model)
        ? { openai: { promptCacheBreakpoint: { mode: 'explicit' } } }
        : undefined;
    case 'google':
      return undefined;
  }
}

/** OpenAI refuses longer ones than 64 characters; and who our users are is none of its business. */
function cacheKey(request: ProviderRequest): string {
  return hash('sha256', request.cacheScope ?? request.ownerId, 'hex').slice(0, 32);
}

function requestOptions(
  provider: PublicProvider,
  request: ProviderRequest,
  marked: boolean,
): SharedV4ProviderOptions {
  if (provider !== 'openai') return {};
  return {
    openai: {
      store: false,
      promptCacheKey: cacheKey(request),
      ...(marked && EXPLICIT_OPENAI.test(request.model)
        ? { promptCacheOptions: { mode: 'explicit' } }
        : {}),
    },
  };
}

/** Which parts end a prefix that is long enough to be cached, and may be cached at all. */
function cachedParts(parts: PromptParts, caching: Caching): Set<keyof PromptParts> {
  const cached = new Set<keyof PromptParts>();
  let tokens = 0;
  for (const name of ['systemContent', 'projectContext', 'streamContext'] as const) {
    if (parts[name] === '') continue;
    tokens += estimateTokenCount(parts[name]);
    if (tokens >= MIN_CACHED_TOKENS && caching[name] !== 'none') cached.add(name);
  }
  return cached;
}

/** Vendors refuse a long life after a short one: only a run of parts from the start may be long. */
function longLived(cached: ReadonlySet<unknown>, caching: Caching): Set<keyof PromptParts> {
  const kept = new Set<keyof PromptParts>();
  for (const name of ['systemContent', 'projectContext', 'streamContext'] as const) {
    if (!cached.has(name)) continue;
    if (caching[name] !== '1h') break;
    kept.add(name);
  }
  return kept;
}

export function layOutPrompt(provider: PublicProvider, request: ProviderRequest): PromptLayout {
  const { parts } = request;
  if (parts === undefined) {
    return {
      prompt: [{ role: 'user', content: [{ type: 'text', text: request.prompt }] }],
      providerOptions: requestOptions(provider, request, false),
    };
  }
  const mark = marks(provider, request.model);
  const caching = request.caching ?? {};
  const cached = mark === undefined ? new Set() : cachedParts(parts, caching);
  const kept = longLived(cached, caching);
  const options = (name: keyof PromptParts) => {
    if (mark === undefined || !cached.has(name)) return {};
    return {
      providerOptions: kept.has(name) ? (marks(provider, request.model, '1h') ?? mark) : mark,
    };
  };
  const texts = (['projectContext', 'streamContext', 'taskContent'] as const)
    .filter((name) => parts[name] !== '')
    .map((name) => ({ type: 'text' as const, text: parts[name], ...options(name) }));
  const system =
    parts.systemContent === ''
      ? []
      : [{ role: 'system' as const, content: parts.systemContent, ...options('systemContent') }];
  const user = texts.length === 0 ? [] : [{ role: 'user' as const, content: texts }];
  return {
    prompt: [...system, ...user],
    providerOptions: requestOptions(provider, request, cached.size > 0),
  };
}
