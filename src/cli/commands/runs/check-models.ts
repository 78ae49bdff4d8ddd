// Whether every stream of a run has a model that can be asked.
import type { ServiceTier } from '../../../contract/fields.ts';
import { tierOf } from '../../../domain/model/service-tier.ts';
import { ladderOf } from '../../../manifest/ladder.ts';
import { askedTierOf } from '../../../orchestrator/index.ts';
import type { ModelDefaults } from '../../../orchestrator/index.ts';
import type { Manifest } from '../../../manifest/model.ts';
import { CommandError } from '../../command-error.ts';
import { checkModelIds } from '../../model-advice.ts';
import { note } from '../../terminal/output.ts';
import { isPriced } from '../manifests/model-prices.ts';
import type { ModelPrices } from '../manifests/model-prices.ts';

/**
 * Every stream that may run has a model, and a price when money is limited. Returns those whose provider only
 * the server may know.
 */
export function checkModels(
  manifest: Manifest,
  ids: Iterable<string>,
  defaults: ModelDefaults,
  budget: { maxCostUsd: number | undefined; maxAttempts?: number | undefined; prices: ModelPrices },
): string[] {
  const models = new Set<string>();
  const hasPrice = (model: string, tier?: ServiceTier) => isPriced(budget.prices, model, tier);
  const without: string[] = [];
  const unpriced = new Set<string>();
  for (const id of ids) {
    const ladder = ladderOf(manifest, manifest.streams.get(id)!, defaults);
    if (ladder.length === 0) without.push(id);
    // What no attempt reaches is not asked.
    for (const model of ladder.slice(0, budget.maxAttempts)) {
      models.add(model);
      const tier = tierOf(model, askedTierOf(manifest, manifest.streams.get(id)!, defaults));
      if (!hasPrice(model)) unpriced.add(model);
      else if (!hasPrice(model, tier)) unpriced.add(`${model} at the ${tier} tier`);
    }
  }
  if (without.length > 0) {
    const named = without.slice(0, 5).join(', ');
    const more = without.length > 5 ? ` and ${without.length - 5} more` : '';
    throw new CommandError({
      code: 'NO_MODEL',
      message: `No model is set for ${named}${more}.`,
      hint: 'Pass --model <id> (sim-fast simulates one), write "model:" into the manifest, or set a model in your settings file.',
    });
  }
  const { doubts, unrouted } = checkModelIds(models, (model) => hasPrice(model));
  for (const doubt of doubts) note(doubt.trimEnd());
  if (budget.maxCostUsd === undefined || unpriced.size === 0) return unrouted;
  throw new CommandError({
    code: 'NO_PRICE',
    message: `--max-cost cannot be kept: no price is known for ${[...unpriced].join(', ')}.`,
    hint: 'Add the price with MILLRACE_PRICES_FILE (docs/providers.md), or leave --max-cost out.',
  });
}
