// How long an answer a vendor is asked for. A length that it refused once is not asked for again: the limit that it named
// is kept for a while, for this process.
import { takenByEveryModel } from '../../domain/model/model-limits.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import { createCache } from '../../platform/cache.ts';
import type { OutputLimit } from '../provider.ts';

const MAX_KEPT = 1000;
/** Vendors raise their limits, and servers are started anew with other ones. */
const KEPT_MS = 60 * 60_000;

export interface AnswerLengths {
  /** Undefined: the vendor is sent no length, and allows what it allows by default. */
  of(model: string, asked: number | undefined): number | undefined;
  learn(model: string, limit: OutputLimit): void;
}

export function createAnswerLengths(provider: PublicProvider): AnswerLengths {
  const learned = createCache<number>({ entries: MAX_KEPT, ttl: KEPT_MS });
  return {
    of(model, asked) {
      // Anthropic takes no call without a length.
      const sent = asked ?? (provider === 'anthropic' ? takenByEveryModel(provider) : undefined);
      const limit = learned.get(model);
      return sent === undefined || limit === undefined ? sent : Math.min(sent, limit);
    },
    learn(model, { of, tokens }) {
      // What one prompt leaves of the context says nothing about the next one.
      if (of === 'model') learned.set(model, tokens);
    },
  };
}
