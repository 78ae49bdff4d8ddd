// Whether a model can be asked, as far as its id says. An id that names its provider, or that is shaped like
// those of one, goes through: vendors have new models every week. What cannot go to any provider is refused.
import { dataDirOf } from '../config/config.ts';
import { routeModel } from '../domain/model/model-routing.ts';
import { nearestIds } from '../domain/model/nearest-ids.ts';
import { useInstalledFacts } from '../providers/installed-facts.ts';
import { listModels } from '../providers/model-list.ts';
import { CommandError } from './command-error.ts';
import { commandLine } from './command-name.ts';

export type ModelAdvice =
  | { kind: 'fine' }
  /** It has a provider, but is one slip away from models that are known. */
  | { kind: 'doubtful'; nearest: string[] }
  /** Its provider is not known: only a server that has a default one could use it. */
  | { kind: 'unrouted'; nearest: string[] };

function knownIds(): string[] {
  useInstalledFacts(dataDirOf(process.env));
  return listModels(process.env['MILLRACE_PRICES_FILE'] || undefined).map(({ id }) => id);
}

export function adviseOnModel(
  model: string,
  isPriced: (model: string) => boolean,
  defaultProvider = process.env['MILLRACE_DEFAULT_PROVIDER'] || undefined,
): ModelAdvice {
  const route = routeModel(model, { defaultProvider });
  if (route.kind === 'unknown') return { kind: 'unrouted', nearest: nearestIds(model, knownIds()) };
  // Who writes the provider knows what they want.
  if (route.model !== model || isPriced(model)) return { kind: 'fine' };
  const nearest = nearestIds(model, knownIds());
  return nearest.length === 0 ? { kind: 'fine' } : { kind: 'doubtful', nearest };
}

export function meantText(nearest: readonly string[]): string {
  return nearest.length === 0 ? '' : `Did you mean ${nearest.join(', ')}? `;
}

export function unknownModel(model: string, nearest: readonly string[]): CommandError {
  return new CommandError({
    code: 'UNKNOWN_MODEL',
    message: `Unknown model "${model}": its name does not say which provider has it.`,
    hint: `${meantText(nearest)}List them with: ${commandLine('models')}\nFor a model of your own server, write provider:model, such as openai:${model}.`,
  });
}

/** Throws for what no provider can have; returns what to say about the others. */
export function checkModelIds(
  models: Iterable<string>,
  isPriced: (model: string) => boolean,
): { doubts: string[]; unrouted: string[] } {
  const doubts: string[] = [];
  const unrouted: string[] = [];
  for (const model of new Set(models)) {
    const advice = adviseOnModel(model, isPriced);
    if (advice.kind === 'fine') continue;
    if (advice.kind === 'doubtful') {
      doubts.push(`"${model}" is not a model that is known here. ${meantText(advice.nearest)}`);
    } else if (advice.nearest.length > 0) throw unknownModel(model, advice.nearest);
    else unrouted.push(model);
  }
  return { doubts, unrouted };
}
