import { describe, expect, it } from 'vitest';
import { joined, readEvents, readWhole } from './read.ts';

const usage = {
  input_tokens: 1340,
  input_tokens_details: { cached_tokens: 300, cache_write_tokens: 40 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 20 },
};
const response = (more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  model: 'gpt-5.6',
  service_tier: 'flex',
  output: [],
  ...more,
});
const created = { type: 'response.created', response: response({ status: 'in_progress' }) };
const added = (output_index: number, item: object) => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (output_index: number, item: object) => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const delta = (kind: string, delta: unknown, output_index = 0) => ({
  type: `response.${kind}.delta`,
  item_id: 'item_1',
  output_index,
  delta,
});
const say = (text: string) => [
  added(0, { type: 'message', id: 'msg_1', content: [] }),
  delta('output_text', text),
];
const end = (status: string, more: object = {}) => ({
  type: `response.${status}`,
  response: response({ status, usage, service_tier: 'default', ...more }),
});

const read = (...events: unknown[]) => readEvents('responses', events);

describe('a stream of a response', () => {
  it('has text, thought, calls and what they used', () => {
    const { answer, deltas } = read(
      created,
      added(0, { type: 'reasoning', id: 'rs_1', summary: [] }),
      delta('reasoning_summary_text', 'Hm, '),
      delta('reasoning_text', 'well.'),
      done(0, { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm, ' }] }),
      ...say('Yes.'),
      added(1, { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'read' }),
      added(2, { type: 'custom_tool_call', id: 'ct_1', call_id: 'call_b', name: 'sql', input: '' }),
      delta('function_call_arguments', '{"path":', 1),
      delta('custom_tool_call_input', 'sel', 2),
      delta('function_call_arguments', '"a.ts"}', 1),
      done(1, {
        type: 'function_call',
        call_id: 'call_a',
        name: 'read',
        arguments: '{"path":"a.ts"}',
      }),
      // The rest of it came in no delta.
      done(2, { type: 'custom_tool_call', call_id: 'call_b', name: 'sql', input: 'select' }),
      // Without a beginning.
      done(3, { type: 'web_search_call', id: 'ws_1', action: { type: 'search' } }),
      end('completed'),
    );
    const toolCalls = [
      { id: 'call_a', name: 'read', arguments: '{"path":"a.ts"}' },
      { id: 'call_b', name: 'sql', arguments: 'select' },
      { id: 'ws_1', name: 'web_search_call', arguments: '{"type":"search"}' },
    ];
    expect(answer).toMatchObject({
      text: 'Yes.',
      thought: 'Hm, well.',
      toolCalls,
      usage: { input: 1340, output: 50, cacheRead: 300, cacheWrite: 40, reasoning: 20 },
      finish: 'tool_calls',
      isComplete: true,
      model: 'gpt-5.6',
      storedId: 'resp_1',
      error: undefined,
    });
    expect(joined(deltas)).toEqual({ text: 'Yes.', thought: 'Hm, well.', toolCalls });
  });

  it('has the tier that it ends with, not the one that it was asked for', () => {
    expect(read(created, ...say('Yes.')).answer.tier).toBeUndefined();
    expect(read(created, ...say('Yes.'), end('completed')).answer.tier).toBe('standard');
    const none = end('completed', { service_tier: null });
    expect(read(created, ...say('Yes.'), none).answer.tier).toBeUndefined();
  });

  it('is not kept where it says so', () => {
    const notKept = { type: 'response.created', response: response({ store: false }) };
    const last = end('completed', { store: false });
    expect(read(notKept, ...say('Yes.'), last).answer.storedId).toBeUndefined();
  });

  it.each([
    ['completed', {}, 'stop', 'completed'],
    ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'length', undefined],
    [
      'incomplete',
      { incomplete_details: { reason: 'content_filter' } },
      'content_filter',
      undefined,
    ],
    ['incomplete', { incomplete_details: { reason: 'a_new_one' } }, 'other', 'a_new_one'],
    ['incomplete', {}, 'other', 'incomplete'],
  ])('that is %s with %j ended by %s', (status, more, finish, raw) => {
    const { answer } = read(created, ...say('Yes.'), end(status, more));
    expect(answer).toMatchObject({ finish, isComplete: true, usage: { output: 50 } });
    if (raw !== undefined) expect(answer.finishRaw).toBe(raw);
  });

  it('is declined where it has a refusal', () => {
    const { answer } = read(created, delta('refusal', 'I cannot.'), end('completed'));
    expect(answer).toMatchObject({ text: 'I cannot.', finish: 'content_filter', isComplete: true });
  });

  it('is not whole without its end', () => {
    expect(read(created, ...say('Yes.')).answer.isComplete).toBe(false);
    expect(read(created).answer.began).toBe(false);
  });

  it('takes its text from the end where no deltas came', () => {
    const output = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'Yes.' }] },
    ];
    const { answer, deltas } = read(created, end('completed', { output }));
    expect(answer).toMatchObject({ text: 'Yes.', thought: 'Hm.', isComplete: true });
    expect(joined(deltas)).toMatchObject({ text: 'Yes.', thought: 'Hm.' });
  });

  it.each([-1, 5.5, 1e12, '1340', null])('takes no figure that makes no sense: %s', (figure) => {
    for (const name of ['input_tokens', 'output_tokens']) {
      const last = end('completed', { usage: { ...usage, [name]: figure } });
      expect(read(created, ...say('Yes.'), last).answer).toMatchObject({
        isComplete: true,
        usage: undefined,
      });
    }
  });

  it.each([
    ['an event', { type: 'error', code: 'rate_limit_exceeded', message: 'Busy' }, 429],
    ['a nested one', { type: 'error', error: { type: 'server_error', message: 'Busy' } }, 500],
    [
      'the end',
      end('failed', { error: { code: 'server_is_overloaded', message: 'Busy' }, usage: null }),
      503,
    ],
    ['a server in between', { error: { code: 400, message: 'Busy' } }, 400],
  ])('fails by an error in the form of %s', (_form, event, status) => {
    const { answer } = read(created, ...say('Yes.'), event);
    expect(answer).toMatchObject({ isComplete: false, error: { status, message: 'Busy' } });
  });

  it('has its usage where it failed, whether the vendor says why or not', () => {
    const { answer } = read(created, ...say('Yes.'), end('failed', { error: null }));
    expect(answer.usage).toMatchObject({ output: 50 });
    expect(answer.error).toMatchObject({ status: undefined, message: '' });
  });

  it('skips what it does not know', () => {
    const unknown = { type: 'response.mill_pond.level', level: 3 };
    const { answer } = read(created, unknown, ...say('Yes.'), end('completed'), '[DONE]');
    expect(answer).toMatchObject({ text: 'Yes.', isComplete: true });
  });

  it.each([
    ['half an event', '{"type": "response.'],
    ['a text that is none', { type: 'response.output_text.delta', item_id: 7, delta: null }],
  ])('cannot be read with %s in it', (_what, odd) => {
    const { answer } = read(created, odd, ...say('Yes.'), end('completed'));
    expect(answer).toMatchObject({ isComplete: false, error: { code: 'unreadable_answer' } });
  });
});

describe('a whole response', () => {
  const output = [
    { type: 'message', content: [{ type: 'output_text', text: 'Yes.' }] },
    { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'read', arguments: '{}' },
  ];

  it('comes to the same as a stream', () => {
    const body = response({ status: 'completed', output, usage });
    expect(readWhole('responses', body).answer).toMatchObject({
      text: 'Yes.',
      toolCalls: [{ id: 'call_a', name: 'read', arguments: '{}' }],
      usage: { input: 1340 },
      finish: 'tool_calls',
      isComplete: true,
    });
  });

  it('is not whole while it works in the background', () => {
    const { answer } = readWhole('responses', response({ status: 'queued' }));
    expect(answer).toMatchObject({ isComplete: false, storedId: 'resp_1', error: undefined });
  });

  it('may be an error', () => {
    const error = { message: 'Bad', type: 'invalid_request_error', code: null };
    expect(readWhole('responses', { error }).answer).toMatchObject({
      isComplete: false,
      error: { status: 400, message: 'Bad' },
    });
  });
});
