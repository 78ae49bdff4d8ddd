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

/** A part of a prompt, in its order. */
export interface PromptPiece {
  text: string;
  /** Besides those of its text, such as those of an image. */
  moreTokens?: number;
  /** Whether the prompt up to its end is kept for later calls. */
  isKept: boolean;
}

export interface PrefixCache {
  enter(of: { ownerId: string; model: string; pieces: readonly PromptPiece[] }): CacheEntry;
}

export function createPrefixCache(deps: { now: () => number }): PrefixCache {
  const expiresAt = createCache<number>({ entries: MAX_ENTRIES });
  return {
    enter({ ownerId, model, pieces }) {
      const now = deps.now();
      const hash = createHash('sha256').update(JSON.stringify([ownerId, model]));
      const keys: string[] = [];
      const lastKept = pieces.findLastIndex(({ isKept }) => isKept);
      let input = 0;
      let cacheRead = 0;
      let cacheable = 0;
      for (const [at, { text, moreTokens = 0, isKept }] of pieces.entries()) {
        if (at <= lastKept) hash.update(text);
        input += countTokens(text) + moreTokens;
        if (input < MIN_TOKENS || !isKept) continue;
        const key = hash.copy().digest('base64');
        if ((expiresAt.get(key) ?? 0) > now) cacheRead = input;
        keys.push(key);
        cacheable = input;
      }
      return {
        usage: { input, cacheRead, cacheWrite: cacheable - cacheRead },
        keep() {
          for (const key of keys) expiresAt.set(key, deps.now() + LIFETIME_MS);
        },
      };
    },
  };
}

/** The prompt of a job, cut where its caller cuts it. */
export function piecesOf({
  prompt,
  parts,
  caching,
}: Pick<ProviderRequest, 'prompt' | 'parts' | 'caching'>): PromptPiece[] {
  if (parts === undefined) return [{ text: prompt, isKept: false }];
  const context = (['systemContent', 'projectContext', 'streamContext'] as const)
    .filter((name) => parts[name] !== '')
    .map((name) => ({ text: parts[name], isKept: caching?.[name] !== 'none' }));
  return [...context, { text: parts.taskContent, isKept: false }];
}
