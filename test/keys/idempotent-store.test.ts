import { beforeEach, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { verifies } from '../support/verifies.ts';
import { useKeyServer } from './key-server.ts';

const context = useKeyServer();
beforeEach(() => context().vendors.reset());

const RAW = 'sk-ant-api03-idem-0000000000c3d4';
const OTHER = 'sk-ant-api03-idem-1111111111e5f6';

async function store(key: string, raw: string, idempotencyKey: string) {
  return context().server.call('POST', '/api/v1/keys', {
    key,
    headers: { 'idempotency-key': idempotencyKey },
    body: { provider: 'anthropic', key: raw, tosAccepted: true },
  });
}

describe('storing a provider key with an Idempotency-Key', () => {
  it('answers a repeated request like the first, and asks the provider once', async () => {
    verifies('http.idempotency.replay');
    const { server, vendors } = context();
    vendors.setKeys('anthropic', [RAW, OTHER]);
    const { key } = await server.createKey();
    const first = await store(key, RAW, 'one');
    expect(first.status).toBe(201);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    // Replaced meanwhile: the first reply stays what it was.
    expect((await context().store(key, 'anthropic', OTHER)).status).toBe(200);
    const asked = vendors.calls({ vendor: 'anthropic' }).length;
    const again = await store(key, RAW, 'one');
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(vendors.calls({ vendor: 'anthropic' })).toHaveLength(asked);
    const { body } = await server.call('GET', '/api/v1/keys', { key });
    expect(JSON.stringify(body)).toContain('e5f6');
  });

  it('gives requests that arrive at once one reply', async () => {
    verifies('http.idempotency.concurrent');
    const { server, vendors } = context();
    vendors.setKeys('anthropic', [RAW]);
    const { key } = await server.createKey();
    const answers = await Promise.all(Array.from({ length: 5 }, () => store(key, RAW, 'two')));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    for (const { body } of answers) expect(body).toEqual(answers[0]!.body);
    const replayed = answers.filter(({ headers }) => headers.has('idempotency-replayed'));
    expect(replayed).toHaveLength(4);
  });

  it('refuses the same key with another body, or for another kind of request', async () => {
    verifies('http.idempotency.reused');
    const { server, vendors } = context();
    vendors.setKeys('anthropic', [RAW, OTHER]);
    const { key } = await server.createKey();
    await store(key, RAW, 'three');
    expectError(await store(key, OTHER, 'three'), 'IDEMPOTENCY_KEY_REUSED');
    const job = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 5 };
    const headers = { 'idempotency-key': 'three' };
    const execute = await server.call('POST', '/api/v1/execute', { key, headers, body: job });
    expectError(execute, 'IDEMPOTENCY_KEY_REUSED');
    await server.call('POST', '/api/v1/execute', {
      key,
      headers: { 'idempotency-key': 'four' },
      body: job,
    });
    expectError(await store(key, RAW, 'four'), 'IDEMPOTENCY_KEY_REUSED');
  });

  it('remembers nothing of a key that was rejected, and never the key itself', async () => {
    const { server, vendors } = context();
    vendors.setKeys('anthropic', []);
    const { key } = await server.createKey();
    expectError(await store(key, RAW, 'five'), 'VALIDATION_ERROR');
    vendors.setKeys('anthropic', [RAW]);
    expect((await store(key, RAW, 'five')).status).toBe(201);
    const { rows } = await server.db.query('select * from idempotency_keys');
    expect(JSON.stringify(rows)).not.toContain(RAW.slice(10, 30));
    expect(JSON.stringify(rows)).toContain('c3d4');
  });
});
