// What goes through the model endpoint is what would have gone between client and vendor without it.
import { once } from 'node:events';
import { request as rawRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawVendor } from '../support/raw-vendor.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

let vendor: RawVendor;
let server: TestServer;
let key: string;

beforeAll(async () => {
  vendor = await startRawVendor();
  const { url } = vendor;
  server = await startTestServer({
    baseUrls: {
      anthropic: `${url}/v1`,
      openai: `${url}/v1`,
      google: `${url}/v1beta`,
      openrouter: `${url}/v1`,
    },
    operatorKeys: { openrouter: 'operator-key-of-openrouter' },
  });
  ({ key } = await server.createKey());
});
afterAll(async () => {
  await server.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.calls.length = 0;
  vendor.answer({});
});

let keys = 0;

interface Sent {
  status: number;
  headers: Headers;
  body: Buffer;
}

async function post(
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Sent> {
  const response = await fetch(`${server.url}/model${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': key,
      'x-provider-key': `vendor-key-${++keys}`,
      ...headers,
    },
    body,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}

async function lastJob(): Promise<Record<string, unknown>> {
  const { body } = await server.call('GET', '/api/v1/jobs?limit=1', { key });
  const [{ jobId }] = body['items'] as [{ jobId: string }];
  const full = await server.call('GET', `/api/v1/job/${jobId}?view=full`, { key });
  return full.body;
}

const ended = () =>
  waitUntil(async () => {
    const job = await lastJob();
    return job['status'] === 'completed' || job['status'] === 'failed' ? job : undefined;
  }, 'the end of the call');

const MESSAGE =
  '{"model":"claude-opus-5-5","max_tokens":50,"messages":[{"role":"user","content":"Hi"}]}';
const CHAT = '{"model":"gpt-x","stream":true,"messages":[{"role":"user","content":"Hi"}]}';

const event = (data: unknown, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

const MESSAGE_EVENTS = [
  event(
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [],
        stop_reason: null,
        usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 5 },
      },
    },
    'message_start',
  ),
  event(
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    'content_block_start',
  ),
  event({ type: 'ping', unknown: { deep: [1, { x: null }] } }, 'ping'),
  event(
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: 'EqQBCkYIBxgC' },
    },
    'content_block_delta',
  ),
  event({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
  event(
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    'content_block_start',
  ),
  event(
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Grüße 🌊' } },
    'content_block_delta',
  ),
  event({ type: 'content_block_stop', index: 1 }, 'content_block_stop'),
  event(
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 7 },
    },
    'message_delta',
  ),
  event({ type: 'message_stop' }, 'message_stop'),
];

const EVENTS = { 'content-type': 'text/event-stream' };

describe('a request', () => {
  it('reaches the vendor byte for byte, with the vendor’s key where the credential stood', async () => {
    const body = `\n{ "model":"claude-opus-5-5","max_tokens":50, "messages":[{"role":"user","content":"\\u00e9 \\ud83c\\udf0a"}],\t"unknown_field":{"b":1.0e2}}`;
    vendor.answer({
      status: 400,
      pieces: ['{"type":"error","error":{"type":"invalid_request_error","message":"no"}}'],
    });
    const asked = rawRequest(
      `${server.url}/model/anthropic/v1/messages?beta=true&key=secret-in-query`,
      {
        method: 'POST',
        headers: [
          ['Host', new URL(server.url).host],
          ['Anthropic-Beta', 'a-1,b-2'],
          ['X-Api-Key', key],
          ['anthropic-version', '2023-06-01'],
          ['X-Provider-Key', 'sk-my-own-vendor-key'],
          ['X-Team-Id', await ownTeam()],
          ['Cookie', 'mill=1'],
          ['X-Forwarded-For', '10.0.0.1'],
          ['Forwarded', 'for=10.0.0.1'],
          ['Connection', 'keep-alive, X-Hop'],
          ['X-Hop', '1'],
          ['X-HTTP-Method-Override', 'DELETE'],
          ['x-stainless-lang', 'js'],
          ['Content-Type', 'application/json'],
          ['Content-Length', String(Buffer.byteLength(body))],
        ].flat(),
      },
    );
    asked.end(body);
    const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
    response.resume();
    await once(response, 'end');
    const [call] = vendor.calls;
    expect(call!.path).toBe('/v1/messages?beta=true');
    expect(call!.body.toString()).toBe(body);
    const { rawHeaders } = call!;
    const own = new Set(['host', 'connection', 'content-length']);
    const passed = rawHeaders.filter((_, at) => !own.has(rawHeaders[at - (at % 2)]!.toLowerCase()));
    expect(passed).toEqual([
      'Anthropic-Beta',
      'a-1,b-2',
      'x-api-key',
      'sk-my-own-vendor-key',
      'anthropic-version',
      '2023-06-01',
      'x-stainless-lang',
      'js',
      'Content-Type',
      'application/json',
    ]);
    expect(server.logs()).not.toContain('secret-in-query');
  });

  it('that is compressed goes out as it came', async () => {
    const body = gzipSync(MESSAGE);
    await post('/anthropic/v1/messages', body, { 'content-encoding': 'gzip' });
    expect(vendor.calls[0]!.body.equals(body)).toBe(true);
    const bomb = await post('/anthropic/v1/messages', gzipSync(Buffer.alloc(33 << 20)), {
      'content-encoding': 'gzip',
    });
    expect(bomb.status).toBe(413);
    const twice = await post('/anthropic/v1/messages', gzipSync(body), {
      'content-encoding': 'gzip, gzip',
    });
    expect(twice.status).toBe(415);
    expect(vendor.calls).toHaveLength(1);
  });

  it('of many megabytes is passed on from a file, and one that is too large is refused', async () => {
    const image = 'A'.repeat(3 << 20);
    const body = `{"model":"claude-opus-5-5","max_tokens":5,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"${image}"}}]}]}`;
    await post('/anthropic/v1/messages', body);
    expect(vendor.calls[0]!.body.toString() === body).toBe(true);
    const large = await post('/anthropic/v1/messages', Buffer.alloc(33 << 20, 0x20));
    expect(large.status).toBe(413);
    expect(JSON.parse(large.body.toString())).toMatchObject({
      type: 'error',
      error: { type: 'request_too_large' },
    });
  });
});

describe('an answer', () => {
  it('comes back byte for byte, whatever pieces it comes in', async () => {
    const whole = Buffer.from(MESSAGE_EVENTS.join(''));
    const pieces = Array.from({ length: Math.ceil(whole.length / 7) }, (_, at) =>
      whole.subarray(at * 7, at * 7 + 7),
    );
    vendor.answer({
      headers: {
        ...EVENTS,
        'request-id': 'req_of_the_vendor',
        'x-request-id': 'also-theirs',
        'set-cookie': 'vendor=1',
        'alt-svc': 'h3',
        'strict-transport-security': 'max-age=1',
        'access-control-allow-origin': '*',
        'anthropic-ratelimit-requests-remaining': '7',
      },
      pieces,
    });
    const { body, headers } = await post(
      '/anthropic/v1/messages',
      MESSAGE.replace('{', '{"stream":true,'),
    );
    expect(body.equals(whole)).toBe(true);
    expect(headers.get('request-id')).toBe('req_of_the_vendor');
    expect(headers.get('x-request-id')).toBe('also-theirs');
    expect(headers.get('anthropic-ratelimit-requests-remaining')).toBe('7');
    expect(headers.get('x-millrace-request-id')).toMatch(/^req_/);
    for (const name of [
      'set-cookie',
      'alt-svc',
      'strict-transport-security',
      'access-control-allow-origin',
      'ratelimit-limit',
      'x-content-type-options',
    ]) {
      expect([name, headers.get(name)]).toEqual([name, null]);
    }
    expect(await ended()).toMatchObject({
      status: 'completed',
      kind: 'call',
      runId: null,
      output: 'Grüße 🌊',
      stopReason: 'stop',
      tokensUsed: { input: 15, output: 7 },
      cachedInputTokens: 5,
      usageEstimated: false,
    });
  });

  it('has its headers at once, while the vendor has said nothing more', async () => {
    const { promise: said, resolve: say } = Promise.withResolvers<void>();
    vendor.answer({
      headers: EVENTS,
      // Nothing: with it go the headers.
      pieces: [new Uint8Array(0), ...MESSAGE_EVENTS],
      before: (index) => (index === 0 ? Promise.resolve() : said),
    });
    try {
      const answer = await fetch(`${server.url}/model/anthropic/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'x-provider-key': `vendor-key-${++keys}` },
        body: MESSAGE.replace('{', '{"stream":true,'),
      });
      expect(answer.status).toBe(200);
      say();
      expect(await answer.text()).toBe(MESSAGE_EVENTS.join(''));
    } finally {
      say();
    }
  });

  it('of a chat stream has no chunk that the client did not ask for', async () => {
    const chunks = [
      event({ id: 'c', choices: [{ index: 0, delta: { content: 'a' } }], usage: null }),
      event({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null }),
    ];
    const usage = event({
      id: 'c',
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 1 },
    });
    const done = event('[DONE]');
    const whole = chunks.join('') + usage + done;
    vendor.answer({ headers: EVENTS, pieces: [whole.slice(0, 200), whole.slice(200)] });
    const quiet = await post('/openai/v1/chat/completions', CHAT, {
      authorization: `Bearer ${key}`,
    });
    expect(quiet.body.toString()).toBe(chunks.join('') + done);
    expect(vendor.calls[0]!.body.toString()).toBe(
      CHAT.replace('{', '{"stream_options":{"include_usage":true},'),
    );
    expect(await ended()).toMatchObject({
      tokensUsed: { input: 3, output: 1 },
      usageEstimated: false,
    });

    const asking = CHAT.replace('{', '{"stream_options": {"include_usage" : true},');
    const loud = await post('/openai/v1/chat/completions', asking, {
      authorization: `Bearer ${key}`,
    });
    expect(loud.body.toString()).toBe(whole);
    expect(vendor.calls[1]!.body.toString()).toBe(asking);

    // Compressed by the vendor: it has to come back plain, because a part is taken out.
    vendor.answer({
      headers: { ...EVENTS, 'content-encoding': 'gzip' },
      pieces: [gzipSync(whole)],
    });
    const coded = await post('/openai/v1/chat/completions', CHAT, {
      authorization: `Bearer ${key}`,
    });
    expect(coded.body.toString()).toBe(chunks.join('') + done);
    expect(coded.headers.get('content-encoding')).toBeNull();
  });

  it('that is compressed comes back compressed, and is read all the same', async () => {
    const whole = {
      id: 'msg_2',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 't1', name: 'edit', input: { path: 'a' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 4, output_tokens: 9 },
    };
    const coded = gzipSync(JSON.stringify(whole));
    vendor.answer({
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': String(coded.length),
      },
      pieces: [coded.subarray(0, 20), coded.subarray(20)],
    });
    // What fetch makes of it is decoded; the coding was the vendor's.
    const { body, headers } = await post('/anthropic/v1/messages', MESSAGE);
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(JSON.parse(body.toString())).toEqual(whole);
    const job = await ended();
    expect(job).toMatchObject({ status: 'completed', tokensUsed: { input: 4, output: 9 } });
    expect(job['output']).toContain('[edit]');
  });

  it('never shows the key, in headers or in the body', async () => {
    const secret = 'sk-ant-REAL-key-0123456789';
    vendor.answer({
      status: 401,
      headers: { 'content-type': 'application/json', 'x-echo': `Bearer ${secret}` },
      pieces: [
        `{"error":{"message":"Incorrect API key: ${secret.slice(0, 9)}`,
        `${secret.slice(9)}"}}`,
      ],
    });
    const { status, body, headers } = await post('/anthropic/v1/messages', MESSAGE, {
      'x-provider-key': secret,
    });
    expect(status).toBe(401);
    expect(body.toString()).toBe(
      `{"error":{"message":"Incorrect API key: ${'*'.repeat(secret.length)}"}}`,
    );
    expect(headers.get('x-echo')).toBe(`Bearer ${'*'.repeat(secret.length)}`);
    expect(await ended()).toMatchObject({
      status: 'failed',
      errorCode: 'PROVIDER_AUTH',
      tokensUsed: { input: 0, output: 0 },
    });
    expect(server.logs()).not.toContain(secret);
  });

  it('that breaks off breaks off for the client, and what it used is counted', async () => {
    vendor.answer({ headers: EVENTS, pieces: MESSAGE_EVENTS.slice(0, 7), breaksOff: true });
    await expect(
      post('/anthropic/v1/messages', MESSAGE.replace('{', '{"stream":true,')),
    ).rejects.toThrow();
    expect(await ended()).toMatchObject({
      status: 'failed',
      errorCode: 'PROVIDER_INTERRUPTED',
      usageEstimated: true,
      partialOutput: 'Grüße 🌊',
    });
    // An end without its mark is half an answer, too.
    vendor.answer({ headers: EVENTS, pieces: MESSAGE_EVENTS.slice(0, 7) });
    await expect(
      post('/anthropic/v1/messages', MESSAGE.replace('{', '{"stream":true,')),
    ).rejects.toThrow();
  });

  it('is asked for again while nothing has been sent, and the last one goes through', async () => {
    const busy = {
      status: 529,
      headers: { 'content-type': 'application/json' },
      pieces: ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
    };
    vendor.answer(busy, { headers: EVENTS, pieces: MESSAGE_EVENTS });
    const found = await post('/anthropic/v1/messages', MESSAGE.replace('{', '{"stream":true,'));
    expect(found.status).toBe(200);
    expect(vendor.calls).toHaveLength(2);
    vendor.calls.length = 0;
    vendor.answer(busy);
    const lost = await post('/anthropic/v1/messages', MESSAGE);
    expect([lost.status, lost.body.toString()]).toEqual([529, busy.pieces[0]]);
    expect(vendor.calls).toHaveLength(3);
    vendor.calls.length = 0;
    vendor.answer({ ...busy, status: 429, headers: { ...busy.headers, 'retry-after': '30' } });
    const limited = await post('/anthropic/v1/messages', MESSAGE);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
    expect(vendor.calls).toHaveLength(1);
    expect(await ended()).toMatchObject({ status: 'failed', tokensUsed: { input: 0, output: 0 } });
  });

  it('is stopped at the vendor when the client goes away, and counted as cancelled', async () => {
    const leaving = new AbortController();
    vendor.answer({
      headers: EVENTS,
      pieces: [...MESSAGE_EVENTS.slice(0, 7), MESSAGE_EVENTS[7]!],
      before: (index) => (index < 7 ? Promise.resolve() : new Promise(() => undefined)),
    });
    const response = await fetch(`${server.url}/model/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'x-provider-key': 'vendor-key-gone' },
      body: MESSAGE.replace('{', '{"stream":true,'),
      signal: leaving.signal,
    });
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes('Grüße')) text += Buffer.from((await reader.read()).value).toString();
    leaving.abort();
    await waitUntil(() => vendor.calls[0]!.isAborted || undefined, 'the vendor loses the client');
    const job = await ended();
    expect(job).toMatchObject({ status: 'failed', errorCode: 'CANCELLED', usageEstimated: true });
    expect(job['tokensUsed']).toMatchObject({ input: 15 });
  });
});

describe('lists and counts', () => {
  it('pass without a row', async () => {
    const before = await server.call('GET', '/api/v1/jobs', { key });
    vendor.answer({ pieces: ['{"input_tokens":7}'] });
    const counted = await post('/anthropic/v1/messages/count_tokens', MESSAGE);
    expect(counted.body.toString()).toBe('{"input_tokens":7}');
    vendor.answer({ pieces: ['{"data":[]}'] });
    const listed = await fetch(`${server.url}/model/openrouter/v1/models?limit=3`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await listed.text()).toBe('{"data":[]}');
    expect(vendor.calls.at(-1)).toMatchObject({ method: 'GET', path: '/v1/models?limit=3' });
    expect(vendor.calls.at(-1)!.rawHeaders).toContain('Bearer operator-key-of-openrouter');
    const after = await server.call('GET', '/api/v1/jobs', { key });
    expect(after.body).toEqual(before.body);
  });
});

async function ownTeam(): Promise<string> {
  const { body } = await server.call('GET', '/api/v1/auth/me', { key });
  return (body as { team: { id: string } }).team.id;
}
