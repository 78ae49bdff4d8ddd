// What vendors are sent when a job says how much to think.
import { describe, expect, it } from 'vitest';
import type { Reasoning } from '../../src/contract/fields.ts';
import type { PublicProvider } from '../../src/domain/model/model-routing.ts';
import { buildRequest } from '../../src/providers/vendors/requests/build-request.ts';

interface Asked {
  provider: PublicProvider;
  model: string;
  reasoning?: Reasoning;
  maxTokens?: number;
  custom?: boolean;
}

/** The body that the vendor gets. */
function bodyOf({ provider, model, custom = false, maxTokens = 20_000, reasoning }: Asked) {
  const call = { ownerId: 'user_1', streamId: 's', prompt: 'Hi', apiKey: 'k', model, maxTokens };
  const request = {
    ...call,
    signal: new AbortController().signal,
    ...(reasoning && { reasoning }),
  };
  return buildRequest({ provider, custom }, request, maxTokens).body as Record<string, unknown>;
}

const thinkingOf = ({ generationConfig }: Record<string, unknown>) =>
  (generationConfig as { thinkingConfig?: unknown }).thinkingConfig;

describe('reasoning', () => {
  it('is an effort for the newer models of Anthropic', () => {
    const body = bodyOf({
      provider: 'anthropic',
      model: 'claude-opus-4-8',
      reasoning: 'low',
    });
    expect(body).toMatchObject({
      max_tokens: 20_000,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    });
  });

  it('is a budget inside of maxTokens for the older ones', () => {
    for (const model of [
      'claude-sonnet-4-5',
      'claude-opus-4-1-20250805',
      'claude-3-7-sonnet-latest',
    ]) {
      const body = bodyOf({ provider: 'anthropic', model, reasoning: 'medium' });
      expect(body, model).toMatchObject({
        max_tokens: 20_000,
        thinking: { type: 'enabled', budget_tokens: 8_000 },
      });
    }
    const short = { provider: 'anthropic', model: 'claude-sonnet-4-5', maxTokens: 1_500 } as const;
    expect(bodyOf({ ...short, reasoning: 'high' })).toEqual(bodyOf(short));
  });

  it('is an effort for the models of OpenAI that reason', () => {
    for (const model of ['gpt-5.2', 'gpt-6-sol', 'o3']) {
      const body = bodyOf({ provider: 'openai', model, reasoning: 'high' });
      expect(body['reasoning'], model).toEqual({ effort: 'high' });
    }
  });

  it('is a budget or a level for Gemini', () => {
    const flash = { provider: 'google', model: 'gemini-2.5-flash' } as const;
    expect(thinkingOf(bodyOf({ ...flash, reasoning: 'medium' }))).toEqual({
      thinkingBudget: 8_000,
    });
    const long = bodyOf({ ...flash, reasoning: 'high', maxTokens: 64_000 });
    expect(thinkingOf(long)).toEqual({ thinkingBudget: 24_576 });
    const level = (model: string) =>
      thinkingOf(bodyOf({ provider: 'google', model, reasoning: 'medium' }));
    expect(level('gemini-3-flash-preview')).toEqual({ thinkingLevel: 'medium' });
    expect(level('gemini-3-pro-preview')).toEqual({ thinkingLevel: 'high' });
  });

  it('is an effort for OpenRouter and for servers of ones own', () => {
    const model = 'anthropic/claude-opus-4.8';
    const routed = bodyOf({ provider: 'openrouter', model, reasoning: 'high' });
    expect(routed['reasoning']).toEqual({ effort: 'high' });
    const own = { provider: 'openai', model: 'gpt-oss:20b', custom: true } as const;
    expect(bodyOf({ ...own, reasoning: 'low' })).toMatchObject({ reasoning_effort: 'low' });
  });

  it.each<Asked>([
    { provider: 'anthropic', model: 'claude-3-5-haiku-latest' },
    { provider: 'anthropic', model: 'claude-3-haiku-20240307' },
    { provider: 'openai', model: 'gpt-4o' },
    { provider: 'openai', model: 'gpt-4.1-mini' },
    { provider: 'openai', model: 'llama3.1:8b', custom: true },
    { provider: 'google', model: 'gemini-2.0-flash' },
    { provider: 'google', model: 'gemma-3-27b-it' },
  ])('is left out for $model, which would refuse the call', (asked) => {
    expect(bodyOf({ ...asked, reasoning: 'high' })).toEqual(bodyOf(asked));
  });
});
