// Streams outlast the check that opened them. They end when something about the caller changes: a client
// connects again at once and is checked anew, and the check refuses callers that lost access.
import { createCache } from '../platform/cache.ts';
import { ServiceError } from '../contract/errors.ts';
import type { Identity } from '../domain/access/identity.ts';
import type { Signals } from '../store/postgres/signals.ts';

/** A signal may be lost: then they end after this. */
const LONGEST_MS = 5 * 60_000;
/** Timers may be that early, and a caller that is checked anew must be found expired. */
const TIMERS_MS = 20;
/** Far more than change while one request is being checked. */
const REMEMBERED = 10_000;
/** Of one user, in this process: more than all tabs and command lines of a person need. */
export const MOST_STREAMS = 500;

export interface AccessWatch {
  /** To be taken before a caller is checked: what changes between the check and the stream counts too. */
  moment(): number;
  /**
   * Aborts with `gone`, when the caller's access may have changed since the moment, when the key or session expires,
   * and after some minutes. Throws RATE_LIMITED when the caller has too many streams open.
   */
  until(identity: Identity, moment: number, gone: AbortSignal): AbortSignal;
  close(): void;
}

export function createAccessWatch(signals: Signals): AccessWatch {
  const streams = new Map<string, Set<AbortController>>();
  let moment = 0;
  const changedAt = createCache<number>({ entries: REMEMBERED });
  const off = signals.on('identity', (ids) => {
    moment += 1;
    for (const id of ids) {
      changedAt.set(id, moment);
      streams.get(id)?.forEach((stream) => stream.abort());
    }
  });

  function watch(id: string, stream: AbortController): () => void {
    const known = streams.get(id) ?? new Set();
    streams.set(id, known.add(stream));
    return () => {
      known.delete(stream);
      if (known.size === 0 && streams.get(id) === known) streams.delete(id);
    };
  }

  return {
    moment: () => moment,
    until({ userId, teamId, endsAtMs = Infinity }, since, gone) {
      if ((streams.get(userId)?.size ?? 0) >= MOST_STREAMS) {
        const message = `You have ${MOST_STREAMS} event streams open. Close some, or follow several things in one: GET /api/v1/events.`;
        throw new ServiceError('RATE_LIMITED', message, { retryAfterSeconds: 5 });
      }
      const stream = new AbortController();
      const offs = [watch(userId, stream), watch(teamId, stream)];
      const leftMs = Math.max(0, endsAtMs - performance.now()) + TIMERS_MS;
      const timer = setTimeout(() => stream.abort(), Math.min(LONGEST_MS, leftMs));
      const end = () => {
        clearTimeout(timer);
        offs.forEach((unwatch) => unwatch());
        stream.abort();
      };
      const hasChanged = [userId, teamId].some((id) => (changedAt.get(id) ?? 0) > since);
      if (gone.aborted || hasChanged) end();
      else gone.addEventListener('abort', end, { once: true });
      return stream.signal;
    },
    close: off,
  };
}
