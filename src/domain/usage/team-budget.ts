// The budget of a team: what it may spend in a month. What a job may cost at most is reserved when it is
// accepted, and settled when its cost is known, so that accepted jobs together keep within the limit.

export interface TeamBudget {
  limitUsd: number;
  /** This month, recorded runs included. */
  spentUsd: number;
  /** For open jobs, whenever they were accepted: they are spent when they end. */
  reservedUsd: number;
}

/** Far less than any call costs: what adding fractions up may lose. */
const DUST_USD = 1e-9;

export function fitsBudget(budget: TeamBudget, costUsd: number): boolean {
  const { limitUsd, spentUsd, reservedUsd } = budget;
  // What costs nothing fits, also into a budget that was lowered below what is spent.
  return costUsd <= 0 || spentUsd + reservedUsd + costUsd <= limitUsd + DUST_USD;
}

export const BUDGET_EVENTS = ['usage.budget_warning', 'usage.budget_exceeded'] as const;
export type BudgetEventName = (typeof BUDGET_EVENTS)[number];

/** The part of the budget that has to be spent for each of them. */
export const BUDGET_SHARES: Readonly<Record<BudgetEventName, number>> = {
  'usage.budget_warning': 0.8,
  'usage.budget_exceeded': 1,
};

export const budgetDollars = (amount: number) => `$${Number(amount.toPrecision(3))}`;

/** Where the money went, in one clause. */
export function budgetText({ limitUsd, spentUsd, reservedUsd }: TeamBudget): string {
  const reserved = reservedUsd < DUST_USD ? '' : ` and ${budgetDollars(reservedUsd)} reserved`;
  return `${budgetDollars(spentUsd)} of ${budgetDollars(limitUsd)} spent${reserved}`;
}
