// At which tier of a provider a model can be asked.
import type { ServiceTier } from '../../contract/fields.ts';
import { findFacts, knownFacts } from './model-facts.ts';
import { routeModel } from './model-routing.ts';

/** The simulator takes what any of the others does. */
const WITH_FLEX: ReadonlySet<string> = new Set(['openai', 'google', 'simulator']);

export const hasFlex = (provider: string): boolean => WITH_FLEX.has(provider);

/**
 * `custom`: the provider is a server of the operator's own, which is taken to know what the provider knows, whichever
 * model it serves. Of a model without facts the vendor has to say whether it has the tier.
 */
export function offersTier(
  { provider, model, custom = false }: { provider: string; model: string; custom?: boolean },
  tier: ServiceTier,
): boolean {
  if (tier === 'standard') return true;
  if (!hasFlex(provider)) return false;
  return custom || findFacts(knownFacts(), provider, model)?.serviceTiers.includes(tier) !== false;
}

/**
 * The tier that a model is asked at where a tier is set for several models, some of which may not have it: those are
 * asked without. `model` as people write it; one whose provider only the server knows is left to the server.
 */
export function tierOf(model: string, tier: ServiceTier | undefined): ServiceTier | undefined {
  if (tier === undefined) return undefined;
  const routed = routeModel(model);
  return routed.kind === 'unknown' || offersTier(routed, tier) ? tier : undefined;
}
