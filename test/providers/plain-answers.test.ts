// Answers are read by ourselves or by the vendor's package: it must make no difference but in speed.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPrices } from '../../src/providers/prices.ts';
import { createVendorHttp } from '../../src/providers/vendors/vendor-fetch.ts';
import { createVendor } from '../../src/providers/vendors/vendor.ts';
import { SEED, effort } from '../support/effort.ts';

interface Script {
  events: readonly string[];
  /** Where the bytes are cut into chunks. */
  cuts: readonly number[];
  end: 'closed' | 'broken';
  gzip?: boolean;
}

type Shape<A> = A extends fc.Arbitrary<infer T> ? T : never;

let script: Script = { events: [], cuts: [], end: 'closed' };

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const { events, cuts, end, gzip } = script;
    const plain = Buffer.from(events.map((data) => `data: ${data}\n\n`).join(''));
    const bytes = gzip === true ? gzipSync(plain) : plain;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      ...(gzip === true ? { 'content-encoding': 'gzip' } : {}),
    });
    const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
    const pieces = [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
    const write = () => {
      const piece = pieces.shift();
      if (piece !== undefined) response.write(piece, () => setImmediate(write));
      else if (end === 'closed') response.end();
      else response.destroy();
    };
    write();
  });
});
const http = createVendorHttp();
let baseUrl = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await http.close();
  server.close();
});

async function answer(provider: 'anthropic' | 'openai', fetch: typeof globalThis.fetch) {
  const endpoint = { provider, baseUrl, custom: true, fetch };
  const deps = { prices: loadPrices(undefined), scrub: (text: string) => text, now: () => 0 };
  let text = '';
  const outcome = await createVendor({ endpoint, ...deps }).run(
    {
      ownerId: 'user_1',
      streamId: 'a',
      model: 'claude-sonnet-4-5',
      prompt: 'Say something.',
      maxTokens: 100,
      apiKey: 'sk-test',
      signal: new AbortController().signal,
    },
    (delta) => (text += delta),
  );
  return { outcome, text };
}

const json = (value: unknown) => JSON.stringify(value);
const usage = { input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 1 };
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] };
const start = json({ type: 'message_start', message: { ...message, stop_reason: null, usage } });
const block = (index: number, type: 'text' | 'thinking') =>
  json({ type: 'content_block_start', index, content_block: { type, [type]: '' } });
const text = (index: number, words: string) =>
  json({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: words } });
const stop = (reason: string | null, more: object = {}) =>
  json({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 9, ...more },
  });
const ODD_ANTHROPIC = [
  json({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  json({ type: 'something_new', hint: 1 }),
  '{"type": "content_block_del',
  json({
    type: 'content_block_start',
    index: 7,
    content_block: { type: 'tool_use', id: 't', name: 'n', input: {} },
  }),
  stop('a_new_reason'),
  stop('end_turn', { input_tokens: 40, cache_creation_input_tokens: 5 }),
  json({ type: 'message_stop' }),
  start,
];
const anthropic = fc.record({
  words: fc.array(fc.string({ maxLength: 8 }), { maxLength: 5 }),
  thinks: fc.boolean(),
  reason: fc.constantFrom('end_turn', 'max_tokens', 'refusal', 'stop_sequence', null),
  odd: fc.option(fc.record({ at: fc.nat(20), event: fc.constantFrom(...ODD_ANTHROPIC) })),
  cut: fc.option(fc.nat(20)),
});

function anthropicEvents({ words, thinks, reason, odd, cut }: Shape<typeof anthropic>) {
  const thought = json({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: 'hm' },
  });
  const events = [
    start,
    json({ type: 'ping' }),
    ...(thinks
      ? [block(0, 'thinking'), thought, json({ type: 'content_block_stop', index: 0 })]
      : []),
    block(1, 'text'),
    ...words.map((word) => text(1, word)),
    json({ type: 'content_block_stop', index: 1 }),
    stop(reason),
    json({ type: 'message_stop' }),
  ];
  if (odd) events.splice(odd.at % (events.length + 1), 0, odd.event);
  return cut === null ? events : events.slice(0, cut % (events.length + 1));
}

const chunk = (delta: object, more: object = {}, choice: object = {}) =>
  json({ id: 'c', choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more });
const chatUsage = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
const ODD_CHAT = [
  json({ error: { message: 'The server had an error', type: 'server_error' } }),
  '{"choices": [',
  chunk({ tool_calls: [{ index: 0, id: 't', function: { name: 'n', arguments: '{}' } }] }),
  chunk({ refusal: 'I cannot.' }),
  chunk({ content: 'last' }, { usage: chatUsage }, { finish_reason: 'stop' }),
  chunk({}, {}, { finish_reason: 'tool_calls' }),
  json({ choices: [], usage: { ...chatUsage, prompt_tokens_details: { cached_tokens: 6 } } }),
  json('text'),
];
const chat = fc.record({
  words: fc.array(fc.string({ maxLength: 8 }), { maxLength: 5 }),
  thinks: fc.boolean(),
  reason: fc.constantFrom('stop', 'length', 'content_filter', null),
  counts: fc.boolean(),
  odd: fc.option(fc.record({ at: fc.nat(20), event: fc.constantFrom(...ODD_CHAT) })),
});

function chatEvents({ words, thinks, reason, counts, odd }: Shape<typeof chat>) {
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...(thinks ? [chunk({ reasoning_content: 'hm' })] : []),
    ...words.map((word) => chunk({ content: word })),
    chunk({}, {}, { finish_reason: reason }),
    ...(counts ? [json({ choices: [], usage: chatUsage })] : []),
    '[DONE]',
  ];
  if (odd) events.splice(odd.at % (events.length + 1), 0, odd.event);
  return events;
}

const wire = fc.record({
  cuts: fc.array(fc.nat(2000), { maxLength: 6 }),
  end: fc.constantFrom('closed' as const, 'closed' as const, 'broken' as const),
});

async function expectSame(provider: 'anthropic' | 'openai', next: Script) {
  script = next;
  const own = await answer(provider, http.fetch);
  const packages = [await answer(provider, fetch)];
  if (next.end === 'broken') {
    // The packages forget a whole answer when the connection breaks after its end; we do not.
    script = { ...next, end: 'closed' };
    packages.push(await answer(provider, fetch));
  }
  expect(packages).toContainEqual(own);
}

test('an answer in the form of Anthropic comes to the same as read by its package', async () => {
  await fc.assert(
    fc.asyncProperty(anthropic, wire, async (shape, rest) => {
      await expectSame('anthropic', { events: anthropicEvents(shape), ...rest });
    }),
    { numRuns: effort(60), seed: SEED },
  );
});

test('an answer in the form of chat completions comes to the same as read by its package', async () => {
  await fc.assert(
    fc.asyncProperty(chat, wire, async (shape, rest) => {
      await expectSame('openai', { events: chatEvents(shape), ...rest });
    }),
    { numRuns: effort(60), seed: SEED },
  );
});

test('an answer that was compressed without being asked for is read', async () => {
  const events = [
    start,
    block(0, 'text'),
    text(0, 'Hello'),
    stop('end_turn'),
    json({ type: 'message_stop' }),
  ];
  script = { events, cuts: [], end: 'closed', gzip: true };
  expect((await answer('anthropic', http.fetch)).text).toBe('Hello');
});
