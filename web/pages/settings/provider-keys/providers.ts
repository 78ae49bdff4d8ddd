import type { PublicProvider } from '../../../../src/domain/model/model-routing.ts';

export interface ProviderInfo {
  id: PublicProvider;
  name: string;
  /** What its models are called. */
  models: string;
  keyHint: string;
}

export const PROVIDERS: readonly ProviderInfo[] = [
  { id: 'anthropic', name: 'Anthropic', models: 'claude-*', keyHint: 'sk-ant-...' },
  { id: 'openai', name: 'OpenAI', models: 'gpt-*, o*', keyHint: 'sk-...' },
  { id: 'google', name: 'Google', models: 'gemini-*', keyHint: 'AIza...' },
  { id: 'openrouter', name: 'OpenRouter', models: 'vendor/model', keyHint: 'sk-or-...' },
];
