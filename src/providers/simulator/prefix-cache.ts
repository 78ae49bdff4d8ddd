import { createHash } from 'node:crypto';
import { createCache } from '../../platform/cache.ts';
import type { ProviderRequest, Usage } from '../provider.ts';
import { countTokens } from './count-tokens.ts';

// A prompt cache with the rules of the vendors: a prefix is kept for five minutes after its last use,
// only from 1,024 tokens on, for one owner and one model. The task itself is never cached, nor is a
// part that the caller does not want to be. What a call can read is what others had begun to answer when it came in: calls that come together find nothing.

const MIN_TOKENS = 1024;
const LIFETIME_MS = 5 * 60_000;
const MAX_ENTRIES = 10_000;

export interface CacheEntry {
  /** The input side of the call's usage. */
  usage: Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite'>;
  /** The answer begins: from now on others find the prefixes of this prompt. */
  keep(): void;
}

export interface PrefixCache {
  enter(request: ProviderRequest): CacheEntry;
}

export function createPrefixCache(deps: { now: () => number }): PrefixCache {
  const expiresAt = createCache<number>({ entries: MAX_ENTRIES });
  return {
    enter(request) {
      const { parts } = request;
      if (parts === undefined) {
        const usage = { input: countTokens(request.prompt), cacheRead: 0, cacheWrite: 0 };
        return { usage, keep: () => {} };
      }
      const now = deps.now();
      const hash = createHash('sha256').update(JSON.stringify([request.ownerId, request.model]));
      const keys: string[] = [];
      let tokens = 0;
      let cacheRead = 0;
      let cacheable = 0;
      for (const name of ['systemContent', 'projectContext', 'streamContext'] as const) {
        const part = parts[name];
        if (part === '') continue;
        hash.update(part);
        tokens += countTokens(part);
        if (tokens < MIN_TOKENS || request.caching?.[name] === 'none') continue;
        const key = hash.copy().digest('base64');
        if ((expiresAt.get(key) ?? 0) > now) cacheRead = tokens;
        keys.push(key);
        cacheable = tokens;
      }
      const input = tokens + countTokens(parts.taskContent);
      return {
        usage: { input, cacheRead, cacheWrite: cacheable - cacheRead },
        keep() {
          for (const key of keys) expiresAt.set(key, deps.now() + LIFETIME_MS);
        },
      };
    },
  };
}
