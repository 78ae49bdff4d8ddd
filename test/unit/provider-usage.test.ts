import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimatedUsage, finalUsage } from '../../src/providers/vendors/usage.ts';
import { readEvents } from './wire/read.ts';

describe('the figures at the end of a call', () => {
  it('are taken as the vendor sends them', () => {
    const counted = { input: 1340, output: 50, cacheRead: 300, cacheWrite: 40, cacheWriteHour: 30 };
    expect(finalUsage({ ...counted, reasoning: 20 })).toEqual({ ...counted, estimated: false });
    expect(finalUsage(undefined)).toBeUndefined();
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
      .map((usage) => ({ type: 'message_start', message: { usage } }));
    const google = fc
      .record({
        promptTokenCount: figure,
        cachedContentTokenCount: figure,
        candidatesTokenCount: figure,
        thoughtsTokenCount: figure,
      })
      .map((usageMetadata) => ({ usageMetadata }));
    const frame = fc.oneof(
      anthropic.map((event) => ['anthropic', event] as const),
      google.map((event) => ['google', event] as const),
    );
    fc.assert(
      fc.property(frame, fc.string(), ([protocol, event], text) => {
        const { answer } = readEvents(protocol, [event]);
        const usage = estimatedUsage('prompt', text, answer.partial);
        const { input, output, cacheRead, cacheWrite } = usage;
        for (const value of [input, output, cacheRead, cacheWrite]) {
          expect(Number.isInteger(value) && value >= 0 && value < 2 ** 31).toBe(true);
        }
        expect(cacheRead + cacheWrite).toBeLessThanOrEqual(input);
      }),
    );
  });
});
