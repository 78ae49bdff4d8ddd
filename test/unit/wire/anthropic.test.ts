import { describe, expect, it } from 'vitest';
import { joined, readEvents, readWhole } from './read.ts';

const usage = {
  input_tokens: 1000,
  cache_read_input_tokens: 300,
  cache_creation_input_tokens: 40,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 },
  output_tokens: 1,
};
const start = (more: object = {}) => ({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', model: 'claude-opus-4-8', usage, content: [], ...more },
});
const block = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: unknown, delta: unknown) => ({ type: 'content_block_delta', index, delta });
const stop = (index: number) => ({ type: 'content_block_stop', index });
const end = (stop_reason: unknown, usage: object = { output_tokens: 50 }) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null },
  usage,
});
const over = { type: 'message_stop' };
const say = (text: string) => [
  block(0, { type: 'text', text: '' }),
  delta(0, { type: 'text_delta', text }),
  stop(0),
];

const read = (...events: unknown[]) => readEvents('anthropic', events);

describe('a stream of messages', () => {
  it('has text, thought, calls and what they used', () => {
    const { answer, deltas } = read(
      start(),
      { type: 'ping' },
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm, ' }),
      delta(0, { type: 'thinking_delta', thinking: 'well.' }),
      delta(0, { type: 'signature_delta', signature: 'c2ln' }),
      stop(0),
      block(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'I read ' }),
      delta(1, { type: 'text_delta', text: 'it.' }),
      delta(1, { type: 'citations_delta', citation: {} }),
      stop(1),
      block(2, { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '' }),
      delta(2, { type: 'input_json_delta', partial_json: '{"path":' }),
      delta(2, { type: 'input_json_delta', partial_json: '"a.ts"}' }),
      stop(2),
      block(3, { type: 'tool_use', id: 'toolu_2', name: 'list', input: {} }),
      stop(3),
      block(4, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { q: 1 } }),
      stop(4),
      block(5, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
      stop(5),
      end('tool_use'),
      over,
    );
    expect(answer).toMatchObject({
      text: 'I read it.',
      thought: 'Hm, well.',
      toolCalls: [
        { id: 'toolu_1', name: 'read', arguments: '{"path":"a.ts"}' },
        { id: 'toolu_2', name: 'list', arguments: '{}' },
        { id: 'srvtoolu_1', name: 'web_search', arguments: '{"q":1}' },
      ],
      began: true,
      usage: { input: 1340, output: 50, cacheRead: 300, cacheWrite: 40, cacheWriteHour: 30 },
      finish: 'tool_calls',
      finishRaw: 'tool_use',
      isComplete: true,
      model: 'claude-opus-4-8',
      error: undefined,
    });
    const { text, thought, toolCalls } = answer;
    expect(joined(deltas)).toEqual({ text, thought, toolCalls });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['compaction', 'other'],
    ['a_new_reason', 'other'],
  ])('that ends with %s ended by %s', (raw, finish) => {
    const { answer } = read(start(), ...say('Yes.'), end(raw), over);
    expect(answer).toMatchObject({ finish, finishRaw: raw, isComplete: true });
  });

  it('is not whole without its end', () => {
    expect(read(start(), ...say('Yes.')).answer).toMatchObject({
      isComplete: false,
      usage: undefined,
      partial: { input: 1340, cacheRead: 300, cacheWrite: 40, cacheWriteHour: 30 },
    });
    expect(read(start(), ...say('Yes.'), end('end_turn')).answer.isComplete).toBe(false);
    expect(read(start(), ...say('Yes.'), end(null), over).answer.isComplete).toBe(false);
    expect(read(start()).answer).toMatchObject({ began: false });
  });

  it('may correct at its end what it counted at its start', () => {
    const last = { input_tokens: 1200, cache_read_input_tokens: null, output_tokens: 9 };
    const { answer } = read(start(), ...say('Yes.'), end('end_turn', last), over);
    expect(answer.usage).toMatchObject({ input: 1540, cacheRead: 300, output: 9 });
  });

  it('counts every round of an answer that the model was called for several times', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 500, output_tokens: 20 },
      { type: 'message', input_tokens: 1000, output_tokens: 50 },
      { type: 'advisor_message', input_tokens: 7, output_tokens: 7 },
    ];
    const of = (more: object[]) =>
      read(
        start(),
        ...say('Yes.'),
        end('end_turn', {
          output_tokens: 50,
          output_tokens_details: { thinking_tokens: 12 },
          iterations: [...iterations, ...more],
        }),
        over,
      ).answer.usage;
    expect(of([])).toMatchObject({ input: 1840, output: 70, reasoning: 12 });
    expect(of([{ type: 'fallback_message' }])).toMatchObject({ input: 1340, output: 50 });
  });

  it.each([-1, 5.5, 1e12, '1000', null])('takes no figure that makes no sense: %s', (figure) => {
    const odd = start({ usage: { ...usage, input_tokens: figure } });
    const { answer } = read(odd, ...say('Yes.'), end('end_turn'), over);
    expect(answer).toMatchObject({ isComplete: true, usage: undefined, partial: undefined });
    const oddEnd = end('end_turn', { output_tokens: figure });
    if (figure !== null) {
      expect(read(start(), ...say('Yes.'), oddEnd, over).answer.usage).toBeUndefined();
    }
  });

  it('says when it was charged as a fast one, and where its container is', () => {
    const fast = { output_tokens: 5, speed: 'fast' };
    const last = {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', container: { id: 'container_1' } },
      usage: fast,
    };
    const { answer } = read(start(), ...say('Yes.'), last, over);
    expect(answer).toMatchObject({ tier: 'priority', storedId: 'container_1' });
  });

  it('fails by an error in it, before, between or after its text', () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    const failure = { type: 'error', error, request_id: 'req_1' };
    const expected = { status: 529, code: 'overloaded_error', message: 'Overloaded' };
    for (const events of [
      [failure],
      [start(), ...say('Yes.'), failure],
      [start(), ...say('Yes.'), end('end_turn'), failure, over],
      [start(), ...say('Yes.'), end('end_turn'), over, failure],
    ]) {
      expect(read(...events).answer).toMatchObject({ error: expected, isComplete: false });
    }
  });

  it('skips what it does not know, and blank data', () => {
    const { answer } = read(
      start(),
      '',
      { type: 'mill_pond', level: 3 },
      ...say('Yes.'),
      delta(0, { type: 'new_delta' }),
      '[DONE]',
      end('end_turn'),
      over,
    );
    expect(answer).toMatchObject({ text: 'Yes.', isComplete: true, error: undefined });
  });

  it.each([
    ['half an event', '{"type": "content_block_del'],
    ['a text', '"text"'],
    ['a list', '[1]'],
    ['a place that is no number', delta('one', 7)],
    ['a text that is none', delta(0, { type: 'text_delta', text: 5 })],
  ])('cannot be read with %s in it', (_what, odd) => {
    const { answer } = read(start(), odd, ...say('Yes.'), end('end_turn'), over);
    expect(answer).toMatchObject({
      text: 'Yes.',
      isComplete: false,
      error: { code: 'unreadable_answer' },
    });
  });
});

