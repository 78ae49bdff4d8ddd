// What tokens cost. An operator may say it in a file; then the facts about models count (see domain/model/model-facts),
// and for what they do not know a list of many more that a package has. A model that is nowhere has no price, and no
// price is not zero.
import { costOfRates, priceOf } from '../domain/model/facts-price.ts';
import type { PricedTier } from '../domain/model/facts-price.ts';
import { UndatedPrice } from '../domain/model/facts-schema.ts';
import { findFacts, knownFacts } from '../domain/model/model-facts.ts';
import { createCache } from '../platform/cache.ts';
import { PriceFileError } from './price-file-error.ts';
import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';
import type { ModelPrice } from '@pydantic/genai-prices';
import { z } from 'zod';
import type { Usage } from './provider.ts';

export interface Made {
  at?: Date;
  tier?: PricedTier | undefined;
}

export interface PriceList {
  /** By default at the standard price, and for a call that is made now. */
  costUsd(provider: string, model: string, usage: Usage, made?: Made): number | null;
}

const PriceFile = z.record(z.string(), UndatedPrice);
type OwnPrice = z.infer<typeof UndatedPrice>;
type Prices = ReadonlyMap<string, OwnPrice>;

function readPrices(path: string): Prices {
  try {
    return new Map(Object.entries(PriceFile.parse(JSON.parse(readFileSync(path, 'utf8')))));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new PriceFileError(path, why);
  }
}

function calculate(provider: string, model: string, usage: Omit<Usage, 'estimated'>) {
  return calcPrice(
    {
      input_tokens: usage.input,
      output_tokens: usage.output,
      cache_read_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      ...(usage.cacheWriteHour !== undefined && { cache_write_1h_tokens: usage.cacheWriteHour }),
    },
    model,
    { providerId: provider },
  );
}

const MILLION = 1_000_000;
/** Few enough for the first tier of any model. */
const PROBE = 1000;

interface PlainPrice {
  price: OwnPrice;
  /** Up to so many tokens of input. */
  below: number;
}

/** Where the next tier begins, of any of the prices. */
function firstTier(prices: ModelPrice): number {
  const starts = Object.values(prices).flatMap((price) =>
    typeof price === 'object' ? price.tiers.map(({ start }) => start) : [],
  );
  return Math.min(Infinity, ...starts);
}

/** Dollars for a million tokens, as far as they depend on nothing else, such as the time. */
function plainPrice(provider: string, model: string): PlainPrice | undefined {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const free = calculate(provider, model, none);
  if (free === null || free.total_price !== 0 || Array.isArray(free.model.prices)) return undefined;
  const below = firstTier(free.model.prices);
  if (below <= PROBE) return undefined;
  const of = (used: Partial<Usage>) => {
    const price = calculate(provider, model, { ...none, ...used })?.total_price;
    return price === undefined ? Number.NaN : (price / PROBE) * MILLION;
  };
  const cached = { input: PROBE, cacheWrite: PROBE };
  const price = {
    input: of({ input: PROBE }),
    output: of({ output: PROBE }),
    cacheRead: of({ input: PROBE, cacheRead: PROBE }),
    cacheWrite: of(cached),
    cacheWriteHour: of({ ...cached, cacheWriteHour: PROBE }),
  };
  return Object.values(price).every(Number.isFinite) ? { price, below } : undefined;
}

/** The list is searched by patterns, which takes longer than many a job takes otherwise. */
const known = createCache<{ plain: PlainPrice | undefined }>({ entries: 1000 });

function fromList(provider: string, model: string, usage: Usage): number | null {
  const name = `${provider} ${model}`;
  try {
    let found = known.get(name);
    if (found === undefined) known.set(name, (found = { plain: plainPrice(provider, model) }));
    const { plain } = found;
    if (plain && usage.input < plain.below) return costOfRates(plain.price, usage);
    return calculate(provider, model, usage)?.total_price ?? null;
  } catch {
    return null;
  }
}

/** The models that an operator's file has prices for, as it writes them. */
export function modelsInPriceFile(file: string | undefined): string[] {
  return file === undefined ? [] : [...readPrices(file).keys()];
}

/** `file`: JSON, `"provider:model"` or `"model"` to prices. */
export function loadPrices(file: string | undefined): PriceList {
  const own: Prices = file === undefined ? new Map() : readPrices(file);
  return {
    costUsd(provider, model, usage, { at = new Date(), tier = 'standard' } = {}) {
      const price = own.get(`${provider}:${model}`) ?? own.get(model);
      if (price !== undefined) return priceOf([price], { at, usage, tier });
      const facts = findFacts(knownFacts(), provider, model);
      if (facts !== undefined) return priceOf(facts.prices, { at, usage, tier });
      // The list has standard prices only.
      return tier === 'standard' ? fromList(provider, model, usage) : null;
    },
  };
}
