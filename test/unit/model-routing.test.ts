import { describe, expect, test } from 'vitest';
import {
  PUBLIC_PROVIDERS,
  resolveProvider,
  routeModel,
} from '../../src/domain/model/model-routing.ts';

test('the four public providers keep their names', () => {
  expect(PUBLIC_PROVIDERS).toEqual(['anthropic', 'openai', 'google', 'openrouter']);
  expect(resolveProvider('Gemini ')).toBe('google');
  expect(resolveProvider('mistral')).toBeUndefined();
});

describe('by the id alone', () => {
  test.each([
    ['claude-opus-5', 'anthropic', 'claude-opus-5'],
    ['gpt-6', 'openai', 'gpt-6'],
    ['chatgpt-4o-latest', 'openai', 'chatgpt-4o-latest'],
    ['o3-mini', 'openai', 'o3-mini'],
    ['codex-mini-latest', 'openai', 'codex-mini-latest'],
    ['gemini-3.8-flash', 'google', 'gemini-3.8-flash'],
    ['gemma-3-27b-it', 'google', 'gemma-3-27b-it'],
    ['meta-llama/llama-4', 'openrouter', 'meta-llama/llama-4'],
    ['anthropic/claude-opus-5', 'openrouter', 'anthropic/claude-opus-5'],
    ['openrouter/meta-llama/llama-4', 'openrouter', 'meta-llama/llama-4'],
    ['openrouter/auto', 'openrouter', 'openrouter/auto'],
    ['openrouter:openrouter/auto', 'openrouter', 'openrouter/auto'],
    ['openai:llama3.1:8b', 'openai', 'llama3.1:8b'],
    ['gemini:learnlm', 'google', 'learnlm'],
    ['anthropic:gpt-6', 'anthropic', 'gpt-6'],
    ['sim-fast', 'simulator', 'sim-fast'],
    ['simulator:sim-slow', 'simulator', 'sim-slow'],
    ['sim:sim-slow', 'simulator', 'sim-slow'],
  ])('%s goes to %s as %s', (model, provider, id) => {
    expect(routeModel(model)).toEqual({ kind: 'routed', provider, model: id });
  });

  test.each(['', 'opus', 'llama3.1:8b', 'orca', 'openai:', 'sim', 'sim:fast', 'simulator:gpt-6'])(
    '%j is unknown',
    (model) => {
      expect(routeModel(model)).toMatchObject({ kind: 'unknown', message: expect.any(String) });
    },
  );
});

describe('with a provider in the request', () => {
  test('the provider wins over the id', () => {
    expect(routeModel('claude-opus-5', { provider: 'openrouter' })).toMatchObject({
      provider: 'openrouter',
      model: 'claude-opus-5',
    });
    expect(routeModel('mistral', { provider: 'gemini' })).toMatchObject({ provider: 'google' });
  });

  test('its own prefix is taken off, that of another vendor is part of the id', () => {
    const provider = 'openai';
    expect(routeModel('openai:gpt-6', { provider })).toMatchObject({ provider, model: 'gpt-6' });
    expect(routeModel('google:x', { provider })).toMatchObject({ provider, model: 'google:x' });
  });

  test('an unknown provider is refused with the names of the four', () => {
    const route = routeModel('gpt-6', { provider: 'acme' });
    expect(route).toMatchObject({ kind: 'unknown' });
    for (const name of PUBLIC_PROVIDERS) expect(JSON.stringify(route)).toContain(name);
  });

  test('the simulator and the vendors never take models from each other', () => {
    expect(routeModel('sim-fast', { provider: 'openai' }).kind).toBe('unknown');
    expect(routeModel('gpt-6', { provider: 'simulator' }).kind).toBe('unknown');
    expect(routeModel('sim-fast', { provider: 'simulator' })).toMatchObject({ model: 'sim-fast' });
  });
});

describe("with the operator's default provider", () => {
  test('it serves ids that say nothing', () => {
    const route = routeModel('llama3.1:8b', { defaultProvider: 'openai' });
    expect(route).toEqual({ kind: 'routed', provider: 'openai', model: 'llama3.1:8b' });
    expect(routeModel('claude-x', { defaultProvider: 'openai' })).toMatchObject({
      provider: 'anthropic',
    });
  });

  test('the simulator cannot be the default', () => {
    const route = routeModel('llama', { defaultProvider: 'simulator' });
    expect(route).toMatchObject({ message: expect.stringContaining('provider:model') });
  });
});
