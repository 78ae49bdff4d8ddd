import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../src/client/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { QUICK, useHookServer } from './hook-server.ts';
import { verifyIndependently } from './receiver.ts';

const hooks = useHookServer({ webhookTimes: QUICK });

describe('an event', () => {
  it('arrives signed, as {event, timestamp, data}, and is in the log of deliveries', async () => {
    verifies('webhooks.payload', 'webhooks.signature', 'webhooks.deliveries', 'webhooks.success');
    const { create, emit, receiver, delivery } = hooks();
    const hook = await create('/signed');
    const data = { status: 'completed', result: { success: true, artifacts: [], summary: 'ä💥' } };
    const executionId = await emit({ data, sequence: 3 });
    const [message] = await receiver.until('/signed', 1);
    expect(message!.body).toEqual({
      event: 'execution.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      data: { executionId, ...data, sequence: 3 },
    });
    expect(message!.headers['content-type']).toBe('application/json');
    expect(message!.headers['accept-encoding']).toBe('identity');
    expect(message!.headers['webhook-id']).toMatch(/^evt_/);
    expect(verifyIndependently(hook.secret, message!)).toEqual(message!.body);
    const { text: body, headers } = message!;
    expect(await verifyWebhook({ body, headers, secret: hook.secret })).toEqual(message!.body);
    expect(() => verifyIndependently(`whsec_${'A'.repeat(43)}=`, message!)).toThrow();
    const logged = await delivery(hook.id, (one) => one.status === 'delivered');
    expect(logged).toEqual({
      id: expect.stringMatching(/^del_/),
      event: 'execution.completed',
      eventId: headers['webhook-id'],
      executionId,
      status: 'delivered',
      createdAt: expect.any(String),
      nextAttemptAt: null,
      attempts: [
        {
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          status: 200,
          durationMs: expect.any(Number),
          responseBody: 'ok',
          error: null,
        },
      ],
    });
  });

  it('goes only to webhooks that ask for it and are active', async () => {
    verifies('webhooks.events');
    const { create, emit, receiver, server, key, deliveries } = hooks();
    const narrow = await create('/narrow', { events: ['execution.failed'] });
    const paused = await create('/paused');
    const path = `/v1/webhooks/${paused.id}`;
    await server.call('PATCH', path, { key, body: { status: 'paused' } });
    const stranger = await server.createKey();
    await server.call('POST', '/v1/webhooks', {
      key: stranger.key,
      body: { url: `${receiver.url}/stranger`, events: ['*'] },
    });
    await emit({ event: 'execution.started' });
    await emit({ event: 'execution.failed' });
    const [message] = await receiver.until('/narrow', 1);
    expect(message!.body.event).toBe('execution.failed');
    expect(await deliveries(narrow.id)).toHaveLength(1);
    expect(await deliveries(paused.id)).toHaveLength(0);
    expect(receiver.on('/stranger')).toHaveLength(0);
  });

  it('is written once for each sequence of an execution, and not without its transaction', async () => {
    verifies('webhooks.sequence');
    const { create, emit, deliveries, server } = hooks();
    const hook = await create('/once');
    const executionId = newId('exec');
    await emit({ executionId, sequence: 1, event: 'execution.started' });
    await emit({ executionId, sequence: 1, event: 'execution.started' });
    await emit({ executionId, sequence: 2 });
    expect(await deliveries(hook.id)).toHaveLength(2);
    const { emitEvent } = await import('../../src/store/webhooks/webhook-outbox.ts');
    const { userId, teamId } = hooks();
    const failing = server.db.tx(async (tx) => {
      const event = {
        userId,
        teamId,
        executionId,
        event: 'execution.failed' as const,
        sequence: 3,
      };
      await emitEvent(tx, { ...event, timestamp: new Date(), data: {} });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await deliveries(hook.id)).toHaveLength(2);
  });

  it('that is large arrives without the contents of files', async () => {
    const { create, emit, receiver } = hooks();
    const hook = await create('/large');
    const operations = [{ type: 'create', path: 'a.ts', content: 'x'.repeat(50_000) }];
    const result = { success: true, artifacts: [{ streamId: 'api', operations }], summary: 's' };
    const executionId = await emit({ data: { status: 'completed', result } });
    const [message] = await receiver.until('/large', 1);
    expect(message!.body.data).toMatchObject({
      truncated: true,
      statusUrl: `/v1/executions/${executionId}`,
      result: { artifacts: [{ operations: [{ type: 'create', path: 'a.ts' }] }], summary: 's' },
    });
    expect(message!.text.length).toBeLessThan(20 * 1024);
    verifyIndependently(hook.secret, message!);
  });
});

describe('a receiver', () => {
  it('that fails three times gets the same message until it takes it, signed anew', async () => {
    verifies('webhooks.retries', 'webhooks.at-least-once');
    const { create, emit, receiver, delivery } = hooks();
    const hook = await create('/later');
    receiver.answer('/later', (response, nth) => {
      response.statusCode = nth <= 3 ? 500 : 204;
      response.end();
    });
    await emit();
    const messages = await receiver.until('/later', 4);
    expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(messages.map(({ text }) => text)).size).toBe(1);
    for (const message of messages) verifyIndependently(hook.secret, message);
    const { attempts } = await delivery(hook.id, (one) => one.status === 'delivered');
    expect(attempts.map(({ status }) => status)).toEqual([500, 500, 500, 204]);
    expect(attempts[0]!.error).toBe('The receiver returned 500');
    expect(attempts[3]!.error).toBeNull();
  });

  it('that never takes it is tried ten times', async () => {
    verifies('webhooks.retries');
    const { create, emit, receiver, delivery, status } = hooks();
    const hook = await create('/never');
    receiver.answer('/never', (response) => void response.writeHead(400).end('no'));
    await emit();
    const failed = await delivery(hook.id, (one) => one.status === 'failed');
    expect(failed.attempts).toHaveLength(10);
    expect(failed.nextAttemptAt).toBeNull();
    expect(receiver.on('/never')).toHaveLength(10);
    expect(await status(hook.id)).toBe('active');
  });

  it('that answers 410 switches its webhook off until it is switched on again', async () => {
    verifies('webhooks.gone');
    const { create, emit, receiver, delivery, status, server, key } = hooks();
    const hook = await create('/gone');
    receiver.answer('/gone', (response, nth) => void response.writeHead(nth > 1 ? 200 : 410).end());
    await emit();
    await delivery(hook.id, (one) => one.status === 'failed');
    await waitUntil(async () => (await status(hook.id)) === 'disabled', 'the webhook to be off');
    await emit();
    const test = `/v1/webhooks/${hook.id}/test`;
    expect(expectError(await server.call('POST', test, { key }), 'CONFLICT').message).toContain(
      'disabled',
    );
    expect(receiver.on('/gone')).toHaveLength(1);
    const options = { key, body: { status: 'active' } };
    const on = await server.call('PATCH', `/v1/webhooks/${hook.id}`, options);
    expect(on.body).toMatchObject({ status: 'active', disabledReason: null });
    expect((await server.call('POST', test, { key })).status).toBe(202);
    await receiver.until('/gone', 2);
  });

  it('that has only failed for 120 hours is switched off, and says why', async () => {
    const { create, emit, receiver, status, server, key } = hooks();
    const hook = await create('/dead');
    receiver.answer('/dead', (response) => void response.writeHead(500).end());
    await server.db.query(
      `update webhooks set failing_since = now() - interval '119 hours' where id = $1`,
      [hook.id],
    );
    await emit();
    await receiver.until('/dead', 2);
    expect(await status(hook.id)).toBe('active');
    await server.db.query(
      `update webhooks set failing_since = now() - interval '121 hours' where id = $1`,
      [hook.id],
    );
    await emit();
    await waitUntil(async () => (await status(hook.id)) === 'disabled', 'the webhook to be off');
    const { body } = await server.call('GET', `/v1/webhooks/${hook.id}`, { key });
    expect(body['disabledReason']).toContain('120 hours');
  });

  it('that works again is not counted as failing any longer', async () => {
    const { create, emit, receiver, server } = hooks();
    const hook = await create('/recovers');
    receiver.answer('/recovers', (response, nth) => {
      response.writeHead(nth === 1 ? 500 : 200).end();
    });
    await emit();
    await waitUntil(async () => {
      const { rows } = await server.db.query<{ failing_since: Date | null; ended: boolean }>(
        `select failing_since, exists (select 1 from webhook_deliveries d
           where d.webhook_id = w.id and d.status = 'delivered') as ended
         from webhooks w where id = $1`,
        [hook.id],
      );
      return rows[0]?.ended === true && rows[0].failing_since === null;
    }, 'the failure to be forgotten');
    expect(receiver.on('/recovers')).toHaveLength(2);
  });
});

