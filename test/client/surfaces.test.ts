import { afterEach, expect, it } from 'vitest';
import { CloudExecutor, MillraceClient, MillraceError } from '../../src/client/index.ts';
import { verifies } from '../support/verifies.ts';
import { createFakeWorld } from './fake-world.ts';
import { startScriptedServer } from './scripted-server.ts';
import type { Answer, ScriptedServer, Seen } from './scripted-server.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function clientOf(answer: (request: Seen, count: number) => Answer): Promise<MillraceClient> {
  server = await startScriptedServer(answer);
  return new MillraceClient(server.url, 'mill_sk_test', { world: createFakeWorld() });
}

const ok = (): Answer => ({ status: 200, body: { items: [] } });

type Call = (client: MillraceClient) => Promise<unknown>;
const work = { project: 'shop', task: 'x' };

const CALLS: [string, string, Call][] = [
  ['POST', '/v1/executions', (c) => c.executions.create({ task: 'x' })],
  ['GET', '/v1/executions/exec_1', (c) => c.executions.get('exec_1')],
  [
    'GET',
    '/v1/executions?limit=5&status=failed&before=exec_9',
    (c) => c.executions.list({ limit: 5, status: 'failed', before: 'exec_9' }),
  ],
  ['POST', '/v1/executions/exec_1/cancel', (c) => c.executions.cancel('exec_1')],
  ['POST', '/v1/schedules', (c) => c.schedules.create({ name: 'x', everySeconds: 60, work })],
  ['GET', '/v1/schedules', (c) => c.schedules.list()],
  ['GET', '/v1/schedules/sch_1', (c) => c.schedules.get('sch_1')],
  ['PATCH', '/v1/schedules/sch_1', (c) => c.schedules.update('sch_1', { status: 'paused' })],
  ['DELETE', '/v1/schedules/sch_1', (c) => c.schedules.remove('sch_1')],
  ['POST', '/v1/schedules/sch_1/run-now', (c) => c.schedules.runNow('sch_1')],
  ['GET', '/v1/schedules/sch_1/firings?limit=2', (c) => c.schedules.firings('sch_1', { limit: 2 })],
  ['POST', '/v1/triggers', (c) => c.triggers.create({ name: 'x', kind: 'url', work })],
  ['GET', '/v1/triggers', (c) => c.triggers.list()],
  ['GET', '/v1/triggers/trg_1', (c) => c.triggers.get('trg_1')],
  ['PATCH', '/v1/triggers/trg_1', (c) => c.triggers.update('trg_1', { status: 'paused' })],
  ['DELETE', '/v1/triggers/trg_1', (c) => c.triggers.remove('trg_1')],
  ['POST', '/v1/triggers/trg_1/rotate', (c) => c.triggers.rotate('trg_1')],
  ['POST', '/v1/triggers/trg_1/test', (c) => c.triggers.test('trg_1')],
  ['GET', '/v1/triggers/trg_1/deliveries', (c) => c.triggers.deliveries('trg_1')],
  ['POST', '/v1/triggers/trg_1/deliveries/d/replay', (c) => c.triggers.replay('trg_1', 'd')],
  ['POST', '/v1/webhooks', (c) => c.webhooks.create({ url: 'https://example.com', events: ['*'] })],
  ['GET', '/v1/webhooks', (c) => c.webhooks.list()],
  ['GET', '/v1/webhooks/a%2Fb', (c) => c.webhooks.get('a/b')],
  ['PATCH', '/v1/webhooks/wh_1', (c) => c.webhooks.update('wh_1', { status: 'paused' })],
  ['DELETE', '/v1/webhooks/wh_1', (c) => c.webhooks.remove('wh_1')],
  ['POST', '/v1/webhooks/wh_1/rotate-secret', (c) => c.webhooks.rotateSecret('wh_1')],
  ['POST', '/v1/webhooks/wh_1/test', (c) => c.webhooks.test('wh_1')],
  [
    'GET',
    '/v1/webhooks/wh_1/deliveries?limit=2',
    (c) => c.webhooks.deliveries('wh_1', { limit: 2 }),
  ],
  [
    'POST',
    '/v1/webhooks/wh_1/deliveries/del_1/redeliver',
    (c) => c.webhooks.redeliver('wh_1', 'del_1'),
  ],
  [
    'GET',
    '/api/v1/job/job_1?view=full&wait=5',
    (c) => c.getJobDetails('job_1', { waitSeconds: 5 }),
  ],
];

