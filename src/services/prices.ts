// What models cost on this server, the prices of its operator included.
import type { ModelPrice } from '../contract/prices-api.ts';
import type { Price } from '../domain/usage/largest-cost.ts';
import { routeModel } from '../domain/model/model-routing.ts';

export interface PriceService {
  list(models: readonly string[]): ModelPrice[];
}

/** Few enough that no price by length of the prompt is met. */
const SAMPLE = 1000;
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false };

export function createPriceService(deps: {
  price: Price;
  defaultProvider: string | undefined;
}): PriceService {
  function priceOf(name: string): ModelPrice {
    const route = routeModel(name, { defaultProvider: deps.defaultProvider });
    const provider = route.kind === 'unknown' ? null : route.provider;
    const perMillion = (usage: Partial<typeof NOTHING>) => {
      if (route.kind === 'unknown') return null;
      const cost = deps.price(route.provider, route.model, { ...NOTHING, ...usage });
      return cost === null ? null : Number(((cost * 1_000_000) / SAMPLE).toFixed(6));
    };
    return {
      model: name,
      provider,
      inputUsd: perMillion({ input: SAMPLE }),
      cachedInputUsd: perMillion({ input: SAMPLE, cacheRead: SAMPLE }),
      outputUsd: perMillion({ output: SAMPLE }),
    };
  }
  return { list: (models) => models.map(priceOf) };
}
