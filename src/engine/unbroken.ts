// For how long the rounds of a loop have followed each other without a break: none failed, none took long, and none came
// late. A database that was away, or a machine that stood still, was away for others, too.
import type { Clock } from '../platform/clock.ts';

const LATE_MS = 5000;

export interface Unbroken {
  /** Until now, this round included. */
  ms(): number;
  round(work: () => Promise<void>): Promise<void>;
}

export function createUnbroken(clock: Clock): Unbroken {
  let since = clock.now();
  let endedAt: number | undefined;
  return {
    ms: () => clock.now() - since,
    async round(work) {
      const startedAt = clock.now();
      const isBroken = endedAt === undefined || Math.abs(startedAt - endedAt) > LATE_MS;
      if (isBroken) since = startedAt;
      endedAt = undefined;
      await work();
      if (clock.now() - startedAt < LATE_MS) endedAt = clock.now();
    },
  };
}
