// Who is calling. The answer for a key is kept for a few seconds, and dropped at once on every node
// when keys or accounts change, so a revoked key stops working within five seconds at worst.
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../contract/errors.ts';
import { hashApiKey, isWellFormedApiKey } from '../platform/api-key.ts';
import type { Logger } from '../platform/log.ts';
import type { Identity } from '../domain/access/identity.ts';
import { findKeyOwner, updateKeysLastUsed } from '../store/accounts/accounts.ts';
import type { KeyOwner } from '../store/accounts/accounts.ts';
import type { Db } from '../store/postgres/db.ts';
import type { Signals } from '../store/postgres/signals.ts';

export interface IdentityService {
  /** Throws UNAUTHORIZED or ACCOUNT_SUSPENDED. */
  authenticate(apiKey: string | undefined): Promise<Identity>;
  close(): Promise<void>;
}

const CACHE_MS = 4000;
const CACHE_SIZE = 20_000;
const LAST_USED_EVERY_MS = 60_000;

const HOW_TO = 'Send a valid key as X-API-Key or as Authorization: Bearer.';

function unauthorized(why: string): ServiceError {
  return new ServiceError('UNAUTHORIZED', `${why} ${HOW_TO}`);
}

/**
 * Not beyond the end of the key. Only the database says whether that has come, because clocks of
 * nodes go wrong; and from a look at it on, only how much time has passed counts.
 */
function rememberedMs(owner: KeyOwner | undefined): number {
  const leftMs = owner?.expiresInMs ?? CACHE_MS;
  return leftMs > 0 ? Math.max(1, Math.min(CACHE_MS, Math.floor(leftMs))) : CACHE_MS;
}

export function createIdentityService(deps: {
  db: Db;
  signals: Signals;
  log: Logger;
}): IdentityService {
  // Keyed by the hash: the keys themselves are not kept, not even in memory.
  const cache = new LRUCache<string, { owner: KeyOwner | undefined }>({
    max: CACHE_SIZE,
    ttl: CACHE_MS,
  });
  const used = new Set<string>();
  const unsubscribe = deps.signals.on('identity', () => cache.clear());

  async function writeLastUsed(): Promise<void> {
    if (used.size === 0) return;
    const ids = [...used];
    used.clear();
    try {
      await updateKeysLastUsed(deps.db, ids);
    } catch (error) {
      deps.log.warn({ err: error }, 'cannot record when keys were used');
    }
  }
  const timer = setInterval(() => void writeLastUsed(), LAST_USED_EVERY_MS);
  timer.unref();

  async function lookUp(apiKey: string): Promise<KeyOwner | undefined> {
    const hash = hashApiKey(apiKey);
    const cacheKey = hash.toString('base64');
    const known = cache.get(cacheKey);
    if (known) return known.owner;
    const owner = await findKeyOwner(deps.db, hash);
    cache.set(cacheKey, { owner }, { ttl: rememberedMs(owner) });
    return owner;
  }

  return {
    async authenticate(apiKey) {
      if (apiKey === undefined || apiKey === '') throw unauthorized('An API key is missing.');
      if (!isWellFormedApiKey(apiKey)) throw unauthorized('The API key is malformed.');
      const owner = await lookUp(apiKey);
      if (owner === undefined) throw unauthorized('Unknown API key.');
      if (owner.revoked) throw unauthorized('The API key was revoked.');
      if (owner.expired) throw unauthorized('The API key has expired.');
      if (owner.suspended) {
        const message = 'This account is suspended. Contact the operator of this server.';
        throw new ServiceError('ACCOUNT_SUSPENDED', message);
      }
      const { identity } = owner;
      if (identity.credential.kind === 'key') used.add(identity.credential.id);
      return identity;
    },
    async close() {
      clearInterval(timer);
      unsubscribe();
      await writeLastUsed();
    },
  };
}
