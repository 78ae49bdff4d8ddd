// What a call used, as far as its answer says so.
import { likelyInput } from '../domain/call/call-cost.ts';
import type { CallFacts } from '../domain/call/call-facts.ts';
import type { PricedTier } from '../domain/model/facts-price.ts';
import type { Provider, Usage } from '../providers/provider.ts';
import type { AnswerSoFar } from '../providers/wire/answer.ts';
import type { UsedTokens } from '../store/jobs/job-outcome.ts';

export interface Counting {
  provider: Provider;
  model: string;
  facts: CallFacts;
  bodyBytes: number;
}

/** With an answer of so many tokens, of which the vendor has not said anything yet. */
function estimated(
  { facts, bodyBytes }: Counting,
  { partial }: Pick<AnswerSoFar, 'partial'>,
  output: number,
): Usage {
  const input = partial?.input ?? likelyInput(facts, bodyBytes);
  return {
    input,
    output: Math.max(partial?.output ?? 0, output),
    cacheRead: Math.min(input, partial?.cacheRead ?? 0),
    cacheWrite: partial?.cacheWrite ?? 0,
    ...(partial?.cacheWriteHour !== undefined && { cacheWriteHour: partial.cacheWriteHour }),
    estimated: true,
  };
}

function priced(counting: Counting, usage: Usage, answer: AnswerSoFar): UsedTokens {
  const { provider, model, facts } = counting;
  const tier: PricedTier | undefined = answer.tier;
  const price = (of: Usage) => provider.costUsd(model, of, tier);
  const costUsd = answer.costUsd ?? price(usage);
  const isCached = usage.cacheRead > 0 || usage.cacheWrite > 0;
  const { cacheWriteHour: _, ...plain } = usage;
  const uncached = isCached ? price({ ...plain, cacheRead: 0, cacheWrite: 0 }) : null;
  // Searches and the like have prices of their own, which a vendor that names its cost has counted.
  const hasMore = facts.unbounded.length > 0 && answer.costUsd === undefined;
  return {
    input: usage.input,
    output: usage.output,
    cacheRead: usage.cacheRead,
    cacheWrite: usage.cacheWrite,
    reasoning: answer.usage?.reasoning ?? answer.partial?.reasoning ?? 0,
    estimated: usage.estimated,
    costUsd: costUsd ?? 0,
    unpricedCalls: costUsd === null || hasMore ? 1 : 0,
    savedUsd: uncached === null || costUsd === null ? null : uncached - costUsd,
  };
}

/** `output`: what has been streamed, by our own count. */
export function usedByAnswer(counting: Counting, answer: AnswerSoFar, output: number): UsedTokens {
  const { usage } = answer;
  if (usage === undefined) return priced(counting, estimated(counting, answer, output), answer);
  return priced(counting, { ...usage, estimated: false }, answer);
}
