// Client and vendor see through the endpoint what they would see without it: any valid request, however it is written
// and cut, and any answer, whole or not.
import { once } from 'node:events';
import { request as send } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSimulatedUpstream } from '../../src/providers/simulator/wire/simulated-upstream.ts';
import { requestOf } from '../unit/upstream-run.ts';
import type { Protocol } from '../../src/providers/wire/protocol.ts';
import { effort } from '../support/effort.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawAnswer, RawCall, RawVendor } from '../support/raw-vendor.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';

const VENDOR_KEY = 'vendor-key-of-the-caller';

interface Way {
  protocol: Protocol;
  /** At the endpoint, below `/model`, and at the vendor. */
  path: [here: string, there: string];
  credential: string;
  body: (isStream: boolean) => object;
}

const WAYS: readonly Way[] = [
  {
    protocol: 'anthropic',
    path: ['/anthropic/v1/messages', '/v1/messages'],
    credential: 'X-Api-Key',
    body: (stream) => ({ model: 'claude-x', max_tokens: 9, messages: [{ role: 'user' }], stream }),
  },
  {
    protocol: 'chat',
    path: ['/openai/v1/chat/completions', '/v1/chat/completions'],
    credential: 'authorization',
    // Asked for, so that nothing is added.
    body: (stream) => ({
      model: 'gpt-x',
      messages: [],
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
    }),
  },
  {
    protocol: 'chat',
    path: ['/openrouter/v1/chat/completions', '/v1/chat/completions'],
    credential: 'Authorization',
    body: (stream) => ({ model: 'a/b', messages: [], stream }),
  },
  {
    protocol: 'responses',
    path: ['/openai/v1/responses', '/v1/responses'],
    credential: 'AUTHORIZATION',
    body: (stream) => ({ model: 'gpt-x', input: 'Hi', stream }),
  },
  {
    protocol: 'google',
    path: [
      '/google/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
      '/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
    ],
    credential: 'x-goog-api-key',
    body: () => ({ contents: [] }),
  },
];

let vendor: RawVendor;
let server: TestServer;
let key: string;
/** Streams as each vendor writes them. */
const streams = new Map<Protocol, Buffer>();

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
  });
  ({ key } = await server.createKey());
  const text = '[[sim:reply]]große 🌊 "quoted"\\n\u2028 日本語[[/sim:reply]]';
  const bodies: Record<Protocol, Record<string, unknown>> = {
    anthropic: { max_tokens: 99, messages: [{ role: 'user', content: text }] },
    chat: { messages: [{ role: 'user', content: text }], stream_options: { include_usage: true } },
    responses: { input: text },
    google: { contents: [{ parts: [{ text }] }] },
  };
  for (const { protocol } of WAYS) {
    const body = bodies[protocol];
    const answer = await createSimulatedUpstream().send(
      requestOf({ protocol, body, isStream: true }),
    );
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    streams.set(protocol, Buffer.concat(chunks));
  }
});
afterAll(async () => {
  await server.close();
  await vendor.close();
});

/** As different writers write JSON: spaces, escapes and numbers that a parser would not give back. */
const jsonText = (body: object, space: string, more: string) =>
  `${space}{${space}${JSON.stringify(body, undefined, space.length).slice(1, -1)},${space}"x_more"${space}:${space}${more}}${space}`;

const anyMore = fc.constantFrom(
  '1.0',
  '1E400',
  '12345678901234567890',
  '-0',
  '"\\u00e9\\/ \\ud83c\\udf0a \\ud800"',
  '"日本語 🌊"',
  `${'['.repeat(200)}${']'.repeat(200)}`,
  '{"a":{"":[null,true]}}',
);
const anyHeader = fc.constantFrom<[string, string]>(
  ['anthropic-beta', 'one-2026-01-01'],
  ['anthropic-beta', 'two-2026-01-01'],
  ['Anthropic-Version', '2023-06-01'],
  ['X-Stainless-Lang', 'js'],
  ['User-Agent', 'någon/1.0'],
  ['accept', '*/*'],
  ['Accept-Encoding', 'gzip, br'],
  ['OpenAI-Organization', 'org-1'],
  ['idempotency-key', 'a b  c'],
  ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
);
const anyAnswerHeader = fc.constantFrom<[string, string]>(
  ['x-request-id', 'req_1'],
  ['Request-Id', 'req_2'],
  ['anthropic-ratelimit-requests-remaining', '9'],
  ['x-ratelimit-reset-tokens', '6m0s'],
  ['Warning', 'one'],
  ['Warning', 'two'],
  ['CF-RAY', '8f-FRA'],
  ['Vary', 'Origin'],
  ['X-Odd', 'gr\u00fcn'],
);
const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 });

const anyCall = fc.record({
  way: fc.nat(WAYS.length - 1),
  isStream: fc.boolean(),
  space: fc.constantFrom('', ' ', '\n\t'),
  more: anyMore,
  coding: fc.constantFrom('', '', 'gzip'),
  isChunked: fc.boolean(),
  requestCuts: cuts,
  headers: fc.array(anyHeader, { maxLength: 6 }),
  status: fc.constantFrom(200, 200, 200, 201, 400, 401, 404, 418, 422),
  answerHeaders: fc.array(anyAnswerHeader, { maxLength: 6 }),
  answer: fc.oneof(
    fc.constant('stream' as const),
    fc.constant('stream' as const),
    fc.uint8Array({ maxLength: 300 }),
  ),
  answerCoding: fc.constantFrom('', '', 'gzip', 'br'),
  answerCuts: cuts,
  breaksOff: fc.constantFrom(false, false, false, true),
  hasLength: fc.boolean(),
});
type AnyCall = typeof anyCall extends fc.Arbitrary<infer T> ? T : never;

