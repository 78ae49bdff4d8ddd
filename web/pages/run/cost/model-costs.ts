// What each model of a run took.
import type { RunEvent, Tokens } from '../../../../src/contract/run-events.ts';
import { isSimulatedModel } from '../../../../src/domain/model/model-routing.ts';
import { NO_TOKENS, addCosts, addEstimates, addTokens } from '../../../../src/domain/run/replay.ts';
import { savedByCache } from '../../../api/token-cost.ts';
import type { Prices } from '../../../api/token-cost.ts';

export interface ModelCost {
  /** Empty where the command line did not say. */
  model: string;
  calls: number;
  tokens: Tokens;
  /** Null when a price is not known. */
  costUsd: number | null;
  /** By the word of an agent with the person's own login; undefined where none worked with it. */
  estimatedUsd?: number | null | undefined;
}

/** Earlier versions named the models of the run, but not those of its calls. */
const SEVERAL = ', ';
const modelOfRun = (models: string) => (models.includes(SEVERAL) ? '' : models);

/** The most expensive first. */
export function modelCostsOf(events: readonly RunEvent[]): ModelCost[] {
  const costs = new Map<string, ModelCost>();
  const asked = new Map<string, string>();
  let usual = '';
  for (const event of events) {
    if (event.type === 'run.started') usual = modelOfRun(event.model);
    if (event.type !== 'stream.call' && event.type !== 'stream.answer') continue;
    const place = `${event.stream} ${event.attempt} ${event.call}`;
    if (event.type === 'stream.call') {
      asked.set(place, event.model ?? usual);
      continue;
    }
    const model = asked.get(place) ?? usual;
    const known: ModelCost = costs.get(model) ?? { model, calls: 0, tokens: NO_TOKENS, costUsd: 0 };
    costs.set(model, {
      model,
      calls: known.calls + 1,
      tokens: addTokens(known.tokens, event.tokens),
      costUsd: addCosts(known.costUsd, event.costUsd),
      estimatedUsd: addEstimates(known.estimatedUsd, event.estimatedUsd),
    });
  }
  return [...costs.values()].toSorted((a, b) => (b.costUsd ?? Infinity) - (a.costUsd ?? Infinity));
}

/** What counts toward a budget. */
export function spentOf(costs: readonly ModelCost[]): number {
  return costs.reduce(
    (sum, { model, costUsd }) => sum + (isSimulatedModel(model) ? 0 : (costUsd ?? 0)),
    0,
  );
}

export interface CacheSaving {
  knownUsd: number;
  /** Of a model that used its cache the price is not known. */
  isUnpriced: boolean;
}

/** Undefined until the prices are there. */
export function cacheSavingOf(
  costs: readonly ModelCost[],
  prices: Prices | undefined,
): CacheSaving | undefined {
  if (prices === undefined) return undefined;
  const saved = costs.map(({ model, tokens }) => savedByCache(prices.get(model), tokens));
  return {
    knownUsd: saved.reduce<number>((sum, usd) => sum + (usd ?? 0), 0),
    isUnpriced: saved.includes(null),
  };
}

/** The budget of the run as it was started or resumed last. */
export function budgetOf(events: readonly RunEvent[]): number | undefined {
  const started = events.findLast((event) => event.type === 'run.started');
  return started?.maxCostUsd;
}
