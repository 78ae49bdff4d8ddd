// One vendor's model behind the AI SDK's interface. Packages are loaded when they are first needed:
// a server that calls one vendor does not pay for four. Key and address are always passed, because
// without them the packages take what they find in the environment of the server.
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { LRUCache } from 'lru-cache';
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import { sha256 } from '../../platform/sha256.ts';

export const VENDOR_URLS: Record<PublicProvider, string> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  openrouter: 'https://openrouter.ai/api/v1',
};

export interface VendorEndpoint {
  provider: PublicProvider;
  baseUrl: string;
  /** The operator named another server: it speaks chat completions, not the vendor's newest API. */
  custom: boolean;
  fetch: typeof globalThis.fetch;
}

/** Enough for all models and keys that one process uses at a time. */
const MAX_KEPT = 500;
/** A model holds its key: one that was replaced or removed is not kept for long. */
const KEPT_MS = 5 * 60_000;

/**
 * The models of a vendor, kept between calls: some packages compile the schemas of their answers for
 * each one that is made.
 */
export function createLanguageModels(endpoint: VendorEndpoint) {
  const kept = new LRUCache<string, LanguageModelV4>({
    max: MAX_KEPT,
    ttl: KEPT_MS,
    updateAgeOnGet: true,
  });
  return {
    async find(model: string, key: string | undefined): Promise<LanguageModelV4> {
      // The keys themselves are not kept as names, which a heap snapshot lists first.
      const name = `${model} ${key === undefined ? '' : sha256(key)}`;
      let found = kept.get(name);
      if (found === undefined) {
        found = await makeModel(endpoint, model, key);
        kept.purgeStale();
        kept.set(name, found);
      }
      return found;
    },
  };
}

async function makeModel(
  endpoint: VendorEndpoint,
  model: string,
  key: string | undefined,
): Promise<LanguageModelV4> {
  // Only a compatible server is called without a key; the others would look for one elsewhere.
  const apiKey = key ?? 'none';
  const settings = { apiKey, baseURL: endpoint.baseUrl, fetch: endpoint.fetch };
  switch (endpoint.provider) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model);
    case 'openai': {
      if (!endpoint.custom) return (await import('@ai-sdk/openai')).createOpenAI(settings)(model);
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      // Not named `openai`: options of that name are sent along as they are, and a server that
      // speaks chat completions only may refuse fields that it does not know.
      const compatible = createOpenAICompatible({
        baseURL: endpoint.baseUrl,
        fetch: endpoint.fetch,
        ...(key === undefined ? {} : { apiKey: key }),
        name: 'compatible',
        includeUsage: true,
      });
      return compatible.chatModel(model);
    }
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(settings)(model);
    case 'openrouter':
      return (await import('@openrouter/ai-sdk-provider')).createOpenRouter(settings)(model);
  }
}
