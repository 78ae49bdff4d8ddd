// How a node leaves: not ready first, then no new connections, then the end of what is running.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSocket, parseAnswer, readAll } from '../support/raw-http.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

const DELAY_SECONDS = 1;

let api: TestServer;
let worker: TestServer;
const closing = new Map<TestServer, Promise<void>>();

function close(server: TestServer): Promise<void> {
  const known = closing.get(server) ?? server.close();
  closing.set(server, known);
  return known;
}

beforeAll(async () => {
  api = await startTestServer({ role: 'api', shutdownDelaySeconds: DELAY_SECONDS });
  // Long enough that only the end of the job can be what it waited for.
  const patient = { role: 'worker', healthPort: 0, drainSeconds: 3600 } as const;
  worker = await startTestServer(patient, api.databaseUrl);
});
afterAll(async () => {
  if (worker) await close(worker);
  if (api) await close(api);
});

async function statusOf(key: string, jobId: string): Promise<unknown> {
  return (await api.call('GET', `/api/v1/job/${jobId}`, { key })).body['status'];
}

it('a worker takes no new jobs, and tells of its health until those it has are done', async () => {
  verifies('config.health-port', 'http.metrics.queue');
  const { key } = await api.createKey();
  const running = await api.submit(key, { prompt: '[[sim:hang]]' });
  await waitUntil(async () => (await statusOf(key, running)) === 'running');
  const ended = close(worker);
  await waitUntil(() => worker.logs().includes('no new jobs are taken'));
  const waiting = await api.submit(key);

  const get = async (path: string) => fetch(`${worker.healthUrl}${path}`);
  expect((await get('/healthz')).status).toBe(200);
  const ready = await get('/readyz');
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({
    error: { code: 'SERVICE_UNAVAILABLE', message: 'Not ready: stopping.' },
  });
  const queue = await get('/metrics/queue');
  expect(queue.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await queue.json()).toEqual({
    pending: 1,
    claimable: 1,
    running: 1,
    demand: 2,
    oldestPendingSeconds: expect.any(Number),
    workers: 1,
    slots: 256,
  });

  await api.call('POST', `/api/v1/job/${running}/cancel`, { key });
  await ended;
  expect(await statusOf(key, waiting)).toBe('pending');
  await expect(get('/healthz')).rejects.toThrow();
  const [{ workers, claimable }] = [await queueOf(api)];
  expect({ workers, claimable }).toEqual({ workers: 0, claimable: 1 });
});

async function queueOf({ url }: TestServer): Promise<Record<string, unknown>> {
  return (await (await fetch(`${url}/metrics/queue`)).json()) as Record<string, unknown>;
}

async function refuses(server: TestServer): Promise<boolean> {
  return openSocket(server.url).then(
    (socket) => !socket.destroy(),
    () => true,
  );
}

it('an API is not ready first, goes on answering, and cuts nobody off at the end', async () => {
  verifies('config.shutdown-delay');
  const { key } = await api.createKey();
  const before = await api.call('GET', '/readyz');
  expect([before.status, before.headers.get('connection')]).toEqual([200, 'keep-alive']);
  api.beginStop();
  expect((await api.call('GET', '/readyz')).status).toBe(503);
  expect((await api.call('GET', '/healthz')).status).toBe(200);
  const body = { streamId: 'late', prompt: 'x', model: 'sim-instant', maxTokens: 5 };
  const late = await api.call('POST', '/api/v1/execute', { key, body });
  // The next request of this client opens a connection, which a balancer leads elsewhere.
  expect([late.status, late.headers.get('connection')]).toEqual([202, 'close']);

  // Whoever has begun to send a request could not know.
  const socket = await openSocket(api.url);
  const received = readAll(socket);
  socket.write(`GET /api/v1/history HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n`);
  const began = performance.now();
  const ended = close(api);
  await waitUntil(() => refuses(api), 'the listener to be closed');
  // A timer may be early by a rounding.
  expect(performance.now() - began).toBeGreaterThan(DELAY_SECONDS * 1000 - 5);
  socket.write('\r\n');
  const answer = parseAnswer(await received);
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  await ended;
});
