// What work costs, told by the time the processor spends on it: a busy machine makes the clock run, not
// this. Costs are compared within one run and with room to spare; what grows with the square of its
// input is hundreds of times too expensive, whatever the machine.
import { expect } from 'vitest';

/** Below this much the figures are noise: code that runs for the first time, a collection of garbage. */
const LEAST_MS = 50;
export const TIMES = 30;

function startClock(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

export function cpuMs(work: () => unknown): number {
  const spent = startClock();
  work();
  return spent();
}

/** The same for work that waits in between; nothing else may go on in this process meanwhile. */
export async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const spent = startClock();
  await work();
  return spent();
}

/** How many times the usual cost this is. */
export function timesUsual(spentMs: number, usualMs: number): number {
  return spentMs / Math.max(LEAST_MS, usualMs);
}

/** Fails when the hostile input costs many times as much as an honest one of the same size. */
export function expectSimilarCost(hostile: () => unknown, honest: () => unknown): void {
  expectCostNear(usualCost(honest), hostile);
}

/** What an honest input costs, once the code has run. */
export function usualCost(honest: () => unknown): number {
  honest();
  return cpuMs(honest);
}

export function expectCostNear(usualMs: number, hostile: () => unknown): void {
  const first = timesUsual(cpuMs(hostile), usualMs);
  // Once more where the first time was dear: what is too expensive is so every time.
  const least = first < TIMES ? first : Math.min(first, timesUsual(cpuMs(hostile), usualMs));
  expect(least).toBeLessThan(TIMES);
}
