// Looks at Stripe from time to time, because events can be lost. A loop of its own: Stripe may take long, and
// nothing else is to wait for it.
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';

const EVERY_MS = 60_000;

export function startPlanSync(deps: { clock: Clock; log: Logger; resync(): Promise<void> }): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await deps.clock.sleep(EVERY_MS, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        await deps.resync();
      } catch (error) {
        deps.log.warn({ err: error }, 'cannot ask Stripe about plans; retrying');
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
