import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ProviderRequest, Usage } from '../provider.ts';
import { countTokens } from './count-tokens.ts';

// A prompt cache with the rules of the vendors: a prefix is kept for five minutes after its last use,
// only from 1,024 tokens on, for one owner and one model. The task itself is never cached.

const MIN_TOKENS = 1024;
const LIFETIME_MS = 5 * 60_000;
const MAX_ENTRIES = 10_000;

export interface PrefixCache {
  /** The input side of a call's usage; the prefixes of the prompt count as used from now on. */
  use(request: ProviderRequest): Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite'>;
}

export function createPrefixCache(deps: { now: () => number }): PrefixCache {
  const expiresAt = new LRUCache<string, number>({ max: MAX_ENTRIES });
  return {
    use(request) {
      const { parts } = request;
      if (parts === undefined) {
        return { input: countTokens(request.prompt), cacheRead: 0, cacheWrite: 0 };
      }
      const now = deps.now();
      const hash = createHash('sha256').update(JSON.stringify([request.ownerId, request.model]));
      let tokens = 0;
      let cacheRead = 0;
      let cacheable = 0;
      for (const part of [parts.systemContent, parts.projectContext, parts.streamContext]) {
        if (part === '') continue;
        hash.update(part);
        tokens += countTokens(part);
        if (tokens < MIN_TOKENS) continue;
        const key = hash.copy().digest('base64');
        if ((expiresAt.get(key) ?? 0) > now) cacheRead = tokens;
        expiresAt.set(key, now + LIFETIME_MS);
        cacheable = tokens;
      }
      const input = tokens + countTokens(parts.taskContent);
      return { input, cacheRead, cacheWrite: cacheable - cacheRead };
    },
  };
}