/** In pieces of these lengths; the last piece has the rest. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const length of lengths) {
    if (at >= bytes.length) break;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return at < bytes.length ? [...pieces, bytes.subarray(at)] : pieces;
}

interface Got {
  status: number;
  headers: string[];
  body: string;
  isWhole: boolean;
}

async function read(response: IncomingMessage): Promise<Got> {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('error', () => undefined);
  await new Promise((resolve) => response.once('close', resolve));
  return {
    status: response.statusCode!,
    headers: response.rawHeaders,
    body: Buffer.concat(chunks).toString('latin1'),
    isWhole: response.complete,
  };
}

async function call(url: string, credential: string[], asked: AnyCall): Promise<Got> {
  const plain = Buffer.from(
    jsonText(WAYS[asked.way]!.body(asked.isStream), asked.space, asked.more),
  );
  const body = asked.coding === 'gzip' ? gzipSync(plain) : plain;
  const headers = [
    'Host',
    new URL(url).host,
    'Content-Type',
    'application/json',
    ...(asked.coding === '' ? [] : ['Content-Encoding', asked.coding]),
    ...(asked.isChunked
      ? ['Transfer-Encoding', 'chunked']
      : ['Content-Length', String(body.length)]),
    ...asked.headers.slice(0, 3).flat(),
    ...credential,
    ...asked.headers.slice(3).flat(),
  ];
  const request = send(url, { method: 'POST', headers, agent: false });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  for (const piece of cut(body, asked.requestCuts)) {
    request.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  request.end();
  return read((await answered)[0]);
}

function answerTo({ way, ...asked }: AnyCall): RawAnswer {
  const { protocol } = WAYS[way]!;
  const isStream = asked.answer === 'stream';
  const plain = asked.answer === 'stream' ? streams.get(protocol)! : Buffer.from(asked.answer);
  const coders = { '': (bytes: Buffer) => bytes, gzip: gzipSync, br: brotliCompressSync };
  const body = coders[asked.answerCoding](plain);
  const headers = [
    'Date',
    'Wed, 18 Nov 2026 12:00:00 GMT',
    'Content-Type',
    isStream ? 'text/event-stream; charset=utf-8' : 'application/json',
    ...(asked.answerCoding === '' ? [] : ['Content-Encoding', asked.answerCoding]),
    ...(asked.hasLength ? ['Content-Length', String(body.length)] : []),
    ...asked.answerHeaders.flat(),
  ];
  const pieces = cut(body, asked.answerCuts);
  // What breaks off has begun, and has more to come.
  const breaksOff = asked.breaksOff && pieces.length > 1;
  const sent = breaksOff ? pieces.slice(0, -1) : pieces;
  const before = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { status: asked.status, headers, pieces: sent, before, breaksOff };
}

/** Without what is about the connection and without credentials, which are compared apart. */
function without(headers: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    if (!names.includes(headers[at]!.toLowerCase())) kept.push(headers[at]!, headers[at + 1]!);
  }
  return kept;
}
const FRAMING = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];
const CREDENTIALS = ['x-api-key', 'authorization', 'x-goog-api-key', 'x-provider-key'];

function seen({ method, path, rawHeaders, body }: RawCall) {
  const headers = without(rawHeaders, [...FRAMING, ...CREDENTIALS]);
  return { method, path, headers, body: body.toString('latin1') };
}

it('both sides see the same bytes as without the endpoint', async () => {
  await fc.assert(
    fc.asyncProperty(anyCall, async (asked) => {
      const { path, credential } = WAYS[asked.way]!;
      const as = (value: string) =>
        /^authorization$/i.test(credential) ? `Bearer ${value}` : value;
      vendor.calls.length = 0;
      vendor.answer(answerTo(asked));
      const straight = await call(vendor.url + path[1], [credential, as(VENDOR_KEY)], asked);
      const given = [credential, as(key), 'X-Provider-Key', VENDOR_KEY];
      const through = await call(`${server.url}/model${path[0]}`, given, asked);

      const [direct, passed, ...more] = vendor.calls;
      expect(more).toEqual([]);
      expect(seen(passed!)).toEqual(seen(direct!));
      const keys = passed!.rawHeaders.filter((each) => each.includes(VENDOR_KEY));
      expect(keys).toEqual([as(VENDOR_KEY)]);
      expect(passed!.rawHeaders.join('\n')).not.toContain(key);

      const ours = ['x-millrace-request-id', 'connection', 'keep-alive', 'transfer-encoding'];
      expect(without(through.headers, ours)).toEqual(without(straight.headers, ours));
      expect([through.status, through.isWhole]).toEqual([straight.status, straight.isWhole]);
      // The last bytes before a break may be on their way still, or held back as the beginning of the key.
      if (straight.isWhole) expect(through.body).toBe(straight.body);
      else expect(straight.body.startsWith(through.body)).toBe(true);
    }),
    { numRuns: effort(80) },
  );
});
