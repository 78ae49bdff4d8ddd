// What a client's own request to a model may cost at most, and how long an answer a sum pays for.
import { dearest } from '../usage/largest-cost.ts';
import type { CallUsage } from '../usage/largest-cost.ts';
import type { PricedTier } from '../model/facts-price.ts';
import type { CallFacts } from './call-facts.ts';

/** Roles, separators and what vendors say about tools, which no body shows. */
const FRAME_TOKENS = 100;
const TOOL_FRAME_TOKENS = 2000;
/** The largest that a vendor counts for one picture. */
const IMAGE_TOKENS = 20_000;

/** A token is at least one byte of the body; a picture is counted by its size, not by its bytes. */
export function mostInput(facts: CallFacts, bodyBytes: number): number {
  const { count, bytes } = facts.images;
  const frame = FRAME_TOKENS + (facts.hasTools ? TOOL_FRAME_TOKENS : 0);
  return Math.max(0, bodyBytes - bytes) + count * IMAGE_TOKENS + frame;
}

/** Where nothing better is known: as many tokens as such a body has on average. */
export function likelyInput(facts: CallFacts, bodyBytes: number): number {
  const { count, bytes } = facts.images;
  return Math.ceil(Math.max(0, bodyBytes - bytes) / 4) + count * 1500;
}

/** The tiers that vendors name, as prices know them; undefined: one whose price nobody knows. */
const TIERS: ReadonlyMap<string, PricedTier> = new Map([
  ['auto', 'standard'],
  ['default', 'standard'],
  ['standard', 'standard'],
  ['standard_only', 'standard'],
  ['flex', 'flex'],
  ['priority', 'priority'],
]);

export function pricedTier(facts: CallFacts): PricedTier | undefined {
  return facts.tier === undefined ? 'standard' : TIERS.get(facts.tier.toLowerCase());
}

export type CallPrice = (model: string, usage: CallUsage, tier: PricedTier) => number | null;

export interface CostBound {
  /** With an answer of so many tokens; null for an unknown price. */
  costUsd(outputTokens: number): number | null;
}

/** For the dearest of the models that the call names, and of the tiers that it may be answered at. */
export function costBound(facts: CallFacts, bodyBytes: number, price: CallPrice): CostBound {
  const input = mostInput(facts, bodyBytes);
  const tier = pricedTier(facts);
  const tiers = tier === 'standard' || tier === undefined ? [tier] : [tier, 'standard' as const];
  return {
    costUsd(outputTokens) {
      const most = {
        input,
        output: outputTokens * facts.candidates,
        keptForAnHour: facts.keptForAnHour,
      };
      const costs = tiers.flatMap((each) =>
        facts.models.map((model) =>
          each === undefined ? null : dearest((usage) => price(model, usage, each), most),
        ),
      );
      if (costs.length === 0 || costs.some((cost) => cost === null)) return null;
      return Math.max(...(costs as number[]));
    },
  };
}

/** The longest answer that the sum pays for, at most `most` tokens. */
export function affordableAnswer(bound: CostBound, sumUsd: number, most: number): number {
  const fits = (tokens: number) => {
    const cost = bound.costUsd(tokens);
    return cost !== null && cost <= sumUsd;
  };
  if (fits(most)) return most;
  let low = 0;
  let high = most;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
