// The calls that are not answered yet. A process that ends must not take away the server, or itself, from
// a call that is just being cancelled.
import type { Clock } from '../platform/clock.ts';

export interface OpenCalls {
  track<T>(call: Promise<T>): Promise<T>;
  /** Resolves when there is none left, or the time is over. */
  settled(mostMs: number): Promise<void>;
}

export function createOpenCalls(clock: Clock): OpenCalls {
  const open = new Set<Promise<unknown>>();
  return {
    track(call) {
      open.add(call);
      const remove = () => void open.delete(call);
      call.then(remove, remove);
      return call;
    },
    async settled(mostMs) {
      const over = new AbortController();
      const pause = clock.sleep(mostMs, over.signal).then(() => over.abort());
      while (open.size > 0 && !over.signal.aborted) {
        await Promise.race([Promise.allSettled(open), pause]);
      }
      over.abort();
    },
  };
}
