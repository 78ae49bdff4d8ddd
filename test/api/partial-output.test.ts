// Text of an answer that was not completed was paid for, and stays with the job.
import { expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { openEvents } from '../support/sse.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const nodes = useNodes(2);

async function replayed(node: number, key: string, jobId: string) {
  const reader = await openEvents(`${nodes()[node]!.url}/api/v1/job/${jobId}/events`, {
    'x-api-key': key,
  });
  const events = await reader.rest();
  const text = events.filter(({ event }) => event === 'text').map(({ data }) => data['text']);
  return { text: text.join(''), last: events.at(-1) };
}

it('a late reader of a failed job gets what had come', async () => {
  verifies('job.partial-output', 'job.events.replay');
  const [first] = nodes();
  const { key } = await first!.createKey();
  const jobId = await first!.submit(key, { prompt: '[[sim:cut 9 bad_request]] tell me more' });
  const job = await first!.finished(key, jobId);
  expect(job).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_BAD_REQUEST' });
  const partial = job['partialOutput'] as string;
  expect(partial.length).toBeGreaterThan(20);
  expect(job).not.toHaveProperty('output');
  const plain = await first!.call('GET', `/api/v1/job/${jobId}`, { key });
  expect(Object.keys(plain.body).sort()).toEqual(['error', 'status', 'tokensUsed']);
  for (const node of [0, 1]) {
    const { text, last } = await replayed(node, key, jobId);
    expect(text).toBe(partial);
    expect(last).toMatchObject({ event: 'done', data: { status: 'failed' } });
  }
});

it('a late reader of a cancelled job gets at least what an early one saw', async () => {
  verifies('job.partial-output');
  const [first] = nodes();
  const { key } = await first!.createKey();
  const jobId = await first!.submit(key, {
    prompt: '[[sim:tokens 5000]] [[sim:pace 200]]',
    model: 'sim-standard',
    maxTokens: 5000,
  });
  const live = await openEvents(`${first!.url}/api/v1/job/${jobId}/events`, { 'x-api-key': key });
  let seen = '';
  await live.until(({ event, data }) => {
    if (event === 'text') seen += data['text'] as string;
    return seen.length > 60;
  });
  await first!.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
  for (const { event, data } of await live.rest()) {
    if (event === 'text') seen += data['text'] as string;
  }
  // The worker tells the rest together with its tokens.
  await waitUntil(async () => {
    const { rows } = await first!.db.query('select 1 from jobs where id = $1 and settled_at > $2', [
      jobId,
      new Date(0),
    ]);
    return rows.length === 1;
  }, 'the final counts');
  const job = await first!.finished(key, jobId);
  expect(job).toMatchObject({ errorCode: 'CANCELLED' });
  const partial = job['partialOutput'] as string;
  expect(partial.startsWith(seen)).toBe(true);
  const { text } = await replayed(1, key, jobId);
  expect(text).toBe(partial);
});

it('a job that failed before any text came has none', async () => {
  const [first] = nodes();
  const { key } = await first!.createKey();
  const jobId = await first!.submit(key, { prompt: '[[sim:auth]]' });
  expect(await first!.finished(key, jobId)).toMatchObject({ partialOutput: null });
  const completed = await first!.finished(key, await first!.submit(key));
  expect(completed).not.toHaveProperty('partialOutput');
});
