// Which vendor serves a model id. By the shape of the id only, never by a list of known models: new
// ids appear every week, and the vendor itself says best whether it has one.

export const PUBLIC_PROVIDERS = ['anthropic', 'openai', 'google', 'openrouter'] as const;
export type PublicProvider = (typeof PUBLIC_PROVIDERS)[number];
/** As people write them. */
export const PROVIDER_NAMES: Readonly<Record<PublicProvider, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  openrouter: 'OpenRouter',
};
export type ProviderId = PublicProvider | 'simulator';

export type Route =
  | { kind: 'routed'; provider: ProviderId; model: string }
  | { kind: 'unknown'; message: string };

const ALIASES: ReadonlyMap<string, ProviderId> = new Map([
  ...PUBLIC_PROVIDERS.map((id) => [id, id] as const),
  ['gemini', 'google'],
  ['simulator', 'simulator'],
  ['sim', 'simulator'],
]);

const BY_SHAPE: readonly (readonly [RegExp, ProviderId])[] = [
  [/^sim-/i, 'simulator'],
  [/\//, 'openrouter'],
  [/^claude/i, 'anthropic'],
  [/^(?:gpt-|chatgpt-|o\d|codex-)/i, 'openai'],
  [/^gem(?:ini|ma)/i, 'google'],
];

/** What it makes costs nothing: its figures are shown apart, and never count as money. */
export const isSimulatedProvider = (provider: string) => provider === 'simulator';

export function isSimulatedModel(model: string): boolean {
  const route = routeModel(model);
  return route.kind === 'routed' && isSimulatedProvider(route.provider);
}

/** The provider a caller or operator named, or undefined when there is none of that name. */
export function resolveProvider(name: string): ProviderId | undefined {
  return ALIASES.get(name.trim().toLowerCase());
}

export function routeModel(
  model: string,
  options: { provider?: string | undefined; defaultProvider?: string | undefined } = {},
): Route {
  const prefix = splitPrefix(model);
  if (options.provider !== undefined) {
    const provider = resolveProvider(options.provider);
    if (provider === undefined) return unknownProvider(options.provider);
    // A prefix of another vendor stays in the id: a compatible server may well use such names.
    return settle(provider, prefix?.provider === provider ? prefix.model : model);
  }
  if (prefix !== undefined) return settle(prefix.provider, prefix.model);
  const byShape = BY_SHAPE.find(([shape]) => shape.test(model))?.[1];
  if (byShape !== undefined) return settle(byShape, model);
  const fallback =
    options.defaultProvider === undefined ? undefined : resolveProvider(options.defaultProvider);
  // Answers of the simulator look like real ones, so it never replaces another model.
  if (fallback !== undefined && fallback !== 'simulator') return settle(fallback, model);
  return {
    kind: 'unknown',
    message:
      `Cannot tell the provider from the model name ${JSON.stringify(model)}. ` +
      `Write it as provider:model, for example openai:${model === '' ? 'my-model' : model}, or send "provider" ` +
      `(${PUBLIC_PROVIDERS.join(', ')}).`,
  };
}

function splitPrefix(model: string): { provider: ProviderId; model: string } | undefined {
  const colon = model.indexOf(':');
  const provider = colon < 0 ? undefined : resolveProvider(model.slice(0, colon));
  return provider === undefined ? undefined : { provider, model: model.slice(colon + 1) };
}

function settle(provider: ProviderId, model: string): Route {
  if (model.trim() === '') {
    return { kind: 'unknown', message: `No model given for ${provider}.` };
  }
  const simulated = /^sim-/i.test(model);
  if (simulated && provider !== 'simulator') {
    return {
      kind: 'unknown',
      message: `${model} is a model of the built-in simulator, not of ${provider}: leave the provider out, or name one of its models.`,
    };
  }
  if (!simulated && provider === 'simulator') {
    return {
      kind: 'unknown',
      message: `The simulator has models whose names start with sim-, such as sim-standard, not ${model}.`,
    };
  }
  if (provider === 'openrouter') return { kind: 'routed', provider, model: openrouterId(model) };
  return { kind: 'routed', provider, model };
}

// `openrouter/auto` is a model of its own; `openrouter/vendor/model` is only a way to write the rest.
function openrouterId(model: string): string {
  const rest = /^openrouter\/(.*)$/i.exec(model)?.[1];
  return rest?.includes('/') ? rest : model;
}

function unknownProvider(name: string): Route {
  return {
    kind: 'unknown',
    message: `Unknown provider ${JSON.stringify(name)}. Use one of ${PUBLIC_PROVIDERS.join(', ')}.`,
  };
}
