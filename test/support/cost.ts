// What work costs, told by the time the processor spends on it: a busy machine makes the clock run, not
// this. Costs are compared within one run and with room to spare; what grows with the square of its
// input is hundreds of times too expensive, whatever the machine.
import { expect } from 'vitest';

/** Below this much the figures are noise. */
const LEAST_MS = 10;
const TIMES = 30;

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Fails when the hostile input costs many times as much as an honest one of the same size. */
export function expectSimilarCost(hostile: () => unknown, honest: () => unknown): void {
  honest();
  const usual = Math.max(LEAST_MS, cpuMs(honest));
  expect(cpuMs(hostile) / usual).toBeLessThan(TIMES);
}
