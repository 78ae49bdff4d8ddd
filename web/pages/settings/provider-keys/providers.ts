import {
  PROVIDER_NAMES,
  PUBLIC_PROVIDERS,
  type PublicProvider,
} from '../../../../src/domain/model/model-routing.ts';

/** What a page says about a provider beside its name: its models, and how its keys begin. */
const SHAPES: Readonly<Record<PublicProvider, { models: string; keyHint: string }>> = {
  anthropic: { models: 'claude-*', keyHint: 'sk-ant-...' },
  openai: { models: 'gpt-*, o*', keyHint: 'sk-...' },
  google: { models: 'gemini-*', keyHint: 'AIza...' },
  openrouter: { models: 'vendor/model', keyHint: 'sk-or-...' },
};

export const PROVIDERS = PUBLIC_PROVIDERS.map((id) => ({
  id,
  name: PROVIDER_NAMES[id],
  ...SHAPES[id],
}));

export type ProviderInfo = (typeof PROVIDERS)[number];
