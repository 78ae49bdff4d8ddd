// What a call costs by the published prices of its model.
import type { CallUsage } from '../usage/largest-cost.ts';
import type { BandedRates, Price, Rates, SERVICE_TIERS } from './facts-schema.ts';

/** What a vendor may have charged a call as. */
export type PricedTier = (typeof SERVICE_TIERS)[number] | 'standard';

export interface PricedUse {
  /** When the call was made. */
  at: Date;
  /** `reasoning` is part of the output; few vendors charge it apart. */
  usage: CallUsage & { reasoning?: number };
  tier?: PricedTier;
}

const MILLION = 1_000_000;

/** Vendors announce days without a time zone; a day begins at midnight UTC here. */
export function priceAt(prices: readonly Price[], at: Date): Price | undefined {
  const day = at.toISOString().slice(0, 10);
  return prices.findLast(({ from }) => from === undefined || from <= day);
}

function ratesFor(price: BandedRates, inputTokens: number): Rates {
  return price.bands?.findLast((band) => inputTokens > band.aboveInputTokens) ?? price;
}

export function costOfRates(rates: Rates, usage: PricedUse['usage']): number {
  const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
  const hour = Math.min(usage.cacheWriteHour ?? 0, usage.cacheWrite);
  const reasoning = Math.min(usage.reasoning ?? 0, usage.output);
  const write = rates.cacheWrite ?? rates.input;
  const total =
    fresh * rates.input +
    usage.cacheRead * (rates.cacheRead ?? rates.input) +
    (usage.cacheWrite - hour) * write +
    hour * (rates.cacheWriteHour ?? write) +
    (usage.output - reasoning) * rates.output +
    reasoning * (rates.reasoning ?? rates.output);
  return total / MILLION;
}

/** Dollars, or null when no price is known for that day or tier. */
export function priceOf(
  prices: readonly Price[],
  { at, usage, tier = 'standard' }: PricedUse,
): number | null {
  const price = priceAt(prices, at);
  if (price === undefined) return null;
  if (tier === 'standard') return costOfRates(ratesFor(price, usage.input), usage);
  const special = price.tiers?.[tier];
  if (special === undefined) return null;
  if (typeof special === 'number')
    return special * costOfRates(ratesFor(price, usage.input), usage);
  if (usage.input > (special.upToInputTokens ?? Infinity)) return null;
  return costOfRates(ratesFor(special, usage.input), usage);
}
