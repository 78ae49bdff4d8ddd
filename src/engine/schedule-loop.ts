// The loop that starts schedules on this node. It sleeps until the next one is due, is woken when one changes, and looks
// again by itself: a signal may be lost, and the clocks of this machine and of the database differ.
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { Signals } from '../store/postgres/signals.ts';

export interface DueSchedules {
  /** Milliseconds until the next one is due; undefined when none is. */
  fireDue(): Promise<number | undefined>;
  pauseFailing(): Promise<void>;
}

export interface ScheduleLoop {
  wake(): void;
  stop(): Promise<void>;
}

const LOOK_AGAIN_MS = 15_000;
const RETRY_MS = 1000;
/** The database's clock says when; a moment later is soon enough. */
const LEAST_MS = 20;
const PAUSE_EVERY_MS = 60_000;

export function startScheduleLoop(deps: {
  schedules: DueSchedules;
  signals: Signals;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}): ScheduleLoop {
  const { schedules, clock } = deps;
  const stopping = new AbortController();
  let awake = new AbortController();
  let pausedAt = -Infinity;

  async function look(): Promise<number> {
    if (clock.now() - pausedAt >= PAUSE_EVERY_MS) {
      await schedules.pauseFailing();
      pausedAt = clock.now();
    }
    const ms = await schedules.fireDue();
    return Math.min(LOOK_AGAIN_MS, Math.max(LEAST_MS, ms ?? LOOK_AGAIN_MS));
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      awake = new AbortController();
      let ms = RETRY_MS;
      try {
        ms = await look();
      } catch (error) {
        deps.log.warn({ err: error }, 'could not start schedules; retrying');
      }
      await clock.sleep(ms, AbortSignal.any([awake.signal, stopping.signal]));
    }
  }

  const unsubscribe = deps.signals.on('schedules', () => awake.abort());
  const looping = loop();
  return {
    wake: () => awake.abort(),
    async stop() {
      unsubscribe();
      stopping.abort();
      await looping;
    },
  };
}
