// Money against a limit. Before a call the most that it can cost is reserved; afterwards that is settled with
// what it did cost, or released when the call was not made. Runs, executions and teams keep their limits by this
// one rule. Where rows hold the amounts, SQL follows it: what was reserved is taken off, never below nothing, in
// the transaction that adds the cost to what is spent.

export interface Budget {
  /** Null: there is no limit. */
  limitUsd: number | null;
  spentUsd: number;
  /** For calls that have not ended. */
  reservedUsd: number;
}

/** Far less than any call costs: what adding fractions up may lose. */
export const DUST_USD = 1e-9;

/** What is neither spent nor reserved; negative when more was spent than the limit allows. */
export function remainingUsd({ limitUsd, spentUsd, reservedUsd }: Budget): number {
  return limitUsd === null ? Infinity : limitUsd - spentUsd - reservedUsd;
}

/** `costUsd` is null when the price is unknown: no limit covers that. */
export function isCovered(budget: Budget, costUsd: number | null): boolean {
  if (budget.limitUsd === null) return true;
  // What costs nothing fits, also into a limit that was lowered below what is spent.
  return costUsd !== null && (costUsd <= 0 || costUsd <= remainingUsd(budget) + DUST_USD);
}

/** Not now, and when others have given back what they hold and do not use: most calls cost much less than they could. */
export function mayBeCoveredLater(budget: Budget, costUsd: number | null): boolean {
  return budget.reservedUsd > DUST_USD && isCovered({ ...budget, reservedUsd: 0 }, costUsd);
}

/** An amount that is reserved for one call. Once it is settled or released, both do nothing. */
export interface Reservation {
  readonly amountUsd: number;
  /** All of the cost is spent, even above the amount. A cost that is unknown (null) counts as the amount. */
  settle(costUsd: number | null): void;
  release(): void;
}

/** Undefined when the budget does not cover the cost. Without a limit, an unknown price reserves nothing. */
export function reserve(
  budget: Budget,
  costUsd: number | null,
  onClosed?: () => void,
): Reservation | undefined {
  if (!isCovered(budget, costUsd)) return undefined;
  const amountUsd = Math.max(0, costUsd ?? 0);
  let isOpen = true;

  function close(spentUsd: number): void {
    if (!isOpen) return;
    isOpen = false;
    budget.reservedUsd = Math.max(0, budget.reservedUsd - amountUsd);
    budget.spentUsd += spentUsd;
    onClosed?.();
  }

  budget.reservedUsd += amountUsd;
  return {
    amountUsd,
    settle: (cost) => close(cost ?? amountUsd),
    release: () => close(0),
  };
}
