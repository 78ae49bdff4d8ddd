// What each vendor is sent, whole: a field more or less can make it refuse the call, or cost money.
import { describe, expect, it } from 'vitest';
import type { PublicProvider } from '../../src/domain/model/model-routing.ts';
import type { PromptParts, ProviderRequest } from '../../src/providers/provider.ts';
import { buildRequest } from '../../src/providers/vendors/requests/build-request.ts';

const RULES = 'rule '.repeat(1500);
const PARTS: PromptParts = {
  systemContent: RULES,
  projectContext: 'The mill is old.',
  streamContext: '',
  taskContent: ' Fix the wheel.\n',
};

interface Asked extends Partial<ProviderRequest> {
  provider: PublicProvider;
  model: string;
  custom?: boolean;
}

function sent({ provider, custom = false, ...asked }: Asked) {
  const request: ProviderRequest = {
    ownerId: 'user_1',
    streamId: 's',
    prompt: 'Say it.',
    apiKey: 'key',
    signal: new AbortController().signal,
    ...asked,
  };
  return buildRequest({ provider, custom }, request, request.maxTokens);
}

const json = { 'content-type': 'application/json' };
const said = (type: string) => [{ role: 'user', content: [{ type, text: 'Say it.' }] }];
const full = {
  parts: PARTS,
  caching: { systemContent: '1h' },
  maxTokens: 20_000,
  temperature: 0.5,
} as const;

describe('Anthropic', () => {
  it('is sent messages', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    expect(sent({ provider: 'anthropic', model: 'claude-sonnet-4-5', ...full })).toEqual({
      protocol: 'anthropic',
      path: '/messages',
      headers: { ...json, 'anthropic-version': '2023-06-01', 'x-api-key': 'key' },
      body: {
        model: 'claude-sonnet-4-5',
        max_tokens: 20_000,
        temperature: 0.5,
        system: [{ type: 'text', text: RULES, cache_control }],
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: PARTS.projectContext, cache_control: { type: 'ephemeral' } },
              { type: 'text', text: PARTS.taskContent },
            ],
          },
        ],
        stream: true,
      },
    });
  });

  it('is asked to think in either of its ways, and for no temperature then', () => {
    const asked = { provider: 'anthropic', reasoning: 'high', maxTokens: 20_000 } as const;
    expect(sent({ ...asked, model: 'claude-sonnet-4-5', temperature: 0.5 }).body).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 20_000,
      thinking: { type: 'enabled', budget_tokens: 12_000 },
      messages: said('text'),
      stream: true,
    });
    expect(sent({ ...asked, model: 'claude-opus-4-8' }).body).toEqual({
      model: 'claude-opus-4-8',
      max_tokens: 20_000,
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
      messages: said('text'),
      stream: true,
    });
  });

  it.each([
    ['claude-sonnet-4-5', 1.5, 1],
    ['claude-sonnet-4-5', 0, 0],
    ['claude-3-5-sonnet-20241022', 0.5, 0.5],
    ['claude-opus-4-8', 0.5, undefined],
    // Nothing is known of it: models that came out yesterday take none.
    ['claude-unknown-9', 0.5, undefined],
  ])('%s is sent for the temperature %s: %s', (model, temperature, expected) => {
    const { body } = sent({ provider: 'anthropic', model, maxTokens: 10, temperature });
    expect((body as { temperature?: number }).temperature).toBe(expected);
  });

  it('is never asked for more than its model gives', () => {
    const most = (model: string) =>
      (sent({ provider: 'anthropic', model, maxTokens: 999_999 }).body as { max_tokens: number })
        .max_tokens;
    expect(most('claude-sonnet-4-5')).toBe(64_000);
    expect(most('claude-opus-4-8')).toBe(128_000);
    expect(most('claude-unknown-9')).toBe(999_999);
  });

  it('is asked for no thinking where another model runs behind its address', () => {
    const plain = { provider: 'anthropic', model: 'some-model', maxTokens: 20_000 } as const;
    expect(sent({ ...plain, reasoning: 'high' })).toEqual(sent(plain));
  });
});

