// Calls of tools over several turns, as each vendor's format has them.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Message, ToolSpec } from '../../src/contract/conversation-api.ts';
import {
  anthropicAnswer,
  chatAnswer,
  googleAnswer,
  responsesAnswer,
} from '../support/turn-answers.ts';
import { toolOf } from '../support/turns.ts';
import { verifies } from '../support/verifies.ts';
import { messageOf, useTurnVendors } from './turn-vendors.ts';
import type { Completed, Kind } from './turn-vendors.ts';

const vendors = useTurnVendors();
const TOOLS: ToolSpec[] = [toolOf('read_file'), toolOf('pwd', {})];
const ASKED: Message[] = [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'Read a.md and b.md.' },
];

interface Script {
  /** Thinks, says something, calls read_file twice and pwd without arguments, all at once. */
  calls: string;
  /** The same calls, the last one cut off at the length. */
  cut: string;
  /** One call whose arguments are no JSON, and one of a tool that was not offered. */
  wrong: string;
  /** The last message or item of the model, as it has to go back. */
  own: unknown;
  end: string;
}

const [A, B] = ['{"path":"a.md"}', '{"path":"b.md"}'];
const BROKEN = '{"path": a.md';
const parsed = (json: string) => JSON.parse(json) as object;

const anthropicCall = (id: string, name: string, json: string) => ({
  type: 'tool_use',
  id,
  name,
  json,
});
const THOUGHTS = [
  { type: 'thinking', thinking: 'Two files, then.', signature: 'c2lnbmVk' },
  { type: 'redacted_thinking', data: 'c2VhbGVk' },
];
const SAID = { type: 'text', text: 'I will read both.' };

const chatCall = (index: number, id: string, name: string, text: string) => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }],
});
const DETAILS = [
  { type: 'reasoning.text', text: 'Two files', format: 'anthropic-claude-v1', index: 0 },
  { type: 'reasoning.text', text: ', then.', index: 0 },
  { type: 'reasoning.text', signature: 'c2lnbmVk', index: 0 },
  { type: 'reasoning.text', text: 'Go.', signature: 'c2lnbmVkMg', index: 0 },
  { type: 'reasoning.encrypted', data: 'c2VhbGVk', id: 'rs_1', index: 1 },
];
const chatEnd = chatAnswer([{ content: 'Done.' }], 'stop');
const chatCalls = [chatCall(0, 'c1', 'read_file', A), chatCall(1, 'c2', 'read_file', B)];
const chatWrong = [chatCall(0, 'c1', 'read_file', BROKEN), chatCall(1, 'c2', 'fly', '{}')];
const sentCall = (id: string, name: string, text: string) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

const item = (call_id: string, name: string, text: string) => ({
  id: `fc_${call_id}`,
  type: 'function_call',
  status: 'completed',
  arguments: text,
  call_id,
  name,
});
const REASONING = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'c2VhbGVk' };
const ITEM = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', annotations: [], text: 'I will read both.' }],
};

const part = (name: string, args: object, more: object = {}) => ({
  functionCall: { name, args },
  ...more,
});

