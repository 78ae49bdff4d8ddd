// How a job that asks for the flex tier divides its time. A vendor may have no room for flex, or take longer than anybody
// waits, and the job should have an answer anyway: so a part of its time is kept for a call at the standard tier.

/** No setting: the same for everybody. */
export const LEAST_STANDARD_MS = 10_000;
const STANDARD_PART = 1 / 3;

export interface JobTime {
  /** What the job had in all, when it was accepted. */
  wholeMs: number;
  /** What it has from now on. */
  leftMs: number;
  leastStandardMs: number;
}

/** How long it may be tried at the flex tier; zero or less where its time is only enough for the standard one. */
export function flexMsOf({ wholeMs, leftMs, leastStandardMs }: JobTime): number {
  return leftMs - Math.max(leastStandardMs, wholeMs * STANDARD_PART);
}
