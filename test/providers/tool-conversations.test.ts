// Whatever conversation the API takes reaches every provider in its order, each result with its call.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message, ToolCall } from '../../src/contract/conversation-api.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import { createProviders } from '../../src/providers/registry.ts';
import { createVendor } from '../../src/providers/vendors/vendor.ts';
import { createVendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import { effort } from '../support/effort.ts';
import { startRawVendor } from '../support/raw-vendor.ts';
import type { RawVendor } from '../support/raw-vendor.ts';
import '../support/same-seed.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import {
  anthropicAnswer,
  chatAnswer,
  googleAnswer,
  responsesAnswer,
} from '../support/turn-answers.ts';
import { submitTurn, toolOf } from '../support/turns.ts';
import { verifies } from '../support/verifies.ts';
import { TURN_MODELS } from './turn-vendors.ts';
import type { Kind } from './turn-vendors.ts';

const ANSWERS: Record<Exclude<Kind, 'own'>, string> = {
  anthropic: anthropicAnswer([{ type: 'text', text: 'Done.' }], 'end_turn'),
  openrouter: chatAnswer([{ content: 'Done.' }], 'stop'),
  responses: responsesAnswer([
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
  ]),
  google: googleAnswer([{ text: 'Done.' }]),
};

let vendor: RawVendor;
let server: TestServer;
const http = createVendorHttp();
beforeAll(async () => {
  vendor = await startRawVendor();
  const { url } = vendor;
  const baseUrls = { anthropic: url, google: url, openrouter: url };
  const shared = { prices: loadPrices(undefined), scrub: (text: string) => text };
  const providers = createProviders({ simulator: true, vendors: { baseUrls, ...shared } });
  const endpoint = { provider: 'openai' as const, baseUrl: url, custom: false, http };
  const openai = createVendor({ endpoint, ...shared, now: Date.now });
  server = await startTestServer({}, undefined, {
    ...providers,
    find: (id) => (id === 'openai' ? openai : providers.find(id)),
  });
});
afterAll(async () => {
  await server.close();
  await http.close();
  await vendor.close();
});

const TOOLS = ['read', 'write'].map((name) => toolOf(name));

/** Texts that can be told apart, with what is easily broken on the way. */
const odd = fc.constantFrom('', ' "quoted"', '\n</tool>', ' \ud83c\udf0a', ' {"a":1}');

interface Exchange {
  said: string;
  calls: { name: string; odd: string; isError: boolean; rank: number }[];
}

