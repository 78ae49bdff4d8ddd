// Answers that break, or come otherwise than they should, over real connections.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPrices } from '../../src/providers/prices.ts';
import { createVendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import { createVendor } from '../../src/providers/vendors/vendor.ts';
import { waitUntil } from '../support/processes.ts';

type Play = (response: ServerResponse) => void;
let play: Play = () => undefined;
const server = createServer((request, response) => {
  request.resume().on('end', () => play(response));
});
const http = createVendorHttp();
let origin = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await http.close();
  server.closeAllConnections();
  server.close();
});

const VENDORS = {
  anthropic: { provider: 'anthropic', custom: false },
  openai: { provider: 'openai', custom: false },
  compatible: { provider: 'openai', custom: true },
  google: { provider: 'google', custom: false },
  openrouter: { provider: 'openrouter', custom: false },
} as const;
type Vendor = keyof typeof VENDORS;

async function ask(vendor: Vendor, next: Play, signal = new AbortController().signal) {
  play = next;
  let text = '';
  const provider = createVendor({
    endpoint: { ...VENDORS[vendor], baseUrl: origin, http },
    prices: loadPrices(undefined),
    scrub: (said) => said,
    now: Date.now,
  });
  const call = { ownerId: 'user_1', streamId: 'a', prompt: 'Say it.', maxTokens: 100 };
  const request = { ...call, model: 'm', apiKey: 'key', signal };
  const outcome = await provider.run(request, (delta) => (text += delta));
  return { outcome, text };
}

const chat = [
  { choices: [{ index: 0, delta: { content: 'Räder' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } },
];
const EVENTS: Record<Vendor, object[]> = {
  anthropic: [
    { type: 'message_start', message: { usage: { input_tokens: 9 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Räder' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ],
  openai: [
    { type: 'response.output_text.delta', output_index: 0, delta: 'Räder' },
    {
      type: 'response.completed',
      response: { status: 'completed', usage: { input_tokens: 9, output_tokens: 5 } },
    },
  ],
  compatible: chat,
  google: [
    { candidates: [{ content: { parts: [{ text: 'Räder' }] } }] },
    {
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5 },
    },
  ],
  openrouter: chat,
};
/** Up to the text. */
const half = (events: object[]) =>
  events.slice(0, 1 + events.findIndex((event) => JSON.stringify(event).includes('Räder')));
const ALL = Object.keys(VENDORS) as Vendor[];
const bytes = (events: object[]) =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
const EVENT_STREAM = { 'content-type': 'text/event-stream' };
const WHOLE = { kind: 'completed', finish: 'stop', usage: { input: 9, output: 5 } };

/** Sends this, and breaks the connection when the vendor's client has it. */
const broken = (body: Buffer): Play => {
  return (response) => {
    response.writeHead(200, EVENT_STREAM);
    // In the connection's own order: what was written arrives before the end of the connection.
    response.write(body, () => response.socket?.end());
  };
};

describe.each(ALL)('an answer of %s', (vendor) => {
  it('is whole when its connection breaks after the end', async () => {
    const { outcome, text } = await ask(vendor, broken(bytes(EVENTS[vendor])));
    expect(outcome).toMatchObject(WHOLE);
    expect(text).toBe('Räder');
  });

  it('is not whole when its connection breaks before the end', async () => {
    const { outcome, text } = await ask(vendor, broken(bytes(half(EVENTS[vendor]))));
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { kind: 'network', retryable: true },
      usage: { estimated: true },
    });
    expect(text).toBe('Räder');
  });

  it('is read in small pieces with a mark at its start', async () => {
    const body = Buffer.concat([Buffer.from('\ufeff'), bytes(EVENTS[vendor])]);
    const { outcome, text } = await ask(vendor, (response) => {
      response.writeHead(200, EVENT_STREAM);
      let at = 0;
      const next = () => {
        if (at >= body.length) return void response.end();
        response.write(body.subarray(at, (at += 7)), () => setImmediate(next));
      };
      next();
    });
    expect(outcome).toMatchObject(WHOLE);
    expect(text).toBe('Räder');
  });
});

it('an answer that says how it ended, but not that it did, is not whole', async () => {
  const { outcome } = await ask('anthropic', (response) => {
    response.writeHead(200, EVENT_STREAM);
    response.end(bytes(EVENTS.anthropic.slice(0, -1)));
  });
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'interrupted' } });
  // All that it used is known by then.
  expect(outcome.usage).toMatchObject({ input: 9, output: 5, estimated: false });
});

it('what the vendor says counts more than that it closes the connection then', async () => {
  const error = { type: 'overloaded_error', message: 'Overloaded' };
  const events = [...half(EVENTS.anthropic), { type: 'error', error }];
  const { outcome } = await ask('anthropic', broken(bytes(events)));
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'overloaded' } });
});

it.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an answer that was compressed as %s without being asked for is read', async (name, pack) => {
  const { outcome } = await ask('anthropic', (response) => {
    response.writeHead(200, { ...EVENT_STREAM, 'content-encoding': name });
    response.end(pack(bytes(EVENTS.anthropic)));
  });
  expect(outcome).toMatchObject(WHOLE);
  const { outcome: refusal } = await ask('anthropic', (response) => {
    response.writeHead(400, { 'content-encoding': name });
    response.end(pack(JSON.stringify({ error: { message: 'Odd header' } })));
  });
  expect(refusal).toMatchObject({ failure: { message: 'anthropic (400): Odd header' } });
});

it('an answer that is compressed badly is a connection that broke', async () => {
  const { outcome } = await ask('compatible', (response) => {
    response.writeHead(200, { ...EVENT_STREAM, 'content-encoding': 'gzip' });
    response.end('no gzip at all');
  });
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'network' } });
});

it('a refusal whose text breaks off is known by its status', async () => {
  const { outcome } = await ask('google', (response) => {
    response.writeHead(503, { 'retry-after': '7', 'content-length': '1000' });
    response.write('{"error":', () => response.socket?.end());
  });
  const failure = { kind: 'upstream', message: 'google (503): upstream', retryAfterMs: 7000 };
  expect(outcome).toMatchObject({ kind: 'failed', failure });
});

it('a refusal without an end is not read to its end', async () => {
  let isClosed = false;
  const { outcome } = await ask('openai', (response) => {
    response.on('close', () => (isClosed = true));
    response.writeHead(500);
    const more = () => {
      if (!isClosed) response.write('x'.repeat(64 * 1024), () => setImmediate(more));
    };
    more();
  });
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'upstream' } });
  await waitUntil(() => isClosed, 'the end of the connection');
});

it('a server that is not there is a matter of the network', async () => {
  const provider = createVendor({
    endpoint: { ...VENDORS.compatible, baseUrl: 'http://127.0.0.1:1', http },
    prices: loadPrices(undefined),
    scrub: (said) => said,
    now: Date.now,
  });
  const call = { ownerId: 'user_1', streamId: 'a', model: 'm', prompt: 'Say it.' };
  const outcome = await provider.run(
    { ...call, signal: new AbortController().signal },
    () => undefined,
  );
  expect(outcome).toMatchObject({
    kind: 'failed',
    failure: { kind: 'network', message: expect.stringContaining('ECONNREFUSED') as string },
    usage: { input: 0, output: 0, estimated: false },
  });
});

it('a call that is stopped while its refusal comes was stopped', async () => {
  const controller = new AbortController();
  const { outcome } = await ask(
    'anthropic',
    (response) => {
      response.writeHead(500);
      response.write('{', () => controller.abort());
    },
    controller.signal,
  );
  expect(outcome).toMatchObject({ kind: 'aborted', usage: { estimated: true } });
});
