// What a stream may take at the most: all of its attempts, each with the largest call of the model that it asks.
import type { StreamEstimate } from './stream-estimate.ts';

export interface WorstCase {
  attempts: number;
  inputTokens: number;
  outputTokens: number;
  /** null: a price is not known. */
  costUsd: number | null;
}

/** `rungs`: the largest calls of the models of its ladder, in its order. */
export function worstCaseOf(
  rungs: readonly StreamEstimate['largestCall'][],
  attempts: number,
): WorstCase {
  const reached = rungs.slice(0, attempts);
  const most = (pick: (call: StreamEstimate['largestCall']) => number) =>
    largestSum(reached.map(pick), attempts);
  const isPriced = reached.every(({ costUsd }) => costUsd !== null);
  return {
    attempts,
    inputTokens: most(({ inputTokens }) => inputTokens),
    outputTokens: most(({ outputTokens }) => outputTokens),
    costUsd: isPriced ? most(({ costUsd }) => costUsd ?? 0) : null,
  };
}

/** An attempt stays on its rung or climbs by one, so the first models may be asked more than once. */
function largestSum(rungs: readonly number[], attempts: number): number {
  let sums = rungs.slice(0, 1);
  for (let made = 1; made < attempts; made++) {
    sums = rungs
      .slice(0, made + 1)
      .map((cost, at) => cost + Math.max(sums[at] ?? 0, sums[at - 1] ?? 0));
  }
  return Math.max(0, ...sums);
}
