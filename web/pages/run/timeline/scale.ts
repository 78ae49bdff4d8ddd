// The time axis. Its end grows in steps, so that a live run is not drawn anew with every moment.
const STEPS = [
  100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000,
];
const LINES = 8;

export interface Scale {
  startedAt: number;
  lengthMs: number;
  ticks: number[];
}

export function scaleOf(startedAt: number, until: number): Scale {
  const needed = Math.max(500, until - startedAt);
  const step = STEPS.find((each) => needed / each <= LINES) ?? STEPS.at(-1)!;
  const count = Math.ceil(needed / step);
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { startedAt, lengthMs: count * step, ticks };
}

/** A share of the width, in percent. */
export function positionOf({ startedAt, lengthMs }: Scale, at: number): number {
  return Math.min(100, Math.max(0, (100 * (at - startedAt)) / lengthMs));
}
