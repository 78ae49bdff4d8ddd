// When a process that ended is started again: at once, and later each time it does not last.

/** One that ran this long did not end because of how it was started. */
const LASTED_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** `failures` counts the ends in a row before this one. */
export function nextPause(failures: number, ranMs: number): { failures: number; pauseMs: number } {
  const before = ranMs >= LASTED_MS ? 0 : failures;
  const pauseMs =
    before === 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(before - 1, 16));
  return { failures: before + 1, pauseMs };
}
