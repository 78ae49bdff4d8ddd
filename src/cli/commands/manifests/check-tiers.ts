// Whether the models of a manifest have the tier that is asked for.
import { tierOf } from '../../../domain/model/service-tier.ts';
import { ladderOf } from '../../../manifest/ladder.ts';
import type { Manifest } from '../../../manifest/model.ts';
import type { Problem } from '../../../manifest/problem.ts';
import { askedTierOf } from '../../../orchestrator/index.ts';
import type { ModelDefaults } from '../../../orchestrator/index.ts';
import { CommandError } from '../../command-error.ts';

/**
 * A tier for the whole manifest, or of the command line, is for the models that have it; the others are named. A stream
 * that asks for a tier itself means the models that the manifest names for it: where none of them has it, it is a mistake.
 */
export function checkTiers(
  manifest: Manifest,
  ids: Iterable<string>,
  defaults: ModelDefaults,
): Problem[] {
  const without = new Map<string, string[]>();
  for (const id of ids) {
    const stream = manifest.streams.get(id)!;
    const ladder = ladderOf(manifest, stream, defaults);
    const tier = askedTierOf(manifest, stream, defaults);
    const missing = [...new Set(ladder)].filter((model) => tierOf(model, tier) !== tier);
    const isOwn = defaults.model === undefined && defaults.serviceTier === undefined;
    if (
      isOwn &&
      stream.serviceTier &&
      missing.length > 0 &&
      ladder.every((model) => missing.includes(model))
    ) {
      throw new CommandError({
        code: 'TIER_NOT_OFFERED',
        message: `The stream ${id} asks for serviceTier ${tier}, which ${missing.join(', ')} does not have.`,
        hint: 'Remove serviceTier from the stream, or use a model that has the tier.',
      });
    }
    for (const model of missing) without.set(model, [...(without.get(model) ?? []), id]);
  }
  return [...without].map(([model, streams]) => ({
    severity: 'warning',
    code: 'TIER_IGNORED',
    message: `${model} has no flex tier: ${streams.join(', ')} will be asked at the standard tier.`,
    hint: 'Use a model of OpenAI or Google that has it, or set serviceTier only on streams whose model does.',
    path: '',
    line: 1,
    column: 1,
  }));
}
