import type { UpstreamRequest } from '../../upstream.ts';
import type { Protocol } from '../../wire/protocol.ts';

/** A protocol as one vendor speaks it: OpenRouter answers chat completions in its own way. */
export type Dialect = Protocol | 'openrouter';

export function dialectOf({
  protocol,
  provider,
}: Pick<UpstreamRequest, 'protocol' | 'provider'>): Dialect {
  return protocol === 'chat' && provider === 'openrouter' ? 'openrouter' : protocol;
}
