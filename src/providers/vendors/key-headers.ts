// How a vendor is shown the key: in a header, never in an address, because those end up in logs.
import type { PublicProvider } from '../../domain/model/model-routing.ts';

/** A server of the operator's own may be called without a key. */
export function keyHeaders(
  provider: PublicProvider,
  key: string | undefined,
): Record<string, string> {
  switch (provider) {
    case 'anthropic':
      return { 'anthropic-version': '2023-06-01', ...(key !== undefined && { 'x-api-key': key }) };
    case 'google':
      return key === undefined ? {} : { 'x-goog-api-key': key };
    case 'openai':
    case 'openrouter':
      return key === undefined ? {} : { authorization: `Bearer ${key}` };
  }
}
