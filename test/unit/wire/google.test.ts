import { describe, expect, it } from 'vitest';
import { joined, readEvents, readWhole } from './read.ts';

const usageMetadata = {
  promptTokenCount: 1300,
  toolUsePromptTokenCount: 40,
  cachedContentTokenCount: 300,
  candidatesTokenCount: 30,
  thoughtsTokenCount: 20,
  serviceTier: 'flex',
};
const chunk = (parts: object[], more: object = {}, candidate: object = {}) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...candidate }],
  modelVersion: 'gemini-3-flash',
  usageMetadata,
  ...more,
});
const end = (finishReason: string, more: object = {}) =>
  chunk([{ text: '' }], more, { finishReason });

const read = (...events: unknown[]) => readEvents('google', events);

describe('a stream of generated content', () => {
  it('has text, thought and what they used', () => {
    const { answer, deltas } = read(
      chunk([{ text: 'Hm.', thought: true }]),
      chunk([{ text: 'Ye' }]),
      chunk([{ text: 's' }, { text: '.' }]),
      end('STOP'),
    );
    expect(answer).toMatchObject({
      text: 'Yes.',
      thought: 'Hm.',
      usage: { input: 1340, output: 50, cacheRead: 300, cacheWrite: 0, reasoning: 20 },
      finish: 'stop',
      finishRaw: 'STOP',
      isComplete: true,
      model: 'gemini-3-flash',
      tier: 'flex',
    });
    expect(joined(deltas)).toMatchObject({ text: 'Yes.', thought: 'Hm.' });
  });

  it('has calls, whole or in pieces, and the code that the vendor runs', () => {
    const { answer, deltas } = read(
      chunk([{ functionCall: { name: 'list' } }]),
      chunk([{ functionCall: { id: 'fc_1', name: 'read', args: { path: 'a.ts' } } }]),
      chunk([{ functionCall: { id: 'fc_2', name: 'write', willContinue: true } }]),
      chunk([
        {
          functionCall: {
            partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }],
            willContinue: true,
          },
        },
      ]),
      chunk([{ functionCall: {} }]),
      chunk([{ executableCode: { language: 'PYTHON', code: '1' } }]),
      chunk([{ toolCall: { id: 'tc_1', toolType: 'GOOGLE_SEARCH', args: { q: 1 } } }]),
      end('STOP'),
    );
    const toolCalls = [
      { id: 'call_0', name: 'list', arguments: '{}' },
      { id: 'fc_1', name: 'read', arguments: '{"path":"a.ts"}' },
      { id: 'fc_2', name: 'write', arguments: '[{"jsonPath":"$.a","stringValue":"x"}]' },
      { id: 'call_3', name: 'code_execution', arguments: '{"language":"PYTHON","code":"1"}' },
      { id: 'tc_1', name: 'GOOGLE_SEARCH', arguments: '{"q":1}' },
    ];
    expect(answer).toMatchObject({ toolCalls, finish: 'tool_calls', isComplete: true });
    expect(joined(deltas).toolCalls).toEqual(toolCalls);
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'other'],
    ['UNEXPECTED_TOOL_CALL', 'other'],
    ['OTHER', 'other'],
  ])('that ends with %s ended by %s', (raw, finish) => {
    const { answer } = read(chunk([{ text: 'Yes.' }]), end(raw));
    expect(answer).toMatchObject({ finish, finishRaw: raw, isComplete: true });
  });

  it('is declined where the prompt is', () => {
    const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata };
    expect(read(blocked).answer).toMatchObject({
      finish: 'content_filter',
      finishRaw: 'PROHIBITED_CONTENT',
      isComplete: true,
      began: false,
    });
    expect(read(chunk([{ text: 'Yes.' }]), blocked).answer).toMatchObject({ isComplete: true });
    const open = { promptFeedback: { blockReason: 'BLOCK_REASON_UNSPECIFIED' } };
    expect(read(open).answer.finish).toBeUndefined();
  });

  it('is not whole without its end, but has counted as it came', () => {
    expect(read(chunk([{ text: 'Yes.' }])).answer).toMatchObject({
      isComplete: false,
      usage: undefined,
      partial: { input: 1340, output: 50 },
    });
  });

  it('is whole when each of several candidates is', () => {
    const other = { candidates: [{ index: 1, content: { parts: [{ text: 'No.' }] } }] };
    const events = [chunk([{ text: 'Yes.' }]), other, end('STOP')];
    expect(read(...events).answer.isComplete).toBe(false);
    const last = { candidates: [{ index: 1, finishReason: 'STOP' }] };
    expect(read(...events, last).answer.isComplete).toBe(true);
  });

  it.each([-1, 5.5, 1e12, '1340'])('takes no figure that makes no sense: %s', (figure) => {
    for (const name of ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount']) {
      const last = end('STOP', { usageMetadata: { ...usageMetadata, [name]: figure } });
      expect(read(chunk([{ text: 'Yes.' }]), last).answer).toMatchObject({
        isComplete: true,
        usage: undefined,
      });
    }
  });

  it('takes no zero for the count of a text', () => {
    const hidden = { usageMetadata: { promptTokenCount: 1300 } };
    expect(
      read(chunk([{ text: 'Yes.' }], hidden), end('STOP', hidden)).answer.usage,
    ).toBeUndefined();
    expect(read(end('MAX_TOKENS', hidden)).answer.usage).toMatchObject({ input: 1300, output: 0 });
  });

  it.each([
    [{ code: 503, message: 'Busy', status: 'UNAVAILABLE' }, 503],
    [{ message: 'Busy', status: 'RESOURCE_EXHAUSTED' }, 429],
  ])('fails by an error in it: %j', (error, status) => {
    const { answer } = read(chunk([{ text: 'Yes.' }]), { error });
    expect(answer).toMatchObject({ isComplete: false, error: { status, message: 'Busy' } });
    // As it comes where no events were asked for.
    expect(readWhole('google', [{ error }]).answer.error).toEqual(answer.error);
  });

  it('cannot be read with candidates that are no list', () => {
    const { answer } = read(chunk([{ text: 'Yes.' }]), { candidates: 'none' }, end('STOP'));
    expect(answer).toMatchObject({ isComplete: false, error: { code: 'unreadable_answer' } });
  });

  it('skips what it does not know', () => {
    const { answer } = read(
      { millPond: 3 },
      chunk([{ text: 'Yes.' }, { newPart: 1 }]),
      end('STOP'),
    );
    expect(answer).toMatchObject({ text: 'Yes.', isComplete: true });
  });
});

describe('whole generated content', () => {
  it('comes to the same as a stream, also as a list', () => {
    const one = chunk([{ text: 'Yes.' }], {}, { finishReason: 'STOP' });
    for (const body of [one, [chunk([{ text: 'Y' }]), chunk([{ text: 'es.' }]), end('STOP')]]) {
      expect(readWhole('google', body).answer).toMatchObject({
        text: 'Yes.',
        finish: 'stop',
        isComplete: true,
      });
    }
  });
});