const SCRIPTS: Record<Kind, Script> = {
  anthropic: {
    calls: anthropicAnswer([
      ...THOUGHTS,
      SAID,
      anthropicCall('c1', 'read_file', A),
      anthropicCall('c2', 'read_file', B),
      anthropicCall('c3', 'pwd', ''),
    ]),
    cut: anthropicAnswer(
      [anthropicCall('c1', 'read_file', A), anthropicCall('c2', 'read_file', '')],
      'max_tokens',
    ),
    wrong: anthropicAnswer([
      anthropicCall('c1', 'read_file', BROKEN),
      anthropicCall('c2', 'fly', '{}'),
    ]),
    own: {
      role: 'assistant',
      content: [
        ...THOUGHTS,
        SAID,
        { type: 'tool_use', id: 'c1', name: 'read_file', input: parsed(A) },
        { type: 'tool_use', id: 'c2', name: 'read_file', input: parsed(B) },
        { type: 'tool_use', id: 'c3', name: 'pwd', input: {} },
      ],
    },
    end: anthropicAnswer([{ type: 'text', text: 'Done.' }], 'end_turn'),
  },
  openrouter: {
    calls: chatAnswer([
      ...DETAILS.map((detail) => ({ reasoning_details: [detail] })),
      { content: 'I will read both.' },
      ...chatCalls,
      chatCall(2, 'c3', 'pwd', ''),
    ]),
    cut: chatAnswer([chatCalls[0]!, chatCall(1, 'c2', 'read_file', '{"pa')], 'length'),
    wrong: chatAnswer(chatWrong),
    own: {
      role: 'assistant',
      content: 'I will read both.',
      reasoning_details: [
        {
          type: 'reasoning.text',
          text: 'Two files, then.',
          format: 'anthropic-claude-v1',
          index: 0,
          signature: 'c2lnbmVk',
        },
        DETAILS[3],
        DETAILS[4],
      ],
      tool_calls: [
        sentCall('c1', 'read_file', A),
        sentCall('c2', 'read_file', B),
        sentCall('c3', 'pwd', '{}'),
      ],
    },
    end: chatEnd,
  },
  own: {
    calls: chatAnswer([
      { reasoning_content: 'Two files' },
      { reasoning_content: ', then.' },
      { content: 'I will read both.' },
      ...chatCalls,
      chatCall(2, 'c3', 'pwd', ''),
    ]),
    cut: chatAnswer([chatCalls[0]!, chatCall(1, 'c2', 'read_file', '')], 'length'),
    wrong: chatAnswer(chatWrong),
    own: {
      role: 'assistant',
      content: 'I will read both.',
      reasoning_content: 'Two files, then.',
      tool_calls: [
        sentCall('c1', 'read_file', A),
        sentCall('c2', 'read_file', B),
        sentCall('c3', 'pwd', '{}'),
      ],
    },
    end: chatEnd,
  },
  responses: {
    calls: responsesAnswer([
      REASONING,
      ITEM,
      item('c1', 'read_file', A),
      item('c2', 'read_file', B),
      item('c3', 'pwd', '{}'),
    ]),
    cut: responsesAnswer(
      [
        item('c1', 'read_file', A),
        REASONING,
        { ...item('c2', 'read_file', '{"pa'), status: 'incomplete' },
      ],
      'max_output_tokens',
    ),
    wrong: responsesAnswer([item('c1', 'read_file', BROKEN), item('c2', 'fly', '{}')]),
    own: [
      REASONING,
      ITEM,
      item('c1', 'read_file', A),
      item('c2', 'read_file', B),
      item('c3', 'pwd', '{}'),
    ],
    end: responsesAnswer([{ ...ITEM, content: [{ type: 'output_text', text: 'Done.' }] }]),
  },
  google: {
    calls: googleAnswer([
      { text: 'I will ' },
      { text: 'read both.' },
      part('read_file', parsed(A), { thoughtSignature: 'c2lnbmVk' }),
      part('read_file', parsed(B)),
      part('pwd', {}),
    ]),
    cut: googleAnswer([part('read_file', parsed(A), { thoughtSignature: 'x' })], 'MAX_TOKENS'),
    // What Google sends as arguments is an object in any case.
    wrong: googleAnswer([part('read_file', {}), part('fly', {})]),
    own: {
      role: 'model',
      parts: [
        { text: 'I will read both.' },
        part('read_file', parsed(A), { thoughtSignature: 'c2lnbmVk' }),
        part('read_file', parsed(B)),
        part('pwd', {}),
      ],
    },
    end: googleAnswer([{ text: 'Done.' }]),
  },
};
const KINDS = Object.keys(SCRIPTS) as Kind[];

type Body = Record<string, unknown>;
const listOf = (body: Body) =>
  (body['messages'] ?? body['input'] ?? body['contents']) as Record<string, unknown>[];

/** A body without the marks that say up to where a vendor may cache it. */
const unmarked = (text: string) =>
  text
    .replaceAll(',"cache_control":{"type":"ephemeral"}', '')
    .replaceAll(/\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]/g, '$1');

async function firstTurn(
  kind: Kind,
  answer: 'calls' | 'cut' | 'wrong' = 'calls',
): Promise<Completed> {
  vendors().stream(SCRIPTS[kind][answer], SCRIPTS[kind].end);
  return vendors().completed(kind, { messages: ASKED, tools: TOOLS });
}

/** The messages of the next turn; answers come in another order than the calls. */
function continued(first: Completed): Message[] {
  const answers = first.turn!.toolCalls.map(({ id, arguments: given }): Message => ({
    role: 'tool',
    callId: id,
    text: `result of ${JSON.stringify(given)}`,
    ...(given === null && { isError: true }),
  }));
  return [...ASKED, messageOf(first), ...answers.toReversed()];
}

