// Notices that the database has gone silent: packets are lost, and nothing says so. A statement may take
// long for good reasons, so time alone proves nothing. When one has waited for a while, a new connection
// asks the simplest question. If that is not answered either, everything that waits fails at once,
// and so does everything that comes, until an answer arrives.
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { ConnectionLostError } from './errors.ts';
import { ASK_AFTER_MS } from './time-limits.ts';

const LOOK_EVERY_MS = 250;
/** While it is silent, and between two questions while something takes long for good reasons. */
const ASK_EVERY_MS = 500;
const ASK_AGAIN_MS = 2_000;

export interface SilenceGuard {
  /** Does the work, unless the database is or falls silent: then it fails as unavailable. */
  watch<T>(work: () => Promise<T>): Promise<T>;
  close(): void;
}

export function createSilenceGuard(deps: {
  /** Resolves when the database answers, in whatever way; aborted when it takes too long. */
  ask(signal: AbortSignal): Promise<void>;
  /** The connections are of no use any more. */
  onSilent(): void;
  answerMs: number;
}): SilenceGuard {
  const waiting = new Map<object, { since: number; fail(error: Error): void }>();
  const closing = new AbortController();
  let isSilent = false;
  let asking = false;
  let askedAt = -Infinity;
  let looking: NodeJS.Timeout | undefined;

  const silence = () => new ConnectionLostError('The database does not respond.');

  /** False when there was no answer in time. */
  async function answers(): Promise<boolean> {
    const late = new AbortController();
    const giveUp = () => late.abort();
    closing.signal.addEventListener('abort', giveUp);
    const timer = setTimeout(() => {
      // When this process itself was held up, the answer may be here and only not be read yet.
      void nextTurn()
        .then(() => nextTurn())
        .then(giveUp);
    }, deps.answerMs);
    try {
      return await Promise.race([
        deps.ask(late.signal).then(
          () => true,
          () => !late.signal.aborted,
        ),
        new Promise<boolean>((resolve) => {
          late.signal.addEventListener('abort', () => resolve(false), { once: true });
        }),
      ]);
    } finally {
      clearTimeout(timer);
      closing.signal.removeEventListener('abort', giveUp);
    }
  }

  async function find(): Promise<void> {
    asking = true;
    while (!closing.signal.aborted && !(await answers())) {
      if (closing.signal.aborted) break;
      isSilent = true;
      deps.onSilent();
      for (const { fail } of waiting.values()) fail(silence());
      await delay(ASK_EVERY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
    isSilent = false;
    asking = false;
    askedAt = performance.now();
  }

  function look(): void {
    const now = performance.now();
    const [oldest] = waiting.values();
    if (oldest === undefined) {
      clearInterval(looking);
      looking = undefined;
    } else if (!asking && now - oldest.since > ASK_AFTER_MS && now - askedAt > ASK_AGAIN_MS) {
      void find();
    }
  }

  return {
    async watch(work) {
      if (isSilent) throw silence();
      const failed = Promise.withResolvers<never>();
      const key = {};
      waiting.set(key, { since: performance.now(), fail: failed.reject });
      looking ??= setInterval(look, LOOK_EVERY_MS);
      try {
        return await Promise.race([work(), failed.promise]);
      } finally {
        waiting.delete(key);
      }
    },
    close() {
      closing.abort();
      clearInterval(looking);
    },
  };
}
