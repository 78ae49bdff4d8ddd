import { SEED } from '../effort.ts';

export interface Random {
  seed: number;
  /** From 0 up to, but not including, `limit`. */
  below(limit: number): number;
  between(low: number, high: number): number;
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
}

/** Choices that TEST_SEED repeats. What the machine makes of them is never quite the same. */
export function createRandom(seed: number = SEED): Random {
  let state = seed;
  // mulberry32: small, and good enough to choose victims with.
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number): number => Math.floor(next() * limit);
  console.log(`TEST_SEED=${seed}`);
  return {
    seed,
    below,
    between: (low, high) => low + below(high - low + 1),
    pick: (list) => list[below(list.length)]!,
    chance: (probability) => next() < probability,
  };
}