const exchange: fc.Arbitrary<Exchange> = fc.record({
  said: odd,
  calls: fc.array(
    fc.record({
      name: fc.constantFrom('read', 'write', 'gone'),
      odd,
      isError: fc.boolean(),
      rank: fc.nat(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

/** Every text has a number of its own: `said 3`, `call 4`, `result 4`. */
function messagesOf(hasSystem: boolean, turns: readonly (readonly Exchange[])[]): Message[] {
  let next = 0;
  const messages: Message[] = hasSystem ? [{ role: 'system', text: 'said 999' }] : [];
  for (const exchanges of turns) {
    next += 1;
    messages.push({ role: 'user', text: `said ${next}.` });
    for (const { said, calls } of exchanges) {
      next += 1;
      const toolCalls = calls.map(({ name, odd: text }): ToolCall => {
        next += 1;
        return { id: `id-${next}`, name, arguments: { call: `call ${next}.`, text } };
      });
      messages.push({ role: 'assistant', text: `said ${next}a.${said}`, toolCalls });
      const answers = calls.map(({ odd: text, isError, rank }, at) => {
        const { id } = toolCalls[at]!;
        return { rank, answer: { callId: id, text: `result ${id.slice(3)}.${text}`, isError } };
      });
      answers.sort((a, b) => a.rank - b.rank);
      for (const { answer } of answers) messages.push({ role: 'tool', ...answer });
    }
  }
  return messages;
}

const conversation = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.array(exchange, { maxLength: 2 }), { minLength: 1, maxLength: 3 }),
  )
  .map(([hasSystem, turns]) => messagesOf(hasSystem, turns));

const marksIn = (text: string) => text.match(/(?:said|call|result) \d+a?\./g) ?? [];

interface Block {
  type?: string;
  role?: string;
  id?: string;
  call_id?: string;
  tool_use_id?: string;
  tool_call_id?: string;
  input?: unknown;
  function?: unknown;
  functionCall?: { name: string };
  functionResponse?: { name: string };
  content?: unknown;
  parts?: Block[];
  tool_calls?: Block[];
}

/** The id of a call, or of what it answers. Google has none: there the order counts. */
function linkOf(block: Block): ['call' | 'result', id: string | undefined] | undefined {
  if (block.functionCall) return ['call', undefined];
  if (block.functionResponse) return ['result', undefined];
  switch (block.type ?? '') {
    case 'tool_use':
    case 'function':
      return ['call', block.id];
    case 'function_call':
      return ['call', block.call_id];
    case 'tool_result':
      return ['result', block.tool_use_id];
    case 'function_call_output':
      return ['result', block.call_id];
    default:
      return block.role === 'tool' ? ['result', block.tool_call_id] : undefined;
  }
}

function blocksIn(body: Record<string, unknown>): Block[] {
  const list = (body['messages'] ?? body['input'] ?? body['contents']) as Block[];
  return list.flatMap((each) => {
    if (each.parts) return each.parts;
    const inner = Array.isArray(each.content) ? (each.content as Block[]) : [];
    return [...(inner.length > 0 ? inner : [each]), ...(each.tool_calls ?? [])];
  });
}

/** Which result answers which call, as the vendor reads it. */
function pairsOf(body: Record<string, unknown>): [string, string][] {
  const texts = { call: new Map<string, string>(), result: new Map<string, string>() };
  const names = { call: [] as unknown[], result: [] as unknown[] };
  for (const block of blocksIn(body)) {
    const [kind, id] = linkOf(block) ?? [];
    if (kind === undefined) continue;
    const { tool_calls: _, ...own } = block;
    texts[kind].set(id ?? String(texts[kind].size), marksIn(JSON.stringify(own))[0] ?? '');
    names[kind].push(block.functionCall?.name ?? block.functionResponse?.name);
  }
  if (names.call[0] !== undefined) expect(names.result).toEqual(names.call);
  return [...texts.result].map(([id, result]) => [texts.call.get(id) ?? 'none', result]);
}

let keys = 0;

describe.each(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[])('on %s', (kind) => {
  it('every conversation arrives in its order, each result with its call', async () => {
    const { key } = await server.createKey({ tier: 'enterprise' });
    const run = submitTurn(() => server, key);
    vendor.answer({
      headers: { 'content-type': 'text/event-stream' },
      pieces: [ANSWERS[kind]],
    });
    await fc.assert(
      fc.asyncProperty(conversation, async (messages) => {
        vendor.calls.length = 0;
        const headers = { 'x-provider-key': `vendor-key-${++keys}` };
        const job = await run({ model: TURN_MODELS[kind], messages, tools: TOOLS }, headers);
        expect(job).toMatchObject({ status: 'completed', output: 'Done.', toolCalls: [] });
        const text = vendor.calls[0]!.body.toString();
        const body = JSON.parse(text) as Record<string, unknown>;
        const expected = marksIn(JSON.stringify(messages));
        // Google's results come in the order of their calls.
        const inOrder = (marks: readonly string[]) =>
          kind === 'google' ? marks.toSorted() : [...marks];
        expect(inOrder(marksIn(text))).toEqual(inOrder(expected));
        const pairs = pairsOf(body);
        const results = messages.filter(({ role }) => role === 'tool');
        expect(pairs).toHaveLength(results.length);
        for (const [call, result] of pairs) expect(result).toBe(call.replace('call', 'result'));
      }),
      { numRuns: effort(30) },
    );
  });
});

describe('a stream that breaks off in the arguments of a call', () => {
  const whole = anthropicAnswer([
    { type: 'tool_use', id: 'c1', name: 'read', json: '{"path":"a.md"}' },
  ]);
  const headers = { 'content-type': 'text/event-stream' };
  const cut = {
    headers,
    pieces: [whole.slice(0, whole.indexOf('content_block_stop') - 30)],
    breaksOff: true,
  };
  const asked = { model: TURN_MODELS.anthropic, prompt: 'Go', tools: TOOLS };
  const runTurn = async () => {
    const { key } = await server.createKey();
    vendor.calls.length = 0;
    return submitTurn(() => server, key)(asked, { 'x-provider-key': `vendor-key-${++keys}` });
  };

  it('is asked for once more, and both are counted', async () => {
    vendor.answer(cut, { headers, pieces: [whole] });
    const job = await runTurn();
    expect(job).toMatchObject({ status: 'completed', usageEstimated: true });
    expect(job.toolCalls).toEqual([{ id: 'c1', name: 'read', arguments: { path: 'a.md' } }]);
    expect(vendor.calls).toHaveLength(2);
    expect(job.tokensUsed.output).toBeGreaterThan(5);
    expect(vendor.calls[1]!.body.equals(vendor.calls[0]!.body)).toBe(true);
  });

  it('is not paid for a third time', async () => {
    vendor.answer(cut);
    expect(await runTurn()).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_NETWORK' });
    expect(vendor.calls).toHaveLength(2);
  });
});

it('what a provider signed is stored with the job and comes back with the next turn', async () => {
  verifies('job.turns.opaque');
  const { key } = await server.createKey();
  const run = submitTurn(() => server, key);
  const headers = () => ({ 'x-provider-key': `vendor-key-${++keys}` });
  const thought = { type: 'thinking', thinking: 'Hm \u0000 \ud83c.', signature: 'c2lnbmVk' };
  const use = { type: 'tool_use', id: 'c1', name: 'read', json: '{"path":"a.md"}' };
  const stream = { 'content-type': 'text/event-stream' };
  vendor.answer(
    { headers: stream, pieces: [anthropicAnswer([thought, use])] },
    { headers: stream, pieces: [ANSWERS.anthropic] },
  );
  vendor.calls.length = 0;
  const model = TURN_MODELS.anthropic;
  const first = await run({ model, prompt: 'Go', tools: TOOLS }, headers());
  const messages = [
    { role: 'user', text: 'Go' },
    first.assistantMessage,
    { role: 'tool', callId: 'c1', text: 'A' },
  ];
  await run({ model, messages, tools: TOOLS }, headers());
  const { json: _json, ...block } = use;
  const sent = JSON.stringify([thought, { ...block, input: { path: 'a.md' } }]);
  expect(vendor.calls[1]!.body.toString()).toContain(sent);
});
