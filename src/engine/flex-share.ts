// The part of a job's time in which it is tried at the flex tier (see domain/job/flex-time).
import type { Clock } from '../platform/clock.ts';

export interface FlexShare {
  remainingMs(): number;
  /** Aborts when the share is over, or with the job. */
  signal: AbortSignal;
  release(): void;
}

export function openFlexShare(clock: Clock, ms: number, signal: AbortSignal): FlexShare {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort('flex share over'), ms);
  const startedAt = clock.now();
  return {
    remainingMs: () => ms - (clock.now() - startedAt),
    signal: AbortSignal.any([signal, over.signal]),
    release: () => clearTimeout(timer),
  };
}
