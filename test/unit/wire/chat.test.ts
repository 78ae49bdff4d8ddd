import { describe, expect, it } from 'vitest';
import { joined, readEvents, readWhole } from './read.ts';

const chunk = (choices: unknown, more: object = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: 'gpt-5',
  choices,
  ...more,
});
const delta = (delta: object, finish_reason: unknown = null, index = 0) =>
  chunk([{ index, delta, logprobs: null, finish_reason }]);
const usage = {
  prompt_tokens: 1340,
  completion_tokens: 50,
  prompt_tokens_details: { cached_tokens: 300, cache_write_tokens: 40 },
  completion_tokens_details: { reasoning_tokens: 20 },
};
const counts = (more: object = {}) => chunk([], { usage: { ...usage, ...more } });
const call = (index: number | undefined, id: string | undefined, fields: object) =>
  delta({
    tool_calls: [
      {
        ...(index !== undefined && { index }),
        ...(id !== undefined && { id, type: 'function' }),
        function: fields,
      },
    ],
  });

const read = (...events: unknown[]) => readEvents('chat', events);

describe('a stream of chat completions', () => {
  it('has text, thought and what they used', () => {
    const { answer, deltas } = read(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'Hm.' }),
      delta({ content: 'Ye' }),
      delta({ content: 's.' }),
      delta({}, 'stop'),
      counts(),
      '[DONE]',
    );
    expect(answer).toMatchObject({
      text: 'Yes.',
      thought: 'Hm.',
      began: true,
      usage: { input: 1340, output: 50, cacheRead: 300, cacheWrite: 40, reasoning: 20 },
      finish: 'stop',
      finishRaw: 'stop',
      isComplete: true,
      model: 'gpt-5',
      error: undefined,
    });
    expect(joined(deltas)).toMatchObject({ text: 'Yes.', thought: 'Hm.' });
    expect(deltas.map(({ kind }) => kind)).toEqual(['thought', 'text', 'text']);
  });

  it('has calls, which come in pieces beside each other', () => {
    const { answer, deltas } = read(
      call(0, 'call_a', { name: 'read', arguments: '' }),
      call(0, undefined, { arguments: '{"path":' }),
      call(1, 'call_b', { name: 'list', arguments: '{' }),
      call(0, undefined, { arguments: '"a.ts"}' }),
      call(1, undefined, { arguments: '}' }),
      delta({}, 'tool_calls'),
    );
    const toolCalls = [
      { id: 'call_a', name: 'read', arguments: '{"path":"a.ts"}' },
      { id: 'call_b', name: 'list', arguments: '{}' },
    ];
    expect(answer).toMatchObject({ toolCalls, finish: 'tool_calls', isComplete: true });
    expect(joined(deltas).toolCalls).toEqual(toolCalls);
  });

  it.each([
    ['without a place', [undefined, undefined]],
    ['all in the first place', [0, 0]],
  ])('has calls that servers send whole, %s', (_how, [first, second]) => {
    const { answer } = read(
      call(first, 'call_a', { name: 'read', arguments: '{"n":1}' }),
      call(second, 'call_b', { name: 'read', arguments: '{"n":2}' }),
      delta({}, 'tool_calls'),
    );
    expect(answer.toolCalls).toEqual([
      { id: 'call_a', name: 'read', arguments: '{"n":1}' },
      { id: 'call_b', name: 'read', arguments: '{"n":2}' },
    ]);
  });

  it('has calls with an id on every piece, with none at all, and those of older servers', () => {
    const arguments_ = (...events: unknown[]) => read(...events).answer.toolCalls;
    expect(
      arguments_(
        call(0, 'call_a', { name: 'read', arguments: '{' }),
        call(0, 'call_a', { name: 'read', arguments: '}' }),
      ),
    ).toEqual([{ id: 'call_a', name: 'read', arguments: '{}' }]);
    expect(
      arguments_(
        call(undefined, undefined, { name: 'read', arguments: '{' }),
        call(undefined, undefined, { arguments: '}' }),
      ),
    ).toEqual([{ id: 'call_0', name: 'read', arguments: '{}', isCounted: true }]);
    expect(
      arguments_(
        delta({ function_call: { name: 'read', arguments: '' } }),
        delta({ function_call: { arguments: '{}' } }),
        delta({}, 'function_call'),
      ),
    ).toEqual([{ id: 'function_call', name: 'read', arguments: '{}' }]);
    const custom = {
      index: 0,
      id: 'call_a',
      type: 'custom',
      custom: { name: 'sql', input: 'sel' },
    };
    expect(
      arguments_(
        delta({ tool_calls: [custom] }),
        delta({ tool_calls: [{ index: 0, custom: { input: 'ect' } }] }),
      ),
    ).toEqual([{ id: 'call_a', name: 'sql', arguments: 'select' }]);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'content_filter'],
    ['tool_calls', 'tool_calls'],
    ['function_call', 'tool_calls'],
    ['insufficient_system_resource', 'other'],
  ])('that ends with %s ended by %s', (raw, finish) => {
    const { answer } = read(delta({ content: 'Yes.' }), delta({}, raw), '[DONE]');
    expect(answer).toMatchObject({ finish, finishRaw: raw, isComplete: true, usage: undefined });
  });

  it('is declined where it has a refusal', () => {
    const { answer } = read(delta({ refusal: 'I cannot.' }), delta({}, 'stop'), '[DONE]');
    expect(answer).toMatchObject({ text: 'I cannot.', finish: 'content_filter', isComplete: true });
  });

  it('is not whole without a reason for its end', () => {
    expect(read(delta({ content: 'Yes.' })).answer.isComplete).toBe(false);
    expect(read(delta({ content: 'Yes.' }), delta({}, ''), '[DONE]').answer.isComplete).toBe(false);
    expect(read(delta({ role: 'assistant', content: '' })).answer.began).toBe(false);
  });

  it('is whole when each of several answers is', () => {
    const events = [
      delta({ content: 'Yes.' }, null, 0),
      delta({ content: 'No.' }, null, 1),
      delta({}, 'stop', 0),
    ];
    expect(read(...events, counts()).answer).toMatchObject({ isComplete: false, usage: undefined });
    expect(read(...events, delta({}, 'stop', 1), counts()).answer).toMatchObject({
      isComplete: true,
      usage: { input: 1340 },
    });
  });

  it('may count as it comes', () => {
    const soFar = chunk([{ index: 0, delta: { content: 'Yes.' } }], {
      usage: { prompt_tokens: 7, completion_tokens: 1 },
    });
    const running = { input: 7, output: 1, cacheRead: 0, cacheWrite: 0 };
    expect(read(soFar).answer).toMatchObject({ usage: undefined, partial: running });
    expect(read(soFar, delta({}, 'stop')).answer.usage).toEqual(running);
  });

  it.each([-1, 5.5, 1e12, '1340', null])('takes no figure that makes no sense: %s', (figure) => {
    const events = [delta({ content: 'Yes.' }), delta({}, 'stop')];
    expect(read(...events, counts({ prompt_tokens: figure })).answer.usage).toBeUndefined();
    expect(read(...events, counts({ completion_tokens: figure })).answer.usage).toBeUndefined();
    const cached = { prompt_tokens_details: { cached_tokens: figure } };
    expect(read(...events, counts(cached)).answer.usage).toMatchObject({ cacheRead: 0 });
  });

  it('never has more in the cache than there was input', () => {
    const all = { prompt_tokens_details: { cached_tokens: 9999, cache_write_tokens: 9999 } };
    const { answer } = read(delta({ content: 'Yes.' }), delta({}, 'stop'), counts(all));
    expect(answer.usage).toMatchObject({ cacheRead: 1340, cacheWrite: 0 });
  });

  it('says what it was charged, and at which tier', () => {
    const { answer } = read(
      chunk([{ index: 0, delta: { content: 'Yes.' } }], { service_tier: 'flex' }),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], { service_tier: null }),
      counts({ cost: 0.0123 }),
    );
    expect(answer).toMatchObject({ tier: 'flex', costUsd: 0.0123 });
    expect(read(counts({ cost: -1 })).answer.costUsd).toBeUndefined();
  });

  it('may have its thoughts in parts, by two names, or among the parts of its text', () => {
    const detail = { type: 'reasoning.text', text: 'Hm.' };
    expect(read(delta({ reasoning_details: [detail] })).answer.thought).toBe('Hm.');
    const twice = delta({ reasoning: 'Hm.', reasoning_details: [detail] });
    expect(read(twice).answer.thought).toBe('Hm.');
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Yes.' },
    ];
    expect(read(delta({ content: parts })).answer).toMatchObject({ thought: 'Hm.', text: 'Yes.' });
  });

  it.each([
    ['{error}', { error: { message: 'Busy', type: 'overloaded_error', code: 503 } }, 503],
    ['a code as text', { error: { message: 'Busy', code: '429' } }, 429],
    ['a word', { error: { message: 'Busy', code: 'rate_limit_exceeded' } }, 429],
    ['a status of its own', { error: { message: 'Busy', code: 'odd', status_code: 498 } }, 498],
    ['a text', { error: 'Busy' }, undefined],
    ['an object of its own', { object: 'error', message: 'Busy', code: 400 }, 400],
    [
      'a chunk that ends by it',
      chunk([{ index: 0, delta: { content: '' }, finish_reason: 'error' }], {
        error: { code: 502, message: 'Busy' },
      }),
      502,
    ],
    ['a choice', chunk([{ index: 0, error: { code: 502, message: 'Busy' } }]), 502],
  ])('fails by an error in the form of %s', (_form, event, status) => {
    const { answer } = read(delta({ content: 'Yes.' }), event, delta({}, 'stop'), '[DONE]');
    expect(answer).toMatchObject({ isComplete: false, error: { status, message: 'Busy' } });
  });

  it('fails by the first of several errors, also after its end', () => {
    const { answer } = read(
      delta({ content: 'Yes.' }, 'stop'),
      { error: { message: 'Busy', code: 503 } },
      { error: { message: 'Broken', code: 400 } },
      '[DONE]',
    );
    expect(answer).toMatchObject({ isComplete: false, error: { status: 503, message: 'Busy' } });
  });

  it('skips what it does not know', () => {
    const { answer } = read(
      { object: 'chat.mill.pond', level: 3, choices: [] },
      { object: 'ping' },
      delta({ content: 'Yes.' }),
      delta({}, 'stop'),
    );
    expect(answer).toMatchObject({ text: 'Yes.', isComplete: true });
  });

  it.each([
    ['half an event', '{"choices": ['],
    ['a text', '"text"'],
    ['choices that are no list', { choices: 'none' }],
  ])('cannot be read with %s in it', (_what, odd) => {
    const { answer } = read(delta({ content: 'Yes.' }), odd, delta({}, 'stop'), '[DONE]');
    expect(answer).toMatchObject({ isComplete: false, error: { code: 'unreadable_answer' } });
  });
});