describe.each(KINDS)('a turn with tools on %s', (kind) => {
  beforeEach(() => void (vendors().vendor.calls.length = 0));

  it('completes with text and calls, and goes back as the vendor wrote it', async () => {
    verifies('job.turns.opaque');
    const first = await firstTurn(kind);
    expect(first).toMatchObject({ finish: 'stop', text: 'I will read both.' });
    const calls = first.turn!.toolCalls;
    expect(calls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ['read_file', { path: 'a.md' }],
      ['read_file', { path: 'b.md' }],
      ['pwd', {}],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    await vendors().completed(kind, { messages: continued(first), tools: TOOLS });
    const body = JSON.parse(vendors().sent()[1]!) as Body;
    const list = listOf(body);
    const { own } = SCRIPTS[kind];
    const expected = (Array.isArray(own) ? own : [own]) as unknown[];
    const at = list.findIndex((each) => JSON.stringify(each) === JSON.stringify(expected[0]));
    expect(JSON.stringify(list.slice(at, at + expected.length))).toBe(JSON.stringify(expected));
  });

  it('begins each request with the one before', async () => {
    const first = await firstTurn(kind);
    const second = continued(first);
    const next = await vendors().completed(kind, { messages: second, tools: TOOLS });
    const third: Message[] = [...second, messageOf(next), { role: 'user', text: 'Thanks.' }];
    await vendors().completed(kind, { messages: third, tools: TOOLS });
    const [one, two, three] = vendors().sent().map(unmarked) as [string, string, string];
    for (const [before, after] of [
      [one, two],
      [two, three],
    ] as const) {
      // Without the ends of the list and of the body.
      expect(after.startsWith(before.slice(0, -2))).toBe(true);
      expect(after.length).toBeGreaterThan(before.length);
    }
  });

  it('matches answers with their calls', async () => {
    const first = await firstTurn(kind);
    await vendors().completed(kind, { messages: continued(first), tools: TOOLS });
    const text = vendors().sent()[1]!;
    const order = first.turn!.toolCalls.map(({ id, arguments: given }) => {
      const result = JSON.stringify(`result of ${JSON.stringify(given)}`).slice(1, -1);
      if (kind !== 'google') {
        const owner = listOf(JSON.parse(text) as Body).flatMap((each) =>
          Array.isArray(each['content']) && kind === 'anthropic'
            ? (each['content'] as Body[])
            : [each],
        );
        const answer = owner.find(
          (each) =>
            (each['tool_use_id'] ??
              each['tool_call_id'] ??
              (each['type'] === 'function_call_output' ? each['call_id'] : undefined)) === id,
        )!;
        expect(JSON.stringify(answer)).toContain(result);
      }
      return text.indexOf(result);
    });
    expect(order.every((at) => at > 0)).toBe(true);
    // Google has no ids: there the order says which is which.
    if (kind === 'google') expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('lists whole calls only when the answer was cut off', async () => {
    const cut = await firstTurn(kind, 'cut');
    expect(cut.finish).toBe('length');
    expect(cut.turn!.toolCalls.map(({ arguments: given }) => given)).toEqual([{ path: 'a.md' }]);
    const messages = continued(cut);
    await vendors().completed(kind, { messages, tools: TOOLS });
    expect(vendors().sent()[1]).not.toMatch(/"c2"|incomplete/);
  });

  it('says what the model wrote where it is no JSON object, and takes it back', async () => {
    const wrong = await firstTurn(kind, 'wrong');
    const [broken, unknown] = wrong.turn!.toolCalls;
    expect(unknown).toMatchObject({ name: 'fly', arguments: {} });
    if (kind === 'google') expect(broken).toMatchObject({ arguments: {} });
    else expect(broken).toMatchObject({ arguments: null, argumentsText: BROKEN });
    await vendors().completed(kind, { messages: continued(wrong), tools: TOOLS });
    const text = vendors().sent()[1]!;
    if (kind !== 'google') expect(text).toMatch(/path\\+": a\.md/);
    expect(text).toContain('fly');
  });

  it('drops what another provider or model signed', async () => {
    const first = await firstTurn(kind);
    const { model, provider, format } = first.turn!.opaque!;
    expect(provider).toBe(vendors().provider(kind).id);
    for (const other of [
      { provider: 'other', model, format },
      { provider, model: 'other-model', format },
    ]) {
      const message = { ...messageOf(first), opaque: { ...first.turn!.opaque!, ...other } };
      const messages = [...ASKED, message, ...continued(first).slice(3)];
      await vendors().completed(kind, { messages, tools: TOOLS });
      const text = vendors().sent().at(-1)!;
      expect(text).not.toMatch(/c2lnbmVk|c2VhbGVk|reasoning_content|"rs_1"|"id":"fc_/);
      expect(text).toContain('I will read both.');
      expect(text).toContain('read_file');
    }
  });

  it('fails a stream that is cut in the arguments of a call, and counts what came', async () => {
    const { calls } = SCRIPTS[kind];
    const at = calls.lastIndexOf('read_file') - 40;
    vendors().vendor.answer({
      headers: { 'content-type': 'text/event-stream' },
      pieces: [calls.slice(0, at)],
      breaksOff: true,
    });
    const outcome = await vendors().call(kind, { messages: ASKED, tools: TOOLS });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { retryable: true } });
    expect(outcome.usage).toMatchObject({ estimated: true });
    expect(outcome.usage.output).toBeGreaterThan(0);
  });
});