describe('the owner of a webhook', () => {
  it('can send a test event, whatever events the webhook asks for', async () => {
    verifies('webhooks.test');
    const { create, receiver, server, key, delivery } = hooks();
    const hook = await create('/tested', { events: ['execution.failed'] });
    const answer = await server.call('POST', `/v1/webhooks/${hook.id}/test`, { key });
    expect(answer).toMatchObject({
      status: 202,
      body: { deliveryId: expect.stringMatching(/^del_/), eventId: expect.stringMatching(/^evt_/) },
    });
    const [message] = await receiver.until('/tested', 1);
    expect(message!.body).toMatchObject({ event: 'webhook.test', data: { webhookId: hook.id } });
    expect(message!.headers['webhook-id']).toBe(answer.body['eventId']);
    verifyIndependently(hook.secret, message!);
    await delivery(hook.id, (one) => one.status === 'delivered');
  });

  it('gets a new secret, and for 24 hours both sign', async () => {
    verifies('webhooks.rotate-secret');
    const { create, emit, receiver, server, key } = hooks();
    const hook = await create('/rotated');
    const rotate = () => server.call('POST', `/v1/webhooks/${hook.id}/rotate-secret`, { key });
    const { status, body } = await rotate();
    expect(status).toBe(200);
    const { secret, oldSecretUntil } = body as { secret: string; oldSecretUntil: string };
    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(hook.secret);
    const hours = (Date.parse(oldSecretUntil) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(25);
    await emit();
    const [both] = await receiver.until('/rotated', 1);
    expect(String(both!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    verifyIndependently(hook.secret, both!);
    verifyIndependently(secret, both!);
    await server.db.query(
      `update webhook_old_secrets set until = now() - interval '1 second' where webhook_id = $1`,
      [hook.id],
    );
    await emit();
    const [, one] = await receiver.until('/rotated', 2);
    verifyIndependently(secret, one!);
    expect(() => verifyIndependently(hook.secret, one!)).toThrow();
  });

  it('reads the deliveries page by page, newest first', async () => {
    verifies('webhooks.deliveries');
    const { create, emit, server, key } = hooks();
    const hook = await create('/paged');
    const executionId = newId('exec');
    for (let sequence = 1; sequence <= 5; sequence++) await emit({ executionId, sequence });
    const read = async (query: string) =>
      server.call('GET', `/v1/webhooks/${hook.id}/deliveries${query}`, { key });
    const ids: string[] = [];
    let cursor = '';
    for (let page = 0; page < 3; page++) {
      const { body } = await read(`?limit=2${cursor}`);
      expect(body).toMatchObject({ limit: 2, hasMore: page < 2 });
      ids.push(...(body['items'] as { id: string }[]).map(({ id }) => id));
      if (page === 2) expect(body['nextCursor']).toBeNull();
      cursor = `&before=${String(body['nextCursor'])}`;
    }
    expect(new Set(ids).size).toBe(5);
    expect(ids).toEqual([...ids].sort().toReversed());
    expect((await read('')).body['limit']).toBe(50);
    expectInvalid(await read('?limit=0'), 'limit');
    expectInvalid(await read('?limit=101'), 'limit');
    expectInvalid(await read('?before=x'), 'before');
  });

  it('can have a delivery made again, with the same id', async () => {
    verifies('webhooks.deliveries');
    const { create, emit, receiver, delivery, server, key } = hooks();
    const hook = await create('/again');
    await emit();
    const first = await delivery(hook.id, (one) => one.status === 'delivered');
    const path = `/v1/webhooks/${hook.id}/deliveries/${first.id}/redeliver`;
    const answer = await server.call('POST', path, { key });
    expect(answer).toMatchObject({ status: 202, body: { deliveryId: first.id } });
    const [one, two] = await receiver.until('/again', 2);
    expect(two!.headers['webhook-id']).toBe(one!.headers['webhook-id']);
    const { attempts } = await delivery(hook.id, ({ attempts: all }) => all.length === 2);
    expect(attempts.map(({ status }) => status)).toEqual([200, 200]);
    const other = await create('/other');
    const foreign = `/v1/webhooks/${other.id}/deliveries/${first.id}/redeliver`;
    expectError(await server.call('POST', foreign, { key }), 'NOT_FOUND');
  });

  it('who pauses a webhook finds what waited sent when it is active again', async () => {
    const { create, emit, receiver, server, key, delivery } = hooks();
    const hook = await create('/waits');
    receiver.answer('/waits', async (response, nth) => {
      if (nth > 1) return void response.end();
      const body = { status: 'paused' };
      await server.call('PATCH', `/v1/webhooks/${hook.id}`, { key, body });
      response.writeHead(500).end();
    });
    await emit();
    await delivery(hook.id, ({ attempts }) => attempts.length === 1);
    const body = { status: 'active' };
    await server.call('PATCH', `/v1/webhooks/${hook.id}`, { key, body });
    await delivery(hook.id, ({ status }) => status === 'delivered');
  });
});

it('sends the events of one execution to the address that was given for it alone', async () => {
  const { insertWebhook } = await import('../../src/store/webhooks/webhooks.ts');
  const { newExecutionWebhook } = await import('../../src/services/webhooks/webhook-secrets.ts');
  const { keyringFromText } = await import('../../src/platform/keyring.ts');
  const { TEST_MASTER_KEY } = await import('../support/server.ts');
  const { server, receiver, emit, userId, teamId, key } = hooks();
  const executionId = newId('exec');
  const url = `${receiver.url}/own`;
  const made = newExecutionWebhook(keyringFromText(TEST_MASTER_KEY), {
    userId,
    teamId,
    apiKeyId: null,
    executionId,
    url,
  });
  await insertWebhook(server.db, made.webhook);
  await emit({ sequence: 1 });
  await emit({ executionId, sequence: 1 });
  const [message] = await receiver.until('/own', 1);
  expect(message!.body.data['executionId']).toBe(executionId);
  verifyIndependently(made.secret, message!);
  const path = `/v1/webhooks/${made.webhook.id}`;
  expectError(await server.call('GET', path, { key }), 'NOT_FOUND');
  const { body } = await server.call('GET', '/v1/webhooks', { key });
  expect(JSON.stringify(body)).not.toContain(made.webhook.id);
});
