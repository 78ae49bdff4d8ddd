import { expect, it } from 'vitest';
import { newSecretToken } from '../../src/platform/secret-token.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

it('no key and no prompt gets into the log, wherever the caller puts it', async () => {
  const { key } = await server().createKey();
  const share = newSecretToken('sh');
  const secrets = [key, 'sk-ant-abcdefgh12345678', 'AIzaSyAbcdefghijklmnop', share];
  const prompt = 'the-prompt-is-nobodys-business';
  const jobId = await server().submit(key, { prompt });
  await server().finished(key, jobId);
  for (const secret of secrets) {
    const text = encodeURIComponent(secret);
    await server().call('GET', `/api/v1/job/${text}`, { key });
    await server().call('GET', `/api/v1/history?feature=${text}`, { key });
    await server().call('GET', `/nowhere/${text}?key=${text}`, { key });
    await server().call('GET', '/api/v1/history', {
      headers: { authorization: `Bearer ${secret}` },
    });
    await server().call('POST', '/api/v1/execute', { key, body: { model: secret, prompt } });
  }
  // A fault is logged with its cause, and the cause may quote what was sent.
  await server().db.query('alter table idempotency_keys rename to gone');
  const failed = await server().call('POST', '/api/v1/execute', {
    key,
    body: { streamId: 'a', prompt, model: 'sim-instant', maxTokens: 5 },
    headers: { 'idempotency-key': key },
  });
  await server().db.query('alter table gone rename to idempotency_keys');
  expect(failed.status).toBe(500);
  const id = failed.headers.get('x-request-id') ?? 'none';
  await waitUntil(() => server().logs().includes(`"status":500`) && server().logs().includes(id));
  for (const hidden of [...secrets, key.slice(8, 40), prompt]) {
    expect(server().logs()).not.toContain(hidden);
  }
  expect(server().logs()).toContain('/api/v1/job/[hidden]');
});

it('a path without end is logged by its start', async () => {
  const answer = await server().call('GET', `/start-${'a-'.repeat(7000)}`);
  const id = answer.headers.get('x-request-id') ?? 'none';
  await waitUntil(() => server().logs().includes(id));
  const line = server()
    .logs()
    .split('\n')
    .find((text) => text.includes(id))!;
  expect(line).toContain('"path":"/start-a-a-');
  expect(line.length).toBeLessThan(1000);
});
