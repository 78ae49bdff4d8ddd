import { beforeEach, expect, it } from 'vitest';
import { verifies } from '../support/verifies.ts';
import { useKeyServer } from './key-server.ts';

const context = useKeyServer({ defaultProvider: 'openrouter' });
beforeEach(() => context().vendors.reset());

/** Runs a job and returns the one call that its vendor saw. */
async function callFor(body: Record<string, unknown>) {
  const { server, vendors } = context();
  const { key } = await server.createKey();
  const answer = await server.call('POST', '/api/v1/execute', {
    key,
    headers: { 'x-provider-key': 'zz-any-key-will-do-0001' },
    body: { streamId: 'api', prompt: 'hello', maxTokens: 50, ...body },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  const job = await server.finished(key, answer.body['jobId'] as string);
  expect(job).toMatchObject({ status: 'completed' });
  const calls = vendors.calls();
  expect(calls).toHaveLength(1);
  vendors.reset();
  const sent = calls[0]!.body as { model?: string };
  const model = sent.model ?? /models\/([^:]+):/.exec(calls[0]!.path)?.[1];
  return { vendor: calls[0]!.vendor, model, path: calls[0]!.path };
}

it('the model says which provider is called, whether anybody has heard of it or not', async () => {
  verifies(
    'providers.model.explicit',
    'providers.model.slash',
    'providers.model.prefixes',
    'providers.model.default',
    'providers.model.unlisted',
  );
  const expected: [string, string, string][] = [
    ['claude-of-tomorrow', 'anthropic', 'claude-of-tomorrow'],
    ['gpt-99', 'openai', 'gpt-99'],
    ['chatgpt-x', 'openai', 'chatgpt-x'],
    ['o7-huge', 'openai', 'o7-huge'],
    ['codex-x', 'openai', 'codex-x'],
    ['gemini-99', 'google', 'gemini-99'],
    ['gemma-99', 'google', 'gemma-99'],
    ['anybody/anything', 'openrouter', 'anybody/anything'],
    ['anthropic:gpt-like-name', 'anthropic', 'gpt-like-name'],
    ['something-else', 'openrouter', 'something-else'],
  ];
  for (const [asked, vendor, model] of expected) {
    expect(await callFor({ model: asked }), asked).toMatchObject({ vendor, model });
  }
});

it('only the operator says where a provider is, and openai elsewhere speaks chat completions', async () => {
  verifies('providers.base-url', 'providers.compatible');
  const elsewhere = 'http://127.0.0.1:1/v1';
  const call = await callFor({ model: 'gpt-99', baseUrl: elsewhere, baseURL: elsewhere });
  expect(call.path).toBe('/openai/v1/chat/completions');
});
