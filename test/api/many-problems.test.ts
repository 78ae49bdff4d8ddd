import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer({ role: 'api' });

const RUN = { feature: 'x', status: 'complete', startedAt: '2026-01-01T00:00:00Z' };
const stream = (filesChanged: unknown) => ({ streamId: 's', status: 'complete', filesChanged });

async function refused(method: string, path: string, body: string) {
  const { key } = await server().createKey();
  const response = await fetch(server().url + path, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  const answer = { status: response.status, body: JSON.parse(text) as Record<string, unknown> };
  return { ...expectError(answer, 'VALIDATION_ERROR'), size: text.length };
}

const record = (streams: unknown, run: unknown = RUN) =>
  refused('PUT', '/api/v1/history/mine', JSON.stringify({ run, streams }));

describe('a request with more problems than anybody reads', () => {
  it('lists a hundred of them and says that there are more', async () => {
    verifies('http.error.details-limit');
    const { details, message, size } = await record([stream(Array(10_000).fill(''))]);
    expect(details).toHaveLength(100);
    expect(details?.[99]?.path).toBe('streams.0.filesChanged.99');
    expect(message).toMatch(/^streams\.0\.filesChanged\.0 .* \(and at least 99 more/);
    expect(size).toBeLessThan(50_000);
  });

  it('counts across lists within lists, and stops in all of them', async () => {
    const streams = Array.from({ length: 60 }, () => ({ ...stream(['', '']), tokensInput: -1 }));
    const { details } = await record(streams);
    expect(details).toHaveLength(100);
    // Three each: two of the inner list, one of the stream itself.
    expect(details?.at(-1)?.path).toMatch(/^streams\.33\./);
  });

  it('lists every one when they are few enough', async () => {
    const few = await record([stream(Array(100).fill(''))]);
    expect(few.details).toHaveLength(100);
    expect(few.message).toContain('(and 99 more)');
    const one = await record([stream([''])]);
    expect(one.details).toHaveLength(1);
    expect(one.message).not.toContain('more');
  });

  it('still finds what is wrong in fields after a list without end', async () => {
    const body = { streams: [stream(Array(5000).fill(''))], run: {} };
    const { details } = await refused('PUT', '/api/v1/history/mine', JSON.stringify(body));
    expect(details).toHaveLength(100);
    expect(details?.map(({ path }) => path)).toContain('run.feature');
  });

  it('never accepts a list because it stopped looking', async () => {
    const { key } = await server().createKey();
    const body = { run: RUN, streams: [stream([...Array(200).fill(''), 7, null])] };
    const path = '/api/v1/history/unseen';
    expectError(await server().call('PUT', path, { key, body }), 'VALIDATION_ERROR');
    expectError(await server().call('GET', path, { key }), 'NOT_FOUND');
  });

  it('stays small whatever the fields are called', async () => {
    const contents = Object.fromEntries(
      Array.from({ length: 150 }, (_, i) => [`${i}${'n'.repeat(20_000)}`, 1]),
    );
    const body = JSON.stringify({ task: 'x', context: { contents } });
    const { details, size } = await refused('POST', '/v1/executions', body);
    expect(details?.length).toBeLessThanOrEqual(100);
    expect(size).toBeLessThan(60_000);
  });

  it('with a record of any size is refused before its entries are read', async () => {
    const contents = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, 1]));
    const body = JSON.stringify({ task: 'x', context: { contents } });
    const { details } = await refused('POST', '/v1/executions', body);
    expect(details?.map(({ path }) => path)).toEqual(['context.contents']);
  });

  it('is refused the same way when they fill a whole body', async () => {
    const streams = Array.from({ length: 270 }, () => stream(Array(10_000).fill('')));
    const { details, size } = await record(streams);
    expect(details).toHaveLength(100);
    expect(size).toBeLessThan(50_000);
    expect((await server().call('GET', '/healthz')).status).toBe(200);
  });

  it('and one with more entries or fields than any request has is refused as a whole', async () => {
    const entries = await record(Array.from({ length: 50 }, () => stream(Array(9000).fill('a'))));
    expect(entries.message).toContain('250,000 list entries');
    const fields = Array.from({ length: 260_000 }, (_, i) => `"${i}":0`).join(',');
    const { message } = await refused('POST', '/api/v1/execute', `{"x":{${fields}}}`);
    expect(message).toContain('250,000 fields');
    const lists = await refused('POST', '/api/v1/execute', `[${'[],'.repeat(260_000)}0]`);
    expect(lists.message).toContain('250,000 fields and lists');
    const deep = await refused('POST', '/api/v1/execute', '['.repeat(70_000) + ']'.repeat(70_000));
    expect(deep.message).toContain('nested deeper');
  });

  it('takes colons, brackets and quotes in a text for text', async () => {
    const { key } = await server().createKey();
    const prompt = `${':'.repeat(300_000)}${'\\":['.repeat(300_000)}\\`;
    const id = await server().submit(key, { prompt });
    expect(id).toMatch(/^job_/);
  });
});
