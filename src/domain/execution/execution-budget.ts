// What a call may cost at most, before it is made, and the error when that is more than is left.
import { isSimulatedProvider } from '../model/model-routing.ts';
import { budgetDollars as dollars, budgetText } from '../usage/team-budget.ts';
import type { TeamBudget } from '../usage/team-budget.ts';
import { dearest, mostInputTokens } from '../usage/largest-cost.ts';
import type { CallUsage } from '../usage/largest-cost.ts';
import type { Budget } from '../usage/reservation.ts';
import type { ExecutionError, Step } from './model.ts';

/** Dollars, or null when the price is not known. */
export type Price = (provider: string, model: string, usage: CallUsage) => number | null;

export interface PricedCall {
  provider: string;
  model: string;
  prompt: string;
  maxTokens: number;
  keptForAnHour?: boolean;
}

export function largestCost(price: Price, call: PricedCall): number | null {
  if (isSimulatedProvider(call.provider)) return 0;
  const { provider, model, prompt, maxTokens, keptForAnHour = false } = call;
  const most = { input: mostInputTokens(prompt), output: maxTokens, keptForAnHour };
  return dearest((usage) => price(provider, model, usage), most);
}

/**
 * How long an answer may be so that the call keeps within `limitUsd`: between `least` and `most`
 * tokens. A cap that is not used costs nothing, but has to be reserved while the call is open.
 */
export function affordableTokens(
  price: Price,
  call: { provider: string; model: string; prompt: string },
  limitUsd: number,
  { least, most }: { least: number; most: number },
): number {
  const fits = (maxTokens: number) => {
    const cost = largestCost(price, { ...call, maxTokens });
    return cost !== null && cost <= limitUsd;
  };
  if (most <= least || fits(most)) return most;
  let low = least;
  let high = most;
  // Prices grow with the tokens, but not always by the same amount.
  while (high - low > 64) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

export function reservedForSteps(steps: readonly Pick<Step, 'reservedUsd'>[]): number {
  return steps.reduce((sum, { reservedUsd }) => sum + reservedUsd, 0);
}

export function executionBudget(
  { budgetUsd, spentUsd }: { budgetUsd: number | null; spentUsd: number },
  steps: readonly Pick<Step, 'reservedUsd'>[],
): Budget {
  return { limitUsd: budgetUsd, spentUsd, reservedUsd: reservedForSteps(steps) };
}

function nextCost(step: { streamId: string; position: number }, cost: number | null): string {
  const what = step.position < 0 ? 'planning' : `step ${step.streamId}`;
  return cost === null
    ? `the price of ${what} is unknown`
    : `${what} may cost up to ${dollars(cost)}`;
}

export function overTeamBudget(
  budget: TeamBudget,
  step: { streamId: string; position: number },
  cost: number | null,
): ExecutionError {
  const message = `The team's budget is reached: ${budgetText(budget)}; ${nextCost(step, cost)}. Ask an admin of the team to raise the budget, or wait until it resets next month.`;
  return { code: 'BUDGET_EXCEEDED', message };
}

export function overBudget(
  execution: { budgetUsd: number | null; spentUsd: number },
  step: { streamId: string; position: number },
  cost: number | null,
): ExecutionError {
  const spent = `${dollars(execution.spentUsd)} of ${dollars(execution.budgetUsd ?? 0)} spent`;
  const message = `${spent}; ${nextCost(step, cost)}. Raise options.budgetUsd.`;
  return { code: 'BUDGET_EXCEEDED', message };
}
