import { expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

it('a temperature is refused for a model that does not take one, before anything is queued', async () => {
  const { key } = await server().createKey();
  const submit = (model: string, temperature?: number) =>
    server().call('POST', '/api/v1/execute', {
      key,
      headers: { 'x-provider-key': 'sk-ant-a-key-of-a-test' },
      body: { streamId: 'a', prompt: 'hello', model, maxTokens: 100, temperature },
    });
  const refused = await submit('claude-sonnet-5-5', 0.2);
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({
    error: { code: 'VALIDATION_ERROR', details: [{ path: 'temperature', code: 'NOT_SUPPORTED' }] },
  });
  expect((await submit('claude-sonnet-5-5')).status).toBe(202);
  expect((await submit('claude-opus-4-6', 0.2)).status).toBe(202);
  // It leaves out what a model does not take.
  expect((await submit('anthropic/claude-opus-5.5', 0.2)).status).toBe(202);
  expect((await server().db.query('select 1 from jobs')).rowCount).toBe(3);
});

async function submitAt(serviceTier: string, model: string, key: string) {
  return server().call('POST', '/api/v1/execute', {
    key,
    headers: { 'x-provider-key': 'sk-a-key-of-a-test' },
    body: { streamId: 'a', prompt: 'hello', model, maxTokens: 100, serviceTier },
  });
}

it.each(['claude-sonnet-5-5', 'anthropic/claude-opus-5.5', 'gpt-4o'])(
  'flex is refused for %s, and standard is not',
  async (model) => {
    verifies('job.tier', 'job.tier.refused');
    const { key } = await server().createKey();
    const refused = await submitAt('flex', model, key);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: {
        code: 'VALIDATION_ERROR',
        details: [{ path: 'serviceTier', code: 'NOT_SUPPORTED' }],
      },
    });
    expect((await submitAt('standard', model, key)).status).toBe(202);
  },
);

it('another tier is refused, and flex is taken where the model has it or nothing is known of it', async () => {
  verifies('job.tier', 'job.tier.refused');
  const { key } = await server().createKey();
  expect((await submitAt('priority', 'gpt-6.1-terra', key)).status).toBe(400);
  for (const model of ['gpt-6.1-terra', 'gemini-3.8-flash', 'openai:not-in-the-facts']) {
    expect((await submitAt('flex', model, key)).status).toBe(202);
  }
});

it('an execution is refused in the same way', async () => {
  verifies('job.tier.refused');
  const { key } = await server().createKey();
  const body = { task: 'hello', model: 'claude-sonnet-5-5', options: { serviceTier: 'flex' } };
  const refused = await server().call('POST', '/v1/executions', { key, body });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('NOT_SUPPORTED');
});

it('under a budget, flex is refused where only the standard price is known', async () => {
  verifies('job.tier.unpriced');
  const { key, email } = await server().createKey();
  const teamId = await server().teamId(email);
  const body = { settings: { budgetUsd: 100 } };
  expect((await server().call('PATCH', `/v1/teams/${teamId}`, { key, body })).status).toBe(200);
  // The list of the package has its price, and no tiers; the facts do not have it at all.
  const model = 'openai:gpt-4-turbo';
  expect((await submitAt('standard', model, key)).status).toBe(202);
  const refused = await submitAt('flex', model, key);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain('PRICE_UNKNOWN');
  expect(JSON.stringify(refused.body)).toContain('MILLRACE_PRICES_FILE');
  expect((await submitAt('flex', 'gpt-6.1-terra', key)).status).toBe(202);
});
