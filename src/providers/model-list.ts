// The models that prices are known for. Any other id can be called too: this list is for looking
// things up, never for checking an id.
import { findProvider } from '@pydantic/genai-prices';
import { outputTokensOf } from '../domain/model/model-limits.ts';
import { PUBLIC_PROVIDERS, routeModel } from '../domain/model/model-routing.ts';
import type { ProviderId } from '../domain/model/model-routing.ts';
import { loadPrices, modelsInPriceFile } from './prices.ts';
import { NO_USAGE } from './provider.ts';
import type { Usage } from './provider.ts';
import { SPEEDS } from './simulator/speed.ts';
import { simulatedCostUsd } from './simulator/price.ts';

export interface KnownModel {
  id: string;
  provider: ProviderId;
  /** Input and output together; null when it is not known. */
  contextTokens: number | null;
  /** What a call may ask for when nobody says otherwise. */
  maxOutputTokens: number;
  /** Dollars for a million tokens; null when they are not known. */
  pricePerMillion: {
    inputUsd: number | null;
    outputUsd: number | null;
    cachedInputUsd: number | null;
  };
}

/** Priced, but they do not answer a prompt with text. */
const OTHER_USES = /image|audio|realtime|transcribe|tts|embedding|moderation/;
/** Few enough that no price by length of the prompt is met. */
const SAMPLE = 1000;

type CostOf = (usage: Usage) => number | null;

function pricesOf(costOf: CostOf): KnownModel['pricePerMillion'] {
  const perMillion = (usage: Partial<Usage>) => {
    const cost = costOf({ ...NO_USAGE, ...usage });
    return cost === null ? null : Number(((cost * 1_000_000) / SAMPLE).toFixed(6));
  };
  return {
    inputUsd: perMillion({ input: SAMPLE }),
    outputUsd: perMillion({ output: SAMPLE }),
    cachedInputUsd: perMillion({ input: SAMPLE, cacheRead: SAMPLE }),
  };
}

/** `priceFile`: the operator's own prices, which win and may add models. */
export function listModels(priceFile: string | undefined): KnownModel[] {
  const prices = loadPrices(priceFile);
  const models = new Map<string, KnownModel>();
  const add = (provider: ProviderId, id: string, contextTokens: number | null) => {
    const costOf: CostOf =
      provider === 'simulator' ? simulatedCostUsd : (usage) => prices.costUsd(provider, id, usage);
    models.set(`${provider}:${id}`, {
      id,
      provider,
      contextTokens,
      maxOutputTokens: outputTokensOf(id),
      pricePerMillion: pricesOf(costOf),
    });
  };
  for (const providerId of PUBLIC_PROVIDERS) {
    for (const model of findProvider({ providerId })?.models ?? []) {
      const route = routeModel(model.id);
      const isReached = route.kind === 'routed' && route.provider === providerId;
      if (!isReached || model.deprecated || OTHER_USES.test(model.id)) continue;
      add(providerId, model.id, model.context_window ?? null);
    }
  }
  for (const name of modelsInPriceFile(priceFile)) {
    const route = routeModel(name);
    if (route.kind === 'unknown' || models.has(`${route.provider}:${route.model}`)) continue;
    add(route.provider, route.model, null);
  }
  for (const id of Object.keys(SPEEDS)) add('simulator', id, null);
  return [...models.values()];
}
