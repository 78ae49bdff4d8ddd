import type { Usage } from '../provider.ts';

// Dollars for a million tokens: made up, but in the proportions that the vendors use.
export const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

export function simulatedCostUsd(usage: Usage): number {
  const plain = usage.input - usage.cacheRead - usage.cacheWrite;
  return (
    (plain * PRICE.input +
      usage.output * PRICE.output +
      usage.cacheRead * PRICE.cacheRead +
      usage.cacheWrite * PRICE.cacheWrite) /
    1_000_000
  );
}
