import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { openEvents, textOf } from '../support/sse.ts';
import type { TestServer } from '../support/server.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const nodes = useNodes(2, { slots: 1 });

const follow = (node: TestServer, key: string, jobId: string, lastEventId?: string) =>
  openEvents(`${node.url}/api/v1/job/${jobId}/events`, {
    'x-api-key': key,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  });

/** So much text that it takes several events, however fast it comes. */
const LONG = { prompt: '[[sim:tokens 20000]]', maxTokens: 20_000 };

/** Takes every slot, so that what is submitted next waits until the returned function is called. */
async function holdBack(node: TestServer, key: string): Promise<() => Promise<void>> {
  const ids: string[] = [];
  for (const _ of nodes()) ids.push(await node.submit(key, { prompt: '[[sim:hang]]' }));
  for (const id of ids) {
    const events = await follow(node, key, id);
    await events.until((event) => event.data['status'] === 'running');
    events.close();
  }
  return async () => {
    for (const id of ids) await node.call('POST', `/api/v1/job/${id}/cancel`, { key });
  };
}

describe('the events of a job', () => {
  it('go on when another key is made for the same account', async () => {
    const [one] = nodes();
    const { key, email } = await one!.createKey();
    const jobId = await one!.submit(key, { prompt: '[[sim:hang]]' });
    const events = await follow(one!, key, jobId);
    await events.until((event) => event.data['status'] === 'running');
    for (let count = 0; count < 3; count++) await one!.createKey({ email });
    await one!.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
    expect((await events.rest()).at(-1)?.event).toBe('done');
  });

  it('are its states, its text as it grows, and its end, on any node', async () => {
    verifies('job.events.stream');
    const [one, two] = nodes();
    const { key } = await one!.createKey();
    const release = await holdBack(one!, key);
    const jobId = await one!.submit(key, LONG);
    const readers = await Promise.all([one!, two!].map((node) => follow(node, key, jobId)));
    for (const { response } of readers) {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
      expect(response.headers.get('ratelimit-limit')).toMatch(/^\d+$/);
    }
    await release();
    const told = await Promise.all(readers.map((reader) => reader.rest()));
    const job = await one!.finished(key, jobId);
    const plain = await one!.call('GET', `/api/v1/job/${jobId}`, { key });
    for (const events of told) {
      expect(textOf(events)).toBe(job['output']);
      const kinds = events.map((event) => event.event);
      expect(kinds.filter((kind) => kind === 'done')).toEqual(['done']);
      expect(kinds.at(-1)).toBe('done');
      expect(new Set(kinds)).toEqual(new Set(['status', 'text', 'done']));
      expect(events[0]?.data).toEqual({ status: 'pending', attempt: 0 });
      expect(events.at(-1)?.data).toEqual(plain.body);
    }
  });

  it('carry the place of each piece of text', async () => {
    verifies('job.events.stream');
    const [one] = nodes();
    const { key } = await one!.createKey();
    const jobId = await one!.submit(key, LONG);
    const texts = (await (await follow(one!, key, jobId)).rest()).filter(
      (event) => event.event === 'text',
    );
    let offset = 0;
    for (const { data, id } of texts) {
      expect(data).toEqual({ text: expect.any(String), offset, generation: expect.any(Number) });
      offset += (data['text'] as string).length;
      expect(id).toBe(`${data['generation'] as number}:${offset}`);
    }
  });

  it('go on after the last one that the reader saw', async () => {
    verifies('job.events.resume');
    const [one, two] = nodes();
    const { key } = await one!.createKey();
    const jobId = await one!.submit(key, LONG);
    const reader = await follow(one!, key, jobId);
    const before = await reader.until((event) => event.event === 'text');
    reader.close();
    for (const node of [one!, two!]) {
      const after = await (await follow(node, key, jobId, before.at(-1)?.id)).rest();
      const { output } = await one!.finished(key, jobId);
      expect(textOf(before) + textOf(after)).toBe(output);
      expect(textOf(after)).not.toBe('');
      expect(after.at(-1)?.event).toBe('done');
    }
  });

  it('are told from the start to a reader that comes after the end', async () => {
    verifies('job.events.replay');
    const [one, two] = nodes();
    const { key } = await one!.createKey();
    const jobId = await one!.submit(key, { prompt: '[[sim:tokens 30]]' });
    const { output } = await one!.finished(key, jobId);
    for (const node of [one!, two!]) {
      const events = await (await follow(node, key, jobId)).rest();
      expect(textOf(events)).toBe(output);
      expect(events.at(-1)).toMatchObject({ event: 'done', data: { output } });
      const nothing = await (await follow(node, key, jobId, events.at(-1)?.id)).rest();
      expect(nothing.map((event) => event.event)).toEqual(['done']);
    }
  });

  it('start the text over when the model call is tried again', async () => {
    verifies('job.events.stream');
    const [one] = nodes();
    const { key } = await one!.createKey();
    const jobId = await one!.submit(key, { prompt: '[[sim:fail 1 interrupted]] retold' });
    const events = await (await follow(one!, key, jobId)).rest();
    const { output } = await one!.finished(key, jobId);
    const last = events.findLast((event) => event.event === 'text')?.data['generation'];
    expect(textOf(events.filter((event) => event.data['generation'] === last))).toBe(output);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
  });

  it('take a Last-Event-ID that makes no sense for none', async () => {
    const [one] = nodes();
    const { key } = await one!.createKey();
    const jobId = await one!.submit(key, { prompt: '[[sim:tokens 30]]' });
    const { output } = await one!.finished(key, jobId);
    for (const id of ['nonsense', '-1:5', '9:9', '1:999999999999']) {
      const events = await (await follow(one!, key, jobId, id)).rest();
      expect(textOf(events), id).toBe(output);
    }
  });

  it('are refused like the job itself', async () => {
    const [one] = nodes();
    const [owner, other] = [await one!.createKey(), await one!.createKey()];
    const jobId = await one!.submit(owner.key);
    const path = `/api/v1/job/${jobId}/events`;
    expectError(await one!.call('GET', path), 'UNAUTHORIZED');
    expectError(await one!.call('GET', path, { key: other.key }), 'FORBIDDEN');
  });
});
