import { describe, expect, it } from 'vitest';
import { checkTarget } from '../../src/platform/target-guard.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

const URL_ = 'https://example.com/hooks';
const UNKNOWN = 'wh_01jcq8z5e0e5v8r3m6k1t2w9xh';

async function newKey() {
  return (await server().createKey()).key;
}

async function create(key: string, more: object = {}, headers: Record<string, string> = {}) {
  const body = { url: URL_, events: ['*'], ...more };
  return server().call('POST', '/v1/webhooks', { key, body, headers });
}

async function created(key: string, more: object = {}) {
  const { status, body } = await create(key, more);
  expect(status, JSON.stringify(body)).toBe(201);
  return body as { id: string; secret: string };
}

describe('creating a webhook', () => {
  it('answers 201 with the webhook and its secret, which no other answer shows', async () => {
    verifies('webhooks.create');
    const key = await newKey();
    const { status, body } = await create(key, {
      events: ['execution.completed', 'execution.failed', 'execution.completed'],
      description: 'for the team',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
      url: URL_,
      events: ['execution.completed', 'execution.failed'],
      format: 'millrace',
      description: 'for the team',
      status: 'active',
      disabledReason: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...rest } = body;
    expect(
      (await server().call('GET', `/v1/webhooks/${String(rest['id'])}`, { key })).body,
    ).toEqual(rest);
    const list = await server().call('GET', '/v1/webhooks', { key });
    expect(list).toMatchObject({ status: 200, body: { items: [rest] } });
    const { rows } = await server().db.query('select * from webhooks');
    expect(JSON.stringify(rows) + server().logs()).not.toContain(String(secret).slice(6));
  });

  it.each([
    ['no url', { url: undefined }, 'url'],
    ['a url that is none', { url: 'example.com/hooks' }, 'url'],
    ['another protocol', { url: 'ftp://example.com' }, 'url'],
    ['credentials in the url', { url: 'https://u:p@example.com' }, 'url'],
    ['a fragment', { url: 'https://example.com/#x' }, 'url'],
    ['a very long url', { url: `https://example.com/${'x'.repeat(2048)}` }, 'url'],
    ['a private address', { url: 'https://10.0.0.1/' }, 'url'],
    ['this machine', { url: 'http://localhost:8080/' }, 'url'],
    ['the port of another protocol', { url: 'https://example.com:25/' }, 'url'],
    ['no events', { events: undefined }, 'events'],
    ['an empty list of events', { events: [] }, 'events'],
    ['an unknown event', { events: ['execution.paused'] }, 'events.0'],
    ['the test event', { events: ['webhook.test'] }, 'events.0'],
    ['an odd description', { description: 'a\u0000b' }, 'description'],
  ])('refuses %s', async (_name, more, path) => {
    verifies('webhooks.create', 'webhooks.events');
    expectInvalid(await create(await newKey(), more), path);
  });

  it('takes every event of an execution by name', async () => {
    verifies('webhooks.events');
    const events = ['started', 'step_completed', 'completed', 'failed', 'cancelled'];
    const names = events.map((name) => `execution.${name}`);
    expect((await create(await newKey(), { events: names })).body['events']).toEqual(names);
    const all = await create(await newKey(), { events: ['*', ...names] });
    expect(all.body['events']).toEqual(['*']);
  });

  it('takes plain http only of a service that nobody else can reach', async () => {
    verifies('webhooks.targets');
    expect((await create(await newKey(), { url: 'http://example.com/' })).status).toBe(201);
    const rules = { allowPrivate: false, allowHttp: false };
    expect(checkTarget('http://example.com/', rules).kind).toBe('refused');
    expect(checkTarget('https://example.com/', rules).kind).toBe('ok');
  });

  it('with the same Idempotency-Key happens once, also when both come at once', async () => {
    const key = await newKey();
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = await Promise.all([create(key, {}, headers), create(key, {}, headers)]);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    const replayed = [first, second].map((one) => one.headers.get('idempotency-replayed'));
    expect(new Set(replayed)).toEqual(new Set(['true', null]));
    const other = await create(key, { description: 'other' }, headers);
    expectError(other, 'IDEMPOTENCY_KEY_REUSED');
    const list = await server().call('GET', '/v1/webhooks', { key });
    expect(list.body['items']).toHaveLength(1);
    await server().call('DELETE', `/v1/webhooks/${String(first.body['id'])}`, { key });
    expectError(await create(key, {}, headers), 'CONFLICT');
  });

  it('stops at a hundred', async () => {
    const key = await newKey();
    for (let n = 0; n < 100; n++) await created(key);
    expectError(await create(key), 'CONFLICT');
  });
});

describe('a webhook', () => {
  it('can be changed, paused and switched on again', async () => {
    verifies('webhooks.manage');
    const key = await newKey();
    const { id, secret: _, ...before } = await created(key, { description: 'old' });
    const patch = (body: object) => server().call('PATCH', `/v1/webhooks/${id}`, { key, body });
    expect((await patch({})).body).toEqual({ id, ...before });
    const changed = await patch({
      url: 'https://example.com/other',
      events: ['execution.failed'],
      description: null,
      status: 'paused',
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        id,
        url: 'https://example.com/other',
        events: ['execution.failed'],
        description: null,
        status: 'paused',
      },
    });
    expect((await patch({ status: 'active' })).body['status']).toBe('active');
    expectInvalid(await patch({ status: 'disabled' }), 'status');
    expectInvalid(await patch({ url: 'https://127.0.0.1/' }), 'url');
    expectInvalid(await patch({ events: [] }), 'events');
  });

  it('can be deleted, and is gone', async () => {
    verifies('webhooks.manage');
    const key = await newKey();
    const { id } = await created(key);
    const removed = await server().call('DELETE', `/v1/webhooks/${id}`, { key });
    expect(removed).toMatchObject({ status: 200, body: { deleted: true, id } });
    expectError(await server().call('GET', `/v1/webhooks/${id}`, { key }), 'NOT_FOUND');
    expectError(await server().call('DELETE', `/v1/webhooks/${id}`, { key }), 'NOT_FOUND');
  });

  it('of another account is 403 and an unknown one 404, on every route', async () => {
    verifies('webhooks.manage');
    const { id } = await created(await newKey());
    const stranger = await newKey();
    const routes = (hook: string): [string, string, object?][] => [
      ['GET', `/v1/webhooks/${hook}`],
      ['PATCH', `/v1/webhooks/${hook}`, {}],
      ['DELETE', `/v1/webhooks/${hook}`],
      ['POST', `/v1/webhooks/${hook}/rotate-secret`],
      ['POST', `/v1/webhooks/${hook}/test`],
      ['GET', `/v1/webhooks/${hook}/deliveries`],
      ['POST', `/v1/webhooks/${hook}/deliveries/del_x/redeliver`],
    ];
    for (const [method, path, body] of routes(id)) {
      const options = body === undefined ? { key: stranger } : { key: stranger, body };
      expectError(await server().call(method, path, options), 'FORBIDDEN');
    }
    for (const hook of [UNKNOWN, 'x', '%00']) {
      for (const [method, path, body] of routes(hook)) {
        const options = body === undefined ? { key: stranger } : { key: stranger, body };
        expectError(await server().call(method, path, options), 'NOT_FOUND');
      }
    }
    expect((await server().call('GET', '/v1/webhooks', { key: stranger })).body).toEqual({
      items: [],
    });
  });

  it('needs the scope webhooks', async () => {
    const { key } = await server().createKey({ scopes: ['executions'] });
    expectError(await create(key), 'FORBIDDEN');
    const { key: right } = await server().createKey({ scopes: ['webhooks'] });
    expect((await create(right)).status).toBe(201);
  });
});
