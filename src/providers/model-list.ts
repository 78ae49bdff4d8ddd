// The models that something is known of: those with facts first, then those that only a price is known for. Any other id
// can be called too: this list is for looking things up, never for checking an id.
import { findProvider } from '@pydantic/genai-prices';
import { priceAt } from '../domain/model/facts-price.ts';
import type { ModelFacts } from '../domain/model/facts-schema.ts';
import { findFacts, knownFacts } from '../domain/model/model-facts.ts';
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
  /** Null where there are no facts about it: its price is from a list of another project, or the operator's. */
  status: ModelFacts['status'] | null;
  /** The day on which its facts were looked up, such as 2026-11-18; null without facts. */
  checkedOn: string | null;
  /** Dollars for a million tokens; null when they are not known. */
  pricePerMillion: {
    inputUsd: number | null;
    outputUsd: number | null;
    cachedInputUsd: number | null;
  };
  /** What longer prompts cost, by where the whole call is charged so. */
  longPrompts: { aboveInputTokens: number; inputUsd: number; outputUsd: number }[];
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

function longPromptsOf({ prices }: ModelFacts): KnownModel['longPrompts'] {
  const bands = priceAt(prices, new Date())?.bands ?? [];
  return bands.map(({ aboveInputTokens, input, output }) => ({
    aboveInputTokens,
    inputUsd: input,
    outputUsd: output,
  }));
}

const modelsOf = (provider: ProviderId) =>
  knownFacts()
    .filter((file) => file.provider === provider)
    .flatMap((file) => file.models);

/** `priceFile`: the operator's own prices, which win and may add models. */
export function listModels(priceFile: string | undefined): KnownModel[] {
  const prices = loadPrices(priceFile);
  const models = new Map<string, KnownModel>();
  const add = (provider: ProviderId, id: string, contextTokens: number | null) => {
    const costOf: CostOf =
      provider === 'simulator' ? simulatedCostUsd : (usage) => prices.costUsd(provider, id, usage);
    const facts = findFacts(knownFacts(), provider, id);
    models.set(`${provider}:${id}`, {
      id,
      provider,
      contextTokens: facts?.contextTokens ?? contextTokens,
      maxOutputTokens: outputTokensOf(`${provider}:${id}`),
      status: facts?.status ?? null,
      checkedOn: facts?.source.read ?? null,
      pricePerMillion: pricesOf(costOf),
      longPrompts: facts === undefined ? [] : longPromptsOf(facts),
    });
  };
  for (const providerId of PUBLIC_PROVIDERS) {
    for (const { ids, status } of modelsOf(providerId)) {
      if (status !== 'retired') add(providerId, ids[0]!, null);
    }
    for (const model of findProvider({ providerId })?.models ?? []) {
      const route = routeModel(model.id);
      const isReached = route.kind === 'routed' && route.provider === providerId;
      if (!isReached || model.deprecated || OTHER_USES.test(model.id)) continue;
      // What there are facts about is in the list by its own id, or retired.
      if (findFacts(knownFacts(), providerId, model.id)) continue;
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