it.each(CALLS)('%s %s has a method of its own', async (method, path, call) => {
  verifies('library.client');
  const client = await clientOf(ok);
  await call(client);
  expect(server!.seen).toHaveLength(1);
  expect(server!.seen[0]).toMatchObject({ method, path });
  expect(server!.seen[0]!.headers['x-api-key']).toBe('mill_sk_test');
});

it('creating is tried again under the same key, and under a key of the caller', async () => {
  const client = await clientOf((_, count) => (count === 1 ? { status: 503 } : ok()));
  await client.executions.create({ task: 'x' });
  await client.executions.create({ task: 'y' }, { idempotencyKey: 'mine' });
  const keys = server!.seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual(['key-1', 'key-1', 'mine']);
});

it('executions come page after page until there are no more', async () => {
  const client = await clientOf(({ path }) => ({
    status: 200,
    body: path.includes('before=b')
      ? { items: [{ id: 'c' }], nextCursor: null }
      : { items: [{ id: 'a' }, { id: 'b' }], nextCursor: 'b' },
  }));
  const ids: string[] = [];
  for await (const { id } of client.executions.all({ status: 'completed' })) ids.push(id);
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(server!.seen.map(({ path }) => path)).toEqual([
    '/v1/executions?status=completed&limit=100',
    '/v1/executions?status=completed&limit=100&before=b',
  ]);
});

it('events of an execution go on after a lost connection where they broke off', async () => {
  const event = (id: number, name: string) => `id: ${id}\nevent: ${name}\ndata: {"n":${id}}\n\n`;
  const headers = { 'content-type': 'text/event-stream' };
  const client = await clientOf((_, count) => ({
    status: 200,
    headers,
    body: count === 1 ? event(1, 'step') + event(2, 'step') : event(3, 'done'),
  }));
  const seen: unknown[] = [];
  for await (const { type, data } of client.executions.events('exec_1'))
    seen.push([type, data['n']]);
  expect(seen).toEqual([
    ['step', 1],
    ['step', 2],
    ['done', 3],
  ]);
  expect(server!.seen.map(({ headers: sent }) => sent['last-event-id'])).toEqual([undefined, '2']);
});

it('an error has the code, the status and the id of the request', async () => {
  const client = await clientOf(() => ({
    status: 403,
    headers: { 'x-request-id': 'req_1' },
    body: { error: { code: 'FORBIDDEN', message: 'Not yours.' } },
  }));
  const error = await client.executions.get('exec_1').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(MillraceError);
  expect(error).toMatchObject({
    status: 403,
    code: 'FORBIDDEN',
    message: 'Not yours.',
    requestId: 'req_1',
    retryable: false,
  });
});

it('no request follows a redirect: the key goes to the service that was named and nowhere else', async () => {
  const elsewhere = await startScriptedServer(ok);
  try {
    const client = await clientOf(({ path }) => ({
      status: 307,
      headers: { location: elsewhere.url + path },
    }));
    const calls: Promise<unknown>[] = [
      ...CALLS.map(([, , call]) => call(client)),
      client.jobEvents('job_1').next(),
      client.executions.events('exec_1').next(),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { status: 307 } });
    }
    const request = { prompt: 'x', model: 'm', maxTokens: 1, streamId: 's' };
    const executor = new CloudExecutor(server!.url, 'mill_sk_test');
    expect(await executor.execute(request)).toMatchObject({ success: false });
    expect(elsewhere.seen).toEqual([]);
  } finally {
    await elsewhere.close();
  }
});
