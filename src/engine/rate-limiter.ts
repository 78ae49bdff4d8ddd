// Paces the calls of one provider key. A vendor that answers "too many requests" is not refusing a
// job, it is telling a limit; so the limit is learned, and every job of that key keeps to it instead
// of failing.
//
// Two things are learned. How many calls fit at a time: when a call is turned away, the calls that
// are under way are those that fitted. From there the limit grows slowly again, by one for each full
// round of calls that went well. And how long to wait: no call of that key starts before the time
// the vendor named (or, when it named none, before a pause that doubles while nothing goes well).
// Other nodes get a signal of the pause; each finds its own share of the limit.
import type { Clock } from '../platform/clock.ts';
import type { Signals } from '../store/postgres/signals.ts';

export interface Permit {
  /** To be called once, when the call has ended. */
  done(outcome: 'fine' | 'failed'): void;
  /** Instead of `done`: the vendor turned the call away. */
  turnedAway(retryAfterMs: number | undefined): void;
}

export interface RateLimiter {
  /**
   * Resolves when a call may start; undefined when the signal aborted first, or when the pause is
   * too long to hold a slot for.
   */
  enter(paceKey: string, signal: AbortSignal): Promise<Permit | undefined>;
  /** How long a call that wants to start now will have to wait at least. */
  pauseMs(paceKey: string): number;
  close(): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** A slot is better used by another job than for a wait longer than this. */
export const LONG_WAIT_MS = 15_000;
/** Keys that were not used for so long are forgotten. */
const FORGET_MS = 10 * 60_000;

interface Pace {
  active: number;
  limit: number;
  /** Calls that went well since the limit last changed. */
  fine: number;
  turnedAwayInRow: number;
  pausedUntil: number;
  usedAt: number;
  waiting: { go(): void; giveUp(): void }[];
  timer: NodeJS.Timeout | undefined;
}

export function createRateLimiter(deps: { clock: Clock; signals: Signals }): RateLimiter {
  const paces = new Map<string, Pace>();

  function paceOf(key: string): Pace {
    const known = paces.get(key);
    if (known) return known;
    const pace: Pace = {
      active: 0,
      limit: Infinity,
      fine: 0,
      turnedAwayInRow: 0,
      pausedUntil: 0,
      usedAt: deps.clock.now(),
      waiting: [],
      timer: undefined,
    };
    paces.set(key, pace);
    return pace;
  }

  function letIn(pace: Pace): void {
    const pauseMs = pace.pausedUntil - deps.clock.now();
    if (pauseMs > 0) {
      if (pauseMs > LONG_WAIT_MS) for (const waiter of pace.waiting.splice(0)) waiter.giveUp();
      if (pace.waiting.length === 0) return;
      clearTimeout(pace.timer);
      pace.timer = setTimeout(() => letIn(pace), pauseMs);
      return;
    }
    while (pace.waiting.length > 0 && pace.active < pace.limit) {
      pace.active += 1;
      pace.waiting.shift()!.go();
    }
  }

  function pause(pace: Pace, ms: number): void {
    pace.pausedUntil = Math.max(pace.pausedUntil, deps.clock.now() + ms);
  }

  function permitFor(key: string, pace: Pace): Permit {
    const leave = () => {
      pace.active -= 1;
      pace.usedAt = deps.clock.now();
    };
    return {
      done(outcome) {
        leave();
        if (outcome === 'fine') {
          pace.turnedAwayInRow = 0;
          pace.fine += 1;
          if (pace.fine >= pace.limit) {
            pace.limit += 1;
            pace.fine = 0;
          }
        }
        letIn(pace);
      },
      turnedAway(retryAfterMs) {
        leave();
        pace.fine = 0;
        pace.limit = Math.max(1, Math.min(pace.limit, pace.active));
        // Calls that left together are one answer to one rush, not several in a row.
        if (deps.clock.now() >= pace.pausedUntil) pace.turnedAwayInRow += 1;
        const doubled = FIRST_PAUSE_MS * 2 ** Math.min(10, pace.turnedAwayInRow - 1);
        const ms = Math.max(retryAfterMs ?? 0, Math.min(LONGEST_PAUSE_MS, doubled));
        pause(pace, ms);
        deps.signals.emit('pace', [`${key}~${Math.ceil(ms)}`]);
        letIn(pace);
      },
    };
  }

  const unsubscribe = deps.signals.on('pace', (texts) => {
    for (const text of texts) {
      const [key = '', ms = ''] = text.split('~');
      const pace = paces.get(key);
      if (!pace) continue;
      pause(pace, Number(ms));
      letIn(pace);
    }
  });

  const sweep = setInterval(() => {
    const oldest = deps.clock.now() - FORGET_MS;
    for (const [key, pace] of paces) {
      const inUse = pace.active > 0 || pace.waiting.length > 0;
      // A pause may well be longer: forgotten, the next call would only be turned away again.
      const touchedAt = Math.max(pace.usedAt, pace.pausedUntil);
      if (!inUse && touchedAt < oldest) paces.delete(key);
    }
  }, FORGET_MS);
  sweep.unref();

  return {
    pauseMs: (key) => Math.max(0, (paces.get(key)?.pausedUntil ?? 0) - deps.clock.now()),
    async enter(key, signal) {
      if (signal.aborted) return undefined;
      const pace = paceOf(key);
      pace.usedAt = deps.clock.now();
      const entered = await new Promise<boolean>((resolve) => {
        const end = (goes: boolean) => {
          signal.removeEventListener('abort', leave);
          resolve(goes);
        };
        const waiter = { go: () => end(true), giveUp: () => end(false) };
        const leave = () => {
          pace.waiting = pace.waiting.filter((other) => other !== waiter);
          resolve(false);
        };
        signal.addEventListener('abort', leave, { once: true });
        pace.waiting.push(waiter);
        letIn(pace);
      });
      return entered ? permitFor(key, pace) : undefined;
    },
    close() {
      clearInterval(sweep);
      unsubscribe();
      for (const { timer } of paces.values()) clearTimeout(timer);
    },
  };
}
