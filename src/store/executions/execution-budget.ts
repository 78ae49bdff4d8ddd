// Words for a budget that does not allow the next call.
import type { ExecutionError } from '../../domain/execution/model.ts';

const dollars = (amount: number) => `$${Number(amount.toPrecision(3))}`;

export function overBudget(
  execution: { budgetUsd: number | null; spentUsd: number },
  step: { streamId: string },
  cost: number | null,
): ExecutionError {
  const budget = `The budget is ${dollars(execution.budgetUsd ?? 0)}`;
  const spent = `${dollars(execution.spentUsd)} are spent`;
  const next =
    cost === null
      ? `the price of the step ${step.streamId} is not known`
      : `the step ${step.streamId} may cost up to ${dollars(cost)}`;
  return { code: 'BUDGET_EXCEEDED', message: `${budget}, ${spent}, and ${next}.` };
}
