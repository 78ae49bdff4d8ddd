// Why nothing happens: what an open job waits for is in its full view and in its events.
import { expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import type { JobEvent } from '../../src/client/index.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

interface Waiting {
  reason: string;
  until: string | null;
  detail: string | null;
}

async function waitingOf(key: string, jobId: string): Promise<Waiting | undefined> {
  const { body } = await server().call('GET', `/api/v1/job/${jobId}?view=full`, { key });
  return body['waiting'] as Waiting | undefined;
}

it('a rate limit and a key that is paused are said, with the time', async () => {
  const { key } = await server().createKey();
  const limited = '[[sim:rate_limit retry-after=120]] x';
  const first = await server().submit(key, { prompt: limited, timeoutMs: 3_600_000 });
  const waiting = await waitUntil(() => waitingOf(key, first));
  expect(waiting).toMatchObject({ reason: 'rate_limited', detail: expect.any(String) });
  expect(Date.parse(waiting.until!)).toBeGreaterThan(Date.now() + 20_000);
  // All jobs of the key wait with it.
  const second = await server().submit(key, { prompt: 'x', timeoutMs: 3_600_000 });
  const other = await waitUntil(() => waitingOf(key, second));
  expect(other).toMatchObject({ reason: 'key_paused', until: expect.any(String) });
  // The plain view stays what it was.
  const { body } = await server().call('GET', `/api/v1/job/${second}`, { key });
  expect(Object.keys(body)).toEqual(['status']);
  for (const id of [first, second]) {
    await server().call('POST', `/api/v1/job/${id}/cancel`, { key });
    expect(await waitingOf(key, id)).toBeUndefined();
  }
});

it('events say when a retry waits', async () => {
  const { key } = await server().createKey();
  const client = new MillraceClient(server().url, key);
  const prompt = '[[sim:fail 1 overloaded retry-after=2]] x';
  const jobId = await server().submit(key, { prompt });
  const seen: JobEvent[] = [];
  for await (const event of client.jobEvents(jobId)) seen.push(event);
  const statuses = seen.filter((event) => event.type === 'status');
  expect(statuses.map(({ waiting }) => waiting?.reason)).toContain('retry');
  expect(seen.at(-1)).toMatchObject({ type: 'done', job: { status: 'completed' } });
  expect(await waitingOf(key, jobId)).toBeUndefined();
});

it('a job above the concurrency of its plan says so', async () => {
  const { key } = await server().createKey({ tier: 'trial' });
  const slow = { prompt: '[[sim:hang]] x', model: 'sim-instant' };
  const ids = [
    await server().submit(key, slow),
    await server().submit(key, slow),
    await server().submit(key, slow),
  ];
  const found = await waitUntil(() => waitingOf(key, ids[2]!));
  expect(found).toEqual({ reason: 'concurrency', until: null, detail: null });
  for (const id of ids.toReversed()) {
    await server().call('POST', `/api/v1/job/${id}/cancel`, { key });
  }
});
