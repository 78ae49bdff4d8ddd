// Adds up what the calls of a job used and cost.
import type { Provider, ProviderOutcome, Usage } from '../providers/provider.ts';
import type { UsedTokens } from '../store/jobs/job-outcome.ts';

function isNothing(usage: Usage): boolean {
  return usage.input === 0 && usage.output === 0;
}

/** What the same tokens would have cost without a cache, less what they did cost. */
function savedBy(outcome: ProviderOutcome, provider: Provider, model: string): number | null {
  const { usage, reportedTier: tier } = outcome;
  if (usage.cacheRead === 0 && usage.cacheWrite === 0) return null;
  const cost = provider.costUsd(model, usage, tier);
  const { cacheWriteHour: _, ...rest } = usage;
  const uncached = provider.costUsd(model, { ...rest, cacheRead: 0, cacheWrite: 0 }, tier);
  return cost === null || uncached === null ? null : uncached - cost;
}

/**
 * Null when it is unknown. By the tier that the answer reports. One that reports none, or that broke off before, has the
 * standard price: a server that does not know tiers charges that, and it is never less than what flex costs.
 */
export function costOf(outcome: ProviderOutcome, provider: Provider, model: string): number | null {
  return outcome.reportedCostUsd ?? provider.costUsd(model, outcome.usage, outcome.reportedTier);
}

export function addCall(
  total: UsedTokens,
  outcome: ProviderOutcome,
  provider: Provider,
  model: string,
): UsedTokens {
  const { usage } = outcome;
  if (isNothing(usage)) return total;
  const cost = costOf(outcome, provider, model);
  const saved = savedBy(outcome, provider, model);
  return {
    input: total.input + usage.input,
    output: total.output + usage.output,
    cacheRead: total.cacheRead + usage.cacheRead,
    cacheWrite: total.cacheWrite + usage.cacheWrite,
    estimated: total.estimated || usage.estimated,
    // Counted beside the sum: a sum that leaves some calls out must not look like a price.
    costUsd: total.costUsd + (cost ?? 0),
    unpricedCalls: total.unpricedCalls + (cost === null ? 1 : 0),
    savedUsd: saved === null ? (total.savedUsd ?? null) : (total.savedUsd ?? 0) + saved,
  };
}
