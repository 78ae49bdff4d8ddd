// The windows of models that nobody here has facts about, as the server knows them: it can ask the model's own server. It
// is asked once, and not for long; without an answer a common window is assumed.
import type { MillraceClient } from '../../client/index.ts';
import { knownWindowOf } from '../../domain/model/context-window.ts';
import { isSimulatedModel } from '../../domain/model/model-routing.ts';

export type WindowOf = (model: string) => number | undefined;

const DEADLINE_MS = 5000;
/** The server takes no more at a time. */
const MOST_MODELS = 50;

export const hasUnknownWindow = (model: string): boolean =>
  model !== '' && !isSimulatedModel(model) && knownWindowOf(model) === undefined;

export async function askWindows(
  client: Pick<MillraceClient, 'modelLimits'>,
  models: Iterable<string>,
  stop?: AbortSignal,
): Promise<WindowOf> {
  const asked = [...new Set(models)].filter(hasUnknownWindow).slice(0, MOST_MODELS);
  const windows = new Map<string, number>();
  if (asked.length === 0) return () => undefined;
  try {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    const signal = stop ? AbortSignal.any([stop, deadline]) : deadline;
    const { items } = await client.modelLimits(asked, { signal });
    for (const { model, contextTokens } of items) {
      if (contextTokens !== null) windows.set(model, contextTokens);
    }
  } catch {
    // An older server does not have the route, and one that is down is met by the first call.
  }
  return (model) => windows.get(model);
}
