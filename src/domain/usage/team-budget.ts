// The budget of a team: what it may spend in a month. What a job may cost at most is reserved when it is
// accepted, and settled when its cost is known, so that accepted jobs together keep within the limit.
import { DUST_USD } from './reservation.ts';
import type { Budget } from './reservation.ts';

/**
 * What is spent is of this month, recorded runs included. What is reserved is for open jobs, whenever they were
 * accepted: they are spent when they end.
 */
export interface TeamBudget extends Budget {
  limitUsd: number;
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
