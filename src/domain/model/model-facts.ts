// What is known of the models of each vendor: how much they take in and give, what they cost and what they refuse. It
// is data, so that news of a vendor is a change of one file. A model that is in no file is unknown, and works anyway.
import anthropic from './facts/anthropic.json' with { type: 'json' };
import google from './facts/google.json' with { type: 'json' };
import openai from './facts/openai.json' with { type: 'json' };
import openrouter from './facts/openrouter.json' with { type: 'json' };
import type { ModelFacts, ProviderFacts } from './facts-schema.ts';
import { LONGEST_ID, isGlob, matchesGlob } from './id-glob.ts';
import { resolveProvider, routeModel } from './model-routing.ts';

/** As they come with the product. A test checks them against the schema, so that no command has to. */
export const SHIPPED_FACTS = [anthropic, openai, google, openrouter] as readonly ProviderFacts[];

let known = SHIPPED_FACTS;

export const knownFacts = (): readonly ProviderFacts[] => known;

/** The day on which the newest of its models was looked up; empty for a file without models. */
export const readOn = ({ models }: ProviderFacts): string =>
  models.reduce((newest, { source }) => (source.read > newest ? source.read : newest), '');

/** Files of the operator's, when a process starts. Of each provider the newer file counts, so that a newer release wins. */
export function useFacts(installed: readonly ProviderFacts[]): void {
  known = SHIPPED_FACTS.map((shipped) => {
    const other = installed.find(({ provider }) => provider === shipped.provider);
    return other !== undefined && readOn(other) >= readOn(shipped) ? other : shipped;
  });
}

interface Index {
  exact: ReadonlyMap<string, ModelFacts>;
  /** The longest first: it says most. */
  globs: readonly (readonly [glob: string, model: ModelFacts])[];
}

const indexes = new WeakMap<ProviderFacts, Index>();

function indexOf(file: ProviderFacts): Index {
  const known = indexes.get(file);
  if (known !== undefined) return known;
  const pairs = file.models.flatMap((model) => model.ids.map((id) => [id, model] as const));
  const index = {
    exact: new Map(pairs),
    globs: pairs
      .filter(([id]) => isGlob(id))
      .toSorted(([one], [other]) => other.length - one.length),
  };
  indexes.set(file, index);
  return index;
}

interface Name {
  provider: string;
  id: string;
}

/** The ways to read an id, the plainest first. */
function namesOf(provider: string, model: string): Name[] {
  const id = model.toLowerCase();
  const names: Name[] = [{ provider, id }];
  const slash = id.indexOf('/');
  const cut = slash < 0 ? id.indexOf(':') : slash;
  if (cut >= 0) {
    const prefix = id.slice(0, cut);
    // Google writes models/<id>.
    const vendor = prefix === 'models' ? 'google' : resolveProvider(prefix);
    if (vendor !== undefined && (vendor === provider || provider === 'openrouter')) {
      names.push({ provider: vendor, id: id.slice(cut + 1) });
    }
  }
  // Others write the numbers of Claude with a dot.
  const dashed = names
    .filter((name) => name.provider === 'anthropic' && name.id.includes('.'))
    .map((name) => ({ ...name, id: name.id.replaceAll('.', '-') }));
  return [...names, ...dashed];
}

export function findFacts(
  facts: readonly ProviderFacts[],
  provider: string,
  model: string,
): ModelFacts | undefined {
  if (model.length > LONGEST_ID) return undefined;
  const names = namesOf(provider, model).flatMap(({ provider: vendor, id }) =>
    facts.filter((file) => file.provider === vendor).map((file) => ({ id, index: indexOf(file) })),
  );
  for (const { id, index } of names) {
    const found = index.exact.get(id);
    if (found) return found;
  }
  for (const { id, index } of names) {
    const found = index.globs.find(([glob]) => matchesGlob(glob, id));
    if (found) return found[1];
  }
  return undefined;
}

/** `model` as people write it, with or without its provider. */
export function factsOf(model: string): ModelFacts | undefined {
  const route = routeModel(model);
  return route.kind === 'routed' ? findFacts(known, route.provider, route.model) : undefined;
}
