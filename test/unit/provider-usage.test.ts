import type { JSONObject, LanguageModelV4Usage } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimatedUsage, finalUsage, partialUsage } from '../../src/providers/vendors/usage.ts';

function told(
  input: number | undefined,
  output: number | undefined,
  cache: { read?: number; write?: number } = {},
): LanguageModelV4Usage {
  return {
    inputTokens: {
      total: input,
      noCache: undefined,
      cacheRead: cache.read,
      cacheWrite: cache.write,
    },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  };
}

describe('the figures at the end of a call', () => {
  it('are taken as the vendor tells them', () => {
    expect(finalUsage(told(1340, 50, { read: 300, write: 40 }))).toEqual({
      input: 1340,
      output: 50,
      cacheRead: 300,
      cacheWrite: 40,
      estimated: false,
    });
  });

  it('say how much is kept for an hour, which is never more than was written', () => {
    const written = (hour: unknown) => {
      const raw = { cache_creation: { ephemeral_1h_input_tokens: hour } } as JSONObject;
      return finalUsage({ ...told(1340, 50, { write: 40 }), raw })?.cacheWriteHour;
    };
    expect(written(30)).toBe(30);
    expect(written(500)).toBe(40);
    expect(written(0)).toBeUndefined();
    expect(written('many')).toBeUndefined();
  });

  it('may leave the cache out', () => {
    expect(finalUsage(told(10, 0))).toMatchObject({ cacheRead: 0, cacheWrite: 0 });
  });

  it.each([
    ['missing', undefined, 5],
    ['missing', 5, undefined],
    ['negative', -1, 5],
    ['negative', 5, -1],
    ['a fraction', 5.5, 5],
    ['a fraction', 5, 5.5],
    ['no number', Number.NaN, 5],
    ['endless', 5, Infinity],
    ['larger than any call', 1e12, 5],
  ])('are refused when one is %s', (_name, input, output) => {
    expect(finalUsage(told(input, output))).toBeUndefined();
  });

  it('are refused when there are none', () => {
    expect(finalUsage(undefined)).toBeUndefined();
  });

  it('never hold more in the cache than there was input', () => {
    expect(finalUsage(told(100, 1, { read: 500, write: 500 }))).toMatchObject({
      cacheRead: 100,
      cacheWrite: 0,
    });
    expect(finalUsage(told(100, 1, { read: 70, write: 70 }))).toMatchObject({
      cacheRead: 70,
      cacheWrite: 30,
    });
  });

  it('do without a figure of the cache that makes no sense', () => {
    const odd = finalUsage(told(100, 1, { read: 1.5, write: -4 }));
    expect(odd).toMatchObject({ input: 100, cacheRead: 0, cacheWrite: 0 });
  });
});

describe('what was told before the end', () => {
  it("is Anthropic's input, whose parts add up to the whole", () => {
    const frame = {
      type: 'message_start',
      message: {
        usage: {
          input_tokens: 1000,
          cache_read_input_tokens: 300,
          cache_creation_input_tokens: 40,
          output_tokens: 1,
        },
      },
    };
    // Its output is a placeholder there.
    const told = { input: 1340, cacheRead: 300, cacheWrite: 40 };
    expect(partialUsage(frame)).toEqual(told);
    const cache_creation = { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 };
    const usage = { ...frame.message.usage, cache_creation };
    expect(partialUsage({ message: { usage } })).toEqual({ ...told, cacheWriteHour: 30 });
  });

  it("is Gemini's running total, thoughts included", () => {
    const usageMetadata = {
      promptTokenCount: 1000,
      cachedContentTokenCount: 300,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 5,
    };
    expect(partialUsage({ candidates: [], usageMetadata })).toEqual({
      input: 1000,
      cacheRead: 300,
      cacheWrite: 0,
      output: 25,
    });
  });

  it.each([
    ['a frame of text', { type: 'content_block_delta', delta: { text: 'a' } }],
    ['a total without input', { usageMetadata: { candidatesTokenCount: 3 } }],
    ['a message without usage', { message: { id: 'm' } }],
    ['text', 'message'],
    ['null', null],
    ['nothing', undefined],
  ])('is nothing in %s', (_name, frame) => {
    expect(partialUsage(frame)).toBeUndefined();
  });

  it.each([-5, 1.5, 1e15, '7', null])('is nothing when the input is %s', (odd) => {
    expect(partialUsage({ message: { usage: { input_tokens: odd } } })).toBeUndefined();
    expect(partialUsage({ usageMetadata: { promptTokenCount: odd } })).toBeUndefined();
  });

  it.each([-5, 1.5, 1e15, '7', null])('does not count %s as cached tokens', (odd) => {
    const usage = { input_tokens: 9, cache_read_input_tokens: odd };
    expect(partialUsage({ message: { usage } })).toMatchObject({ input: 9, cacheRead: 0 });
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: odd };
    expect(partialUsage({ usageMetadata })).toMatchObject({ input: 9, output: 0 });
  });
});

describe('an estimate', () => {
  it('takes the input that was told and counts the text that arrived', () => {
    const partial = { input: 1340, cacheRead: 300, cacheWrite: 40 };
    const usage = estimatedUsage('prompt', 'some words that arrived', partial);
    expect(usage).toMatchObject({ ...partial, estimated: true });
    expect(usage.output).toBeGreaterThan(0);
  });

  it('takes the larger of the running total and the text', () => {
    const partial = { input: 5, cacheRead: 0, cacheWrite: 0, output: 1000 };
    expect(estimatedUsage('', 'word', partial).output).toBe(1000);
    const behind = { ...partial, output: 1 };
    expect(estimatedUsage('', 'word '.repeat(500), behind).output).toBeGreaterThan(100);
  });

  it('counts the prompt when nothing was told', () => {
    const usage = estimatedUsage('word '.repeat(1000), '', undefined);
    expect(usage).toMatchObject({ output: 0, cacheRead: 0, cacheWrite: 0, estimated: true });
    expect(usage.input).toBeGreaterThan(500);
  });

  it('is made of whole numbers that fit together, whatever a vendor sends', () => {
    const figure = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.constant(undefined));
    const anthropic = fc
      .record({
        input_tokens: figure,
        cache_read_input_tokens: figure,
        cache_creation_input_tokens: figure,
      })
      .map((usage) => ({ message: { usage } }));
    const google = fc
      .record({
        promptTokenCount: figure,
        cachedContentTokenCount: figure,
        candidatesTokenCount: figure,
        thoughtsTokenCount: figure,
      })
      .map((usageMetadata) => ({ usageMetadata }));
    fc.assert(
      fc.property(fc.oneof(anthropic, google), fc.string(), (frame, text) => {
        const usage = estimatedUsage('prompt', text, partialUsage(frame));
        const { input, output, cacheRead, cacheWrite } = usage;
        for (const value of [input, output, cacheRead, cacheWrite]) {
          expect(Number.isInteger(value) && value >= 0 && value < 2 ** 31).toBe(true);
        }
        expect(cacheRead + cacheWrite).toBeLessThanOrEqual(input);
      }),
    );
  });
});
