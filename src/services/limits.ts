// Request rates. The bucket is in the database and so the same for every node. Two things keep it
// off the hot path: a caller that was refused is refused here until a place can be free, and for
// large limits a node takes a small block of requests ahead (a tenth of a second's worth), which is
// counted before it is used, so that the limit is never passed.
import { createCache } from '../platform/cache.ts';
import { ServiceError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Db } from '../store/postgres/db.ts';
import { takeFromBucket } from '../store/usage/rate-limits.ts';

export interface RateState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

export class RateLimitError extends ServiceError {
  readonly state: RateState;

  constructor(
    state: RateState,
    retryAfterSeconds: number,
    message = `You have reached the limit of ${state.limit} requests per minute. Try again in ${retryAfterSeconds} s.`,
  ) {
    super('RATE_LIMITED', message, { retryAfterSeconds });
    this.state = state;
  }
}

export interface LimitService {
  /** Counts one request; throws RateLimitError when there is no room for it. */
  take(bucket: string, requestsPerMinute: number): Promise<RateState>;
}

const PERIOD_MS = 60_000;
/** A limit of 600 a minute is taken one by one; above, in blocks of a tenth of a second. */
const BLOCKS_PER_MINUTE = 600;
const BLOCK_LIFE_MS = 1000;
const MAX_BUCKETS = 50_000;

interface LocalBucket {
  /** Requests taken ahead and not yet used. */
  ahead: number;
  aheadUntil: number;
  /** How full the shared bucket was, and when. */
  filledMs: number;
  at: number;
  refusedUntil: number;
}

export function createLimitService(deps: { db: Db; clock: Clock }): LimitService {
  // Losing one costs a query, nothing else.
  const buckets = createCache<LocalBucket>({ entries: MAX_BUCKETS });
  const reservations = new Map<string, Promise<void>>();

  function stateOf(bucket: LocalBucket, limit: number, now: number): RateState {
    const filled = Math.max(0, bucket.filledMs - (now - bucket.at));
    const remaining = Math.floor(((PERIOD_MS - filled) * limit) / PERIOD_MS) + bucket.ahead;
    return {
      limit,
      remaining: Math.min(limit, Math.max(0, remaining)),
      resetSeconds: Math.ceil(filled / 1000),
    };
  }

  function refusal(bucket: LocalBucket, limit: number, now: number): RateLimitError {
    const state = { ...stateOf(bucket, limit, now), remaining: 0 };
    return new RateLimitError(state, Math.max(1, Math.ceil((bucket.refusedUntil - now) / 1000)));
  }

  async function reserve(name: string, limit: number): Promise<void> {
    const emissionMs = PERIOD_MS / limit;
    const block = Math.max(1, Math.floor(limit / BLOCKS_PER_MINUTE));
    const decision = await takeFromBucket(deps.db, name, emissionMs * block, PERIOD_MS);
    const now = deps.clock.now();
    const missingMs = decision.filledMs + emissionMs * block - PERIOD_MS;
    buckets.set(name, {
      ahead: decision.allowed ? block : 0,
      aheadUntil: now + BLOCK_LIFE_MS,
      filledMs: decision.filledMs,
      at: now,
      refusedUntil: decision.allowed ? 0 : now + Math.max(1, missingMs),
    });
  }

  return {
    async take(name, limit) {
      for (;;) {
        const now = deps.clock.now();
        const known = buckets.get(name);
        if (known && known.ahead > 0 && now < known.aheadUntil) {
          known.ahead -= 1;
          return stateOf(known, limit, now);
        }
        if (known && now < known.refusedUntil) throw refusal(known, limit, now);
        // Those who come while a block is being taken share it instead of taking one each.
        let reserving = reservations.get(name);
        if (reserving === undefined) {
          reserving = reserve(name, limit).finally(() => reservations.delete(name));
          reservations.set(name, reserving);
        }
        await reserving;
      }
    },
  };
}