describe('OpenAI', () => {
  const cacheKey = expect.stringMatching(/^[0-9a-f]{32}$/) as string;

  it('is sent responses', () => {
    expect(sent({ provider: 'openai', model: 'gpt-5.6', ...full, serviceTier: 'flex' })).toEqual({
      protocol: 'responses',
      path: '/responses',
      headers: { ...json, authorization: 'Bearer key' },
      body: {
        model: 'gpt-5.6',
        input: [
          {
            role: 'developer',
            content: [
              { type: 'input_text', text: RULES, prompt_cache_breakpoint: { mode: 'explicit' } },
            ],
          },
          {
            role: 'user',
            content: [
              {
                type: 'input_text',
                text: PARTS.projectContext,
                prompt_cache_breakpoint: { mode: 'explicit' },
              },
              { type: 'input_text', text: PARTS.taskContent },
            ],
          },
        ],
        max_output_tokens: 20_000,
        store: false,
        service_tier: 'flex',
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: cacheKey,
        prompt_cache_options: { mode: 'explicit' },
        stream: true,
      },
    });
  });

  it('is sent less for models that do not reason', () => {
    const asked = { ...full, reasoning: 'high', serviceTier: 'standard' } as const;
    expect(sent({ provider: 'openai', model: 'gpt-4.1', ...asked }).body).toEqual({
      model: 'gpt-4.1',
      input: [
        { role: 'system', content: RULES },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: PARTS.projectContext },
            { type: 'input_text', text: PARTS.taskContent },
          ],
        },
      ],
      temperature: 0.5,
      max_output_tokens: 20_000,
      store: false,
      service_tier: 'default',
      prompt_cache_key: cacheKey,
      stream: true,
    });
    const flex = sent({ provider: 'openai', model: 'gpt-4.1', serviceTier: 'flex' });
    expect(flex.body).not.toHaveProperty('service_tier');
    for (const model of ['gpt-5-chat-latest', 'gpt-unknown']) {
      expect(sent({ provider: 'openai', model }).body).not.toHaveProperty('include');
    }
  });
});

describe('a server of chat completions', () => {
  it('of the operator is sent what every server knows', () => {
    const asked = { provider: 'openai', custom: true, model: 'llama3.1:8b' } as const;
    expect(sent({ ...asked, ...full, reasoning: 'high', serviceTier: 'standard' })).toEqual({
      protocol: 'chat',
      path: '/chat/completions',
      headers: { ...json, authorization: 'Bearer key' },
      body: {
        model: 'llama3.1:8b',
        max_tokens: 20_000,
        temperature: 0.5,
        messages: [
          { role: 'system', content: RULES },
          {
            role: 'user',
            content: [
              { type: 'text', text: PARTS.projectContext },
              { type: 'text', text: PARTS.taskContent },
            ],
          },
        ],
        stream: true,
        stream_options: { include_usage: true },
      },
    });
    const { apiKey: _, ...keyless } = { ...asked, apiKey: undefined };
    const bare = buildRequest(
      { provider: 'openai', custom: true },
      {
        ...keyless,
        ownerId: 'u',
        streamId: 's',
        prompt: 'Hi',
        signal: new AbortController().signal,
      },
      undefined,
    );
    expect(bare.headers).toEqual(json);
    expect(bare.body).toEqual({
      model: 'llama3.1:8b',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const same = sent({ ...asked, ...full, model: 'gpt-5.6' });
    expect(JSON.stringify(same.body)).not.toContain('cache');
    const effort = sent({ ...asked, model: 'gpt-oss:20b', reasoning: 'low', serviceTier: 'flex' });
    expect(effort.body).toMatchObject({ reasoning_effort: 'low', service_tier: 'flex' });
  });

  it('of OpenRouter is sent marks and an effort', () => {
    const asked = { ...full, reasoning: 'high', serviceTier: 'standard' } as const;
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    expect(sent({ provider: 'openrouter', model: 'anthropic/claude-opus-5.5', ...asked })).toEqual({
      protocol: 'chat',
      path: '/chat/completions',
      headers: { ...json, authorization: 'Bearer key' },
      body: {
        model: 'anthropic/claude-opus-5.5',
        max_tokens: 20_000,
        temperature: 0.5,
        reasoning: { effort: 'high' },
        messages: [
          { role: 'system', content: [{ type: 'text', text: RULES, cache_control }] },
          {
            role: 'user',
            content: [
              { type: 'text', text: PARTS.projectContext, cache_control: { type: 'ephemeral' } },
              { type: 'text', text: PARTS.taskContent },
            ],
          },
        ],
        stream: true,
      },
    });
  });
});

describe('Google', () => {
  const parts = [{ text: PARTS.projectContext }, { text: PARTS.taskContent }];

  it('is sent contents', () => {
    const asked = { ...full, reasoning: 'low', serviceTier: 'standard' } as const;
    expect(sent({ provider: 'google', model: 'gemini-2.5-flash', ...asked })).toEqual({
      protocol: 'google',
      path: '/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      headers: { ...json, 'x-goog-api-key': 'key' },
      body: {
        generationConfig: {
          maxOutputTokens: 20_000,
          temperature: 0.5,
          thinkingConfig: { thinkingBudget: 4000 },
        },
        contents: [{ role: 'user', parts }],
        systemInstruction: { parts: [{ text: RULES }] },
        serviceTier: 'standard',
      },
    });
    expect(sent({ provider: 'google', model: 'tunedModels/x?y' }).path).toBe(
      '/tunedModels/x%3Fy:streamGenerateContent?alt=sse',
    );
  });

  it('is sent the system part with the others for models that have no place for it', () => {
    const { body } = sent({ provider: 'google', model: 'gemma-3-27b-it', parts: PARTS });
    expect(body).toEqual({
      generationConfig: {},
      contents: [{ role: 'user', parts: [{ text: `${RULES}\n\n` }, ...parts] }],
    });
  });
});
