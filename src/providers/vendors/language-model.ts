// One vendor's model behind the AI SDK's interface. Packages are loaded when they are first needed:
// a server that calls one vendor does not pay for four. Key and address are always passed, because
// without them the packages take what they find in the environment of the server.
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { PublicProvider } from '../../domain/model/model-routing.ts';

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

export async function languageModel(
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
