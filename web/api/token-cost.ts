// What tokens cost at a price, as far as it is known.
import type { ModelPrice } from '../../src/contract/prices-api.ts';

export type Prices = ReadonlyMap<string, ModelPrice>;

export interface PricedTokens {
  input: number;
  cachedInput: number;
  output: number;
}

/** Null when the price is not known. */
export function costAt(price: ModelPrice | undefined, tokens: PricedTokens): number | null {
  const { inputUsd, outputUsd, cachedInputUsd } = price ?? {};
  if (inputUsd == null || outputUsd == null) return null;
  const cached = tokens.cachedInput * (cachedInputUsd ?? inputUsd);
  const fresh = Math.max(0, tokens.input - tokens.cachedInput) * inputUsd;
  return (fresh + cached + tokens.output * outputUsd) / 1_000_000;
}

/** What the input would have cost more if none of it had been cached; null when that is not known. */
export function savedByCache(
  price: ModelPrice | undefined,
  { cachedInput }: Pick<PricedTokens, 'cachedInput'>,
): number | null {
  if (cachedInput === 0) return 0;
  const { inputUsd, cachedInputUsd } = price ?? {};
  if (inputUsd == null || cachedInputUsd == null) return null;
  return (cachedInput * (inputUsd - cachedInputUsd)) / 1_000_000;
}
