// The models of a stream, the first to be asked first. A stream that names one model has a ladder of one rung.
import type { Manifest, ModelChoice } from './model.ts';

export interface LadderDefaults {
  /** Asked for on the command line: wins over everything in the manifest. */
  model: string | undefined;
  fallbackModel: string | undefined;
}

function ofLevel({ model, models }: ModelChoice): readonly string[] | undefined {
  return models ?? (model === undefined ? undefined : [model]);
}

/** Empty when nobody says which model to ask. */
export function ladderOf(
  manifest: Manifest,
  stream: ModelChoice,
  { model, fallbackModel }: LadderDefaults,
): readonly string[] {
  if (model !== undefined) return [model];
  const fallback = fallbackModel === undefined ? [] : [fallbackModel];
  return ofLevel(stream) ?? ofLevel(manifest) ?? fallback;
}
