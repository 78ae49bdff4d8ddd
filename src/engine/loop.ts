// Something that is done again and again in the background, each time after a pause. What fails is logged, and tried
// again the next time.
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';

export interface Loop {
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** `work` gets the number of the round, from 1 on, and a signal that aborts when the loop is stopped. */
export function startLoop(
  deps: { clock: Clock; log: Pick<Logger, 'warn'> },
  options: { everyMs: number; failed: string },
  work: (count: number, signal: AbortSignal) => Promise<unknown>,
): Loop {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function loop(): Promise<void> {
    for (let count = 1; ; count++) {
      await deps.clock.sleep(options.everyMs, signal);
      if (signal.aborted) return;
      try {
        await work(count, signal);
      } catch (error) {
        deps.log.warn({ err: error }, options.failed);
      }
    }
  }

  const looping = loop();
  return {
    async stop() {
      stopping.abort();
      await looping;
    },
  };
}
