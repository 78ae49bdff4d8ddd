// Money that may be spent in a run. Each call reserves the most that it can cost before it is made,
// and gives back what it did not use: so no call is ever started that could pass the limit.

export interface Budget {
  /** False when the call could pass the limit; then nothing is reserved. */
  reserve(usd: number): boolean;
  /** The call is over: what was reserved is replaced by what it cost. */
  settle(reservedUsd: number, spentUsd: number): void;
  spentUsd(): number;
  reservedUsd(): number;
}

/** Fractions of a cent add up to noise in the last places of a sum. */
const TOLERANCE_USD = 1e-9;

export function createBudget(limitUsd: number | undefined, alreadySpentUsd = 0): Budget {
  let spent = alreadySpentUsd;
  let reserved = 0;
  return {
    reserve(usd) {
      if (limitUsd !== undefined && spent + reserved + usd > limitUsd + TOLERANCE_USD) return false;
      reserved += usd;
      return true;
    },
    settle(reservedUsd, spentUsd) {
      reserved = Math.max(0, reserved - reservedUsd);
      spent += spentUsd;
    },
    spentUsd: () => spent,
    reservedUsd: () => reserved,
  };
}