describe('a whole chat completion', () => {
  const message = {
    role: 'assistant',
    content: 'Yes.',
    reasoning_content: 'Hm.',
    tool_calls: [
      { id: 'call_a', type: 'function', function: { name: 'read', arguments: '{"n":1}' } },
      { id: 'call_b', type: 'function', function: { name: 'read', arguments: '{"n":2}' } },
    ],
  };
  const body = (choices: object[]) => ({ object: 'chat.completion', model: 'm', choices, usage });

  it('comes to the same as a stream', () => {
    const one = body([{ index: 0, message, finish_reason: 'tool_calls' }]);
    expect(readWhole('chat', one).answer).toMatchObject({
      text: 'Yes.',
      thought: 'Hm.',
      toolCalls: [
        { id: 'call_a', name: 'read', arguments: '{"n":1}' },
        { id: 'call_b', name: 'read', arguments: '{"n":2}' },
      ],
      usage: { input: 1340, output: 50 },
      finish: 'tool_calls',
      isComplete: true,
    });
  });

  it('may be an error, or no answer', () => {
    const error = { message: 'Bad key', type: 'invalid_request_error', code: 'invalid_api_key' };
    expect(readWhole('chat', { error }).answer).toMatchObject({
      isComplete: false,
      error: { status: 400, code: 'invalid_api_key', message: 'Bad key' },
    });
    expect(readWhole('chat', body([])).answer.isComplete).toBe(false);
    expect(readWhole('chat', '').answer).toMatchObject({ isComplete: false, error: undefined });
  });
});