describe('a whole message', () => {
  const body = {
    type: 'message',
    model: 'claude-opus-4-8',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'Yes.' },
      { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a.ts' } },
    ],
    stop_reason: 'tool_use',
    usage: { ...usage, output_tokens: 50 },
  };

  it('comes to the same as a stream', () => {
    expect(readWhole('anthropic', body).answer).toMatchObject({
      text: 'Yes.',
      thought: 'Hm.',
      toolCalls: [{ id: 'toolu_1', name: 'read', arguments: '{"path":"a.ts"}' }],
      usage: { input: 1340, output: 50 },
      finish: 'tool_calls',
      isComplete: true,
    });
  });

  it('may be an error', () => {
    const error = { type: 'rate_limit_error', message: 'Slow down' };
    expect(readWhole('anthropic', { type: 'error', error }).answer).toMatchObject({
      isComplete: false,
      error: { status: 429, code: 'rate_limit_error', message: 'Slow down' },
    });
    expect(readWhole('anthropic', '<html>').answer.error).toMatchObject({
      code: 'unreadable_answer',
    });
  });

  it('may have arguments deeper than can be written', () => {
    const deep = '{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000);
    const text = JSON.stringify(body).replace('{"path":"a.ts"}', deep);
    const { answer } = readWhole('anthropic', text);
    expect(answer.text).toBe('Yes.');
    expect(answer.error === undefined).toBe(answer.toolCalls[0]?.arguments === deep);
  });
});
