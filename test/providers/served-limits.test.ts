// How much a model takes in and gives, as servers of all kinds report it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadPrices } from '../../src/providers/prices.ts';
import { createProviders } from '../../src/providers/registry.ts';
import type { VendorOptions } from '../../src/providers/registry.ts';
import { VENDOR_URLS } from '../../src/providers/vendors/endpoint.ts';
import { createServedLimits } from '../../src/providers/vendors/served-limits.ts';
import { createVendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import type { VendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import { expectError } from '../support/expect-error.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import type { ScriptedModel } from '../support/scripted-model.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

let vendor: ScriptedModel;
beforeAll(async () => {
  vendor = await startScriptedModel();
});
afterEach(() => {
  vendor.pages.clear();
  vendor.visits.length = 0;
});
afterAll(() => vendor?.close());

/** As a server that has just started asks. */
async function limitsOf(
  model: string,
  pages: Record<string, object>,
  provider: 'openai' | 'openrouter' = 'openai',
) {
  for (const [path, page] of Object.entries(pages)) vendor.pages.set(path, page);
  const vendors: VendorOptions = {
    baseUrls: { [provider]: vendor.url },
    prices: loadPrices(undefined),
    scrub: (text) => text,
  };
  const providers = createProviders({ simulator: false, vendors });
  try {
    return await providers.servedLimits(provider, model, undefined);
  } finally {
    await providers.close();
  }
}

const window = (contextTokens: number) => ({ contextTokens, maxOutputTokens: null });
const OLLAMA_LIST = { object: 'list', data: [{ id: 'qwen3:8b', owned_by: 'library' }] };
const SHOWN = { model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 } };

describe('the limits of a model', () => {
  it('are in the list of vLLM', async () => {
    const list = {
      data: [
        { id: 'other', max_model_len: 1 },
        { id: 'm', max_model_len: 32_768 },
      ],
    };
    expect(await limitsOf('m', { '/v1/models': list })).toEqual(window(32_768));
    expect(vendor.visits).toEqual(['GET /v1/models']);
  });

  it('are in the list of OpenRouter, with the longest answer', async () => {
    const top = { context_length: 131_072, max_completion_tokens: 16_384 };
    const list = { data: [{ id: 'a/b', context_length: 200_000, top_provider: top }] };
    const found = await limitsOf('a/b', { '/v1/models': list }, 'openrouter');
    expect(found).toEqual({ contextTokens: 131_072, maxOutputTokens: 16_384 });
    expect(await limitsOf('a/c', { '/v1/models': list }, 'openrouter')).toBeUndefined();
    expect(vendor.visits.every((visit) => visit === 'GET /v1/models')).toBe(true);
  });

  it('are those that Ollama has loaded it with, else set for it, else what it was made for', async () => {
    const pages = { '/v1/models': OLLAMA_LIST, '/api/show': SHOWN };
    expect(await limitsOf('qwen3:8b', pages)).toEqual(window(40_960));
    const parameters = 'temperature                    0.6\nnum_ctx                        16384\n';
    const set = { ...pages, '/api/show': { ...SHOWN, parameters } };
    expect(await limitsOf('qwen3:8b', set)).toEqual(window(16_384));
    const models = [
      { name: 'other:latest', context_length: 1 },
      { name: 'qwen3:8b', context_length: 4096 },
    ];
    expect(await limitsOf('qwen3:8b', { ...set, '/api/ps': { models } })).toEqual(window(4096));
    const latest = [{ name: 'qwen3:latest', context_length: 8192 }];
    expect(await limitsOf('qwen3', { ...set, '/api/ps': { models: latest } })).toEqual(
      window(8192),
    );
  });

  it('are those that LM Studio has loaded it with, else its longest', async () => {
    const entry = { id: 'm', state: 'loaded', max_context_length: 131_072 };
    const loaded = { ...entry, loaded_context_length: 4096 };
    expect(await limitsOf('m', { '/api/v0/models': { data: [loaded] } })).toEqual(window(4096));
    expect(await limitsOf('m', { '/api/v0/models': { data: [entry] } })).toEqual(window(131_072));
  });

  it('are those of one conversation with llama.cpp', async () => {
    const props = { default_generation_settings: { n_ctx: 8192 }, total_slots: 4 };
    expect(await limitsOf('m/x', { '/props': props })).toEqual(window(8192));
    // A server of several models must not load one to be asked about it.
    expect(vendor.visits).toContain('GET /props?model=m%2Fx&autoload=false');
  });

  it.each([
    ['nothing at all', {}],
    ['other models', { '/v1/models': { data: [{ id: 'other', max_model_len: 4096 }] } }],
    ['nonsense', { '/v1/models': { data: 'none' }, '/props': [], '/api/show': { parameters: 3 } }],
    [
      'half of it',
      { '/v1/models': { data: [null, 7, { id: 'm' }, { id: 'm', max_model_len: -1 }] } },
    ],
    ['no number', { '/props': { default_generation_settings: { n_ctx: 'many' } } }],
  ])('are not known where the server says %s', async (_, pages) => {
    expect(await limitsOf('m', pages)).toBeUndefined();
  });
});

describe('a server that is asked', () => {
  const http = createVendorHttp();
  afterAll(() => http.close());
  const endpointOf = (baseUrl: string) =>
    ({ provider: 'openai', baseUrl, custom: true, http }) as const;

  it('is not waited for when it does not answer', async () => {
    const silent = createServer(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
    try {
      expect(await createServedLimits(endpointOf(url), 50).find('m', undefined)).toBeUndefined();
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  it('is asked once for a while, however many want to know', async () => {
    vendor.pages.set('/v1/models', { data: [] });
    vendor.pages.set('/props', { default_generation_settings: { n_ctx: 8192 } });
    const limits = createServedLimits(endpointOf(vendor.url));
    const all = await Promise.all(Array.from({ length: 5 }, () => limits.find('m', undefined)));
    expect(all).toEqual(Array.from({ length: 5 }, () => window(8192)));
    expect(await limits.find('m', undefined)).toEqual(window(8192));
    expect(vendor.visits).toHaveLength(5);
  });

  it('is never a vendor whose models are in the facts', async () => {
    const asked: unknown[] = [];
    const send: VendorHttp['send'] = async (url) => {
      asked.push(url);
      throw new Error('not there');
    };
    for (const provider of ['anthropic', 'google', 'openai'] as const) {
      const endpoint = { provider, baseUrl: VENDOR_URLS[provider], custom: false, http: { send } };
      expect(await createServedLimits(endpoint).find('m', undefined)).toBeUndefined();
    }
    expect(asked).toEqual([]);
  });
});

describe('GET /api/v1/models', () => {
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    server = await startTestServer({ baseUrls: { openai: vendor.url } });
    ({ key } = await server.createKey());
  });
  afterAll(() => server?.close());

  it('has the facts, else what the server of the model says, else nothing', async () => {
    vendor.pages.set('/v1/models', { data: [{ id: 'mine', max_model_len: 32_768 }] });
    const models = 'claude-sonnet-4-5,openai:mine,openai:other,no-such-shape';
    const { body } = await server.call('GET', `/api/v1/models?models=${models}`, { key });
    const none = { contextTokens: null, maxOutputTokens: null };
    expect(body['items']).toEqual([
      {
        model: 'claude-sonnet-4-5',
        provider: 'anthropic',
        contextTokens: 200_000,
        maxOutputTokens: 64_000,
      },
      { model: 'openai:mine', provider: 'openai', ...window(32_768) },
      { model: 'openai:other', provider: 'openai', ...none },
      { model: 'no-such-shape', provider: null, ...none },
    ]);
    expect(vendor.visits.filter((visit) => visit === 'GET /v1/models')).toHaveLength(1);
  });

  it('needs ids', async () => {
    expectError(
      await server.call('GET', '/api/v1/models?models=a,,b', { key }),
      'VALIDATION_ERROR',
    );
    expectError(await server.call('GET', '/api/v1/models', { key }), 'VALIDATION_ERROR');
  });
});
