import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { QUICK, useHookServer } from './hook-server.ts';
import { startReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import { SELF_SIGNED } from './self-signed.ts';

// One try and then none for an hour: what is looked at is what a try does.
// Long enough for a receiver that answers on a machine that stands still now and then.
const SECONDS = 12;
const timeoutMs = SECONDS * 1000;
const once = { ...QUICK, timeoutMs, connectTimeoutMs: timeoutMs, retryDelaysMs: [3_600_000] };
const hooks = useHookServer({ webhookTimes: once });
let canary: Receiver;
beforeAll(async () => {
  canary = await startReceiver();
});
afterAll(() => canary.close());

/** The one try of each new webhook, while another one is served as ever. */
async function triedAll(targets: readonly string[]) {
  const { create, emit, delivery } = hooks();
  const tried = [];
  for (const target of targets) tried.push(await create(target));
  const healthy = await create(`/healthy${tried[0]!.id}`);
  await emit();
  const other = await delivery(healthy.id, ({ attempts }) => attempts.length > 0);
  expect(other.status).toBe('delivered');
  return Promise.all(
    tried.map(async (hook) => {
      const { attempts, status } = await delivery(hook.id, (one) => one.attempts.length > 0);
      return { ...attempts[0]!, state: status };
    }),
  );
}

const tried = async (target: string) => (await triedAll([target]))[0]!;

it('does not follow a redirect, which is a failure', async () => {
  verifies('webhooks.success', 'webhooks.targets');
  for (const code of [301, 302, 303, 307, 308]) {
    hooks().receiver.answer(`/to${code}`, (response) => {
      response.writeHead(code, { location: `${canary.url}/` }).end();
    });
    const { status, state, error } = await tried(`/to${code}`);
    expect({ status, state }).toEqual({ status: code, state: 'pending' });
    expect(error).toBe(`The receiver returned ${code}`);
  }
  expect(canary.received).toEqual([]);
});

it('waits at least as long as Retry-After of a 429 or 503 says', async () => {
  verifies('webhooks.retry-after');
  const { receiver, create, emit, delivery, server } = hooks();
  const planned = async (path: string, code: number, header: string) => {
    receiver.answer(path, (response) => {
      response.writeHead(code, { 'retry-after': header }).end();
    });
    const hook = await create(path);
    await emit();
    await delivery(hook.id, ({ attempts }) => attempts.length > 0);
    const { rows } = await server.db.query<{ seconds: number }>(
      `select extract(epoch from d.due_at - a.at)::float8 as seconds
       from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id
       where d.webhook_id = $1`,
      [hook.id],
    );
    return rows[0]!.seconds;
  };
  // Longer than the hour that is planned here; shorter ones are for the pure rules.
  expect(await planned('/busy', 429, '7200')).toBeGreaterThanOrEqual(7199);
  expect(await planned('/down', 503, '7200')).toBeGreaterThanOrEqual(7199);
  expect(await planned('/long', 429, '999999')).toBeLessThan(24 * 3600 + 60);
  expect(await planned('/other', 500, '7200')).toBeLessThan(4000);
});

it('reads an endless answer no further than it must, and takes its status', async () => {
  let closed = false;
  hooks().receiver.answer('/endless', (response) => {
    response.on('close', () => (closed = true));
    const more = () => {
      while (!closed && response.write('x'.repeat(16_384)));
      if (!closed) response.once('drain', more);
    };
    more();
  });
  const { status, state, responseBody } = await tried('/endless');
  expect({ status, state }).toEqual({ status: 200, state: 'delivered' });
  expect(responseBody).toBe('x'.repeat(2048));
  await waitUntil(() => closed, 'the connection to be closed');
});

it('does not unpack an answer', async () => {
  const bomb = gzipSync(Buffer.alloc(30 * 1024 * 1024));
  hooks().receiver.answer('/bomb', (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  const { state, responseBody } = await tried('/bomb');
  expect({ state, responseBody }).toEqual({ state: 'delivered', responseBody: '' });
});

it('keeps of an answer only text that can be stored', async () => {
  hooks().receiver.answer('/odd', (response) => {
    const bytes = Buffer.concat([Buffer.from('a\0'), Buffer.from([0xff]), Buffer.alloc(4000, '€')]);
    response.end(bytes);
  });
  const { responseBody } = await tried('/odd');
  expect(responseBody).toMatch(/^a\ufffd\ufffd€{681}$/);
});

it('gives up on a receiver that stalls before or in its answer', async () => {
  verifies('webhooks.timeout');
  hooks().receiver.answer('/silent', () => undefined);
  hooks().receiver.answer('/half', (response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('x');
  });
  hooks().receiver.answer('/drip', async (response) => {
    for (let n = 0; n < 1000 && !response.destroyed; n++) {
      response.write('x');
      await delay(20);
    }
  });
  for (const { status, state, error } of await triedAll(['/silent', '/half', '/drip'])) {
    expect({ status, state }).toEqual({ status: null, state: 'pending' });
    expect(error).toBe(`There was no complete answer within ${SECONDS} seconds`);
  }
});

it('says in plain words when there is nobody, no HTTP or no valid certificate', async () => {
  const closed = createTcpServer();
  const garbage = createTcpServer((socket) => void socket.resume().end('hello\r\n\r\n'));
  const hangsUp = createTcpServer((socket) => socket.once('data', () => socket.destroy()));
  const tls = createTlsServer(SELF_SIGNED, (_request, response) => response.end());
  const port = async (server: typeof closed) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const ports = [await port(closed), await port(garbage), await port(hangsUp), await port(tls)];
  await new Promise((resolve) => closed.close(resolve));
  try {
    const errors: (string | null)[] = [];
    for (const [index, each] of ports.entries()) {
      const target = `http${index === 3 ? 's' : ''}://127.0.0.1:${each}/`;
      const { error, status } = await tried(target);
      expect(status).toBeNull();
      errors.push(error);
    }
    expect(errors).toEqual([
      'The connection was refused',
      'The answer is not valid HTTP',
      'The connection was closed before the answer was complete',
      'The certificate of the host is not valid (DEPTH_ZERO_SELF_SIGNED_CERT)',
    ]);
    expect(errors.join()).not.toContain('127.0.0.1');
  } finally {
    for (const server of [garbage, hangsUp, tls]) {
      await new Promise((resolve) => server.close(resolve));
    }
  }
});

it('serves others at full speed while receivers hang, however much waits for those', async () => {
  const { create, emit, receiver, deliveries, server } = hooks();
  const dead = ['/dead1', '/dead2', '/dead3'];
  for (const path of dead) {
    receiver.answer(path, () => undefined);
    await create(path, { events: ['execution.started'] });
  }
  for (let n = 0; n < 50; n++) await emit({ event: 'execution.started' });
  await receiver.until('/dead1', 1);
  const hook = await create('/alive', { events: ['execution.cancelled'] });
  for (let n = 0; n < 20; n++) await emit({ event: 'execution.cancelled' });
  await receiver.until('/alive', 20);
  const { rows } = await server.db.query<{ waiting: number }>(
    `select count(*)::int as waiting from webhook_deliveries d join webhooks w on w.id = webhook_id
     where w.url like '%/dead%' and tries = 0`,
  );
  // Nobody waited for the dead: of theirs, which came first, some have not been tried even once.
  expect(rows[0]!.waiting).toBeGreaterThan(0);
  expect(await deliveries(hook.id)).toHaveLength(20);
});
