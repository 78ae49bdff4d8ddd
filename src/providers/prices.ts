// What tokens cost. From a list that ships with the product; an operator may add or correct prices
// in a file. A model that is in neither has no price, and no price is not zero.
import { PriceFileError } from './price-file-error.ts';
import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';
import type { PriceOptions } from '@pydantic/genai-prices';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Usage } from './provider.ts';

export interface PriceList {
  costUsd(provider: string, model: string, usage: Usage): number | null;
}

const dollars = z.number().min(0);
const PriceFile = z.record(
  z.string(),
  z.strictObject({
    /** Dollars per million tokens. */
    input: dollars,
    output: dollars,
    cacheRead: dollars.optional(),
    cacheWrite: dollars.optional(),
    /** Of what is kept for an hour. */
    cacheWriteHour: dollars.optional(),
  }),
);
type Prices = ReadonlyMap<string, z.infer<typeof PriceFile>[string]>;

function readPrices(path: string): Prices {
  try {
    return new Map(Object.entries(PriceFile.parse(JSON.parse(readFileSync(path, 'utf8')))));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new PriceFileError(path, why);
  }
}

/** The list is searched by patterns, which takes longer than all the rest of a price. */
const found = new LRUCache<string, PriceOptions>({ max: 1000 });

function fromList(provider: string, model: string, usage: Usage): number | null {
  const name = `${provider} ${model}`;
  try {
    const price = calcPrice(
      {
        input_tokens: usage.input,
        output_tokens: usage.output,
        cache_read_tokens: usage.cacheRead,
        cache_write_tokens: usage.cacheWrite,
        ...(usage.cacheWriteHour !== undefined && { cache_write_1h_tokens: usage.cacheWriteHour }),
      },
      model,
      found.get(name) ?? { providerId: provider },
    );
    if (price && !found.has(name)) {
      found.set(name, { provider: { ...price.provider, models: [price.model] } });
    }
    return price?.total_price ?? null;
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
    costUsd(provider, model, usage) {
      const price = own.get(`${provider}:${model}`) ?? own.get(model);
      if (price === undefined) return fromList(provider, model, usage);
      const fresh = Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite);
      const read = usage.cacheRead * (price.cacheRead ?? price.input);
      const hour = Math.min(usage.cacheWriteHour ?? 0, usage.cacheWrite);
      const writePrice = price.cacheWrite ?? price.input;
      const write =
        (usage.cacheWrite - hour) * writePrice + hour * (price.cacheWriteHour ?? writePrice);
      return (fresh * price.input + read + write + usage.output * price.output) / 1_000_000;
    },
  };
}
