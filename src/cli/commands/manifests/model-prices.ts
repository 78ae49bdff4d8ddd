// Who a model belongs to, and what it costs.
import { dataDirOf } from '../../../config/config.ts';
import type { ServiceTier } from '../../../contract/fields.ts';
import { routeModel } from '../../../domain/model/model-routing.ts';
import { useInstalledFacts } from '../../../providers/installed-facts.ts';
import { loadPrices } from '../../../providers/prices.ts';
import type { PriceList } from '../../../providers/prices.ts';
import { NO_USAGE } from '../../../providers/provider.ts';
import { simulatedCostUsd } from '../../../providers/simulator/price.ts';

export interface ModelPrices {
  laneOf(model: string): string;
  priceOf(
    model: string,
    tokens: { input: number; output: number; cacheWrite?: number },
    /** Otherwise at the standard price. */
    tier?: ServiceTier,
  ): number | null;
}

export function createModelPrices(
  prices: PriceList,
  defaultProvider: string | undefined,
): ModelPrices {
  const route = (model: string) => routeModel(model, { defaultProvider });
  return {
    laneOf(model) {
      const found = route(model);
      return found.kind === 'routed' ? found.provider : 'unknown';
    },
    priceOf(model, tokens, tier) {
      const found = route(model);
      if (found.kind === 'unknown') return null;
      const usage = { ...NO_USAGE, ...tokens };
      if (found.provider === 'simulator') return simulatedCostUsd(usage);
      return prices.costUsd(found.provider, found.model, usage, { tier });
    },
  };
}

/** Whether the price of a usual call is known. */
export function isPriced(prices: ModelPrices, model: string, tier?: ServiceTier): boolean {
  return prices.priceOf(model, { input: 1000, output: 1000 }, tier) !== null;
}

/** As the environment says: prices of one's own, and whose models have no prefix. */
export function modelPricesOf(env: NodeJS.ProcessEnv): ModelPrices {
  useInstalledFacts(dataDirOf(env));
  const prices = loadPrices(env['MILLRACE_PRICES_FILE'] || undefined);
  return createModelPrices(prices, env['MILLRACE_DEFAULT_PROVIDER']);
}
