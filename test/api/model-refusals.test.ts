import { expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';

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
