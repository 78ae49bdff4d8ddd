// How much models take in and give: as the facts say, else as the provider's server says.
import type { ModelLimits } from '../contract/models-api.ts';
import { findFacts, knownFacts } from '../domain/model/model-facts.ts';
import { routeModel } from '../domain/model/model-routing.ts';

type Limits = Pick<ModelLimits, 'contextTokens' | 'maxOutputTokens'>;

export interface ModelLimitService {
  list(models: readonly string[]): Promise<ModelLimits[]>;
}

const NOT_KNOWN: Limits = { contextTokens: null, maxOutputTokens: null };

export function createModelLimitService(deps: {
  /** Undefined where the server does not say. */
  servedLimits(
    provider: string,
    model: string,
    key: string | undefined,
  ): Promise<Limits | undefined>;
  operatorKeys: ReadonlyMap<string, string>;
  defaultProvider: string | undefined;
}): ModelLimitService {
  async function limitsOf(name: string): Promise<ModelLimits> {
    const route = routeModel(name, { defaultProvider: deps.defaultProvider });
    if (route.kind === 'unknown') return { model: name, provider: null, ...NOT_KNOWN };
    const { provider, model } = route;
    const facts = findFacts(knownFacts(), provider, model);
    // Keys of callers are for their own calls: other callers get the same answer.
    const limits =
      facts ?? (await deps.servedLimits(provider, model, deps.operatorKeys.get(provider)));
    const { contextTokens, maxOutputTokens } = limits ?? NOT_KNOWN;
    return { model: name, provider, contextTokens, maxOutputTokens };
  }
  return { list: (models) => Promise.all(models.map(limitsOf)) };
}
