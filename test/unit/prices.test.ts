import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHIPPED_FACTS, findFacts } from '../../src/domain/model/model-facts.ts';
import { PUBLIC_PROVIDERS } from '../../src/domain/model/model-routing.ts';
import { PriceFileError } from '../../src/providers/price-file-error.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import { NO_USAGE } from '../../src/providers/provider.ts';
import type { Usage } from '../../src/providers/provider.ts';
import { SEED, effort } from '../support/effort.ts';

const usage = (fields: Partial<Usage>): Usage => ({
  ...NO_USAGE,
  ...fields,
});

const CACHED = usage({ input: 10_000, cacheRead: 3_000, cacheWrite: 2_000, output: 1_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-prices-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(content: string | object): string {
  const path = join(folder, 'prices.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('the built-in prices', () => {
  const prices = loadPrices(undefined);

  it('charge reads and writes of the cache at their own rates', () => {
    // 5,000 fresh at $5, 3,000 read at $0.50, 2,000 written at $6.25, 1,000 out at $25 a million.
    expect(prices.costUsd('anthropic', 'claude-opus-4-8', CACHED)).toBeCloseTo(0.064, 12);
  });

  it('charge more for what is kept for an hour', () => {
    // As above, but 1,200 of the tokens written at $10 a million.
    const cost = prices.costUsd('anthropic', 'claude-opus-4-8', {
      ...CACHED,
      cacheWriteHour: 1_200,
    });
    expect(cost).toBeCloseTo(0.0685, 12);
  });

  it('charge everything as fresh input when nothing was cached', () => {
    const plain = usage({ input: 10_000, output: 1_000 });
    expect(prices.costUsd('anthropic', 'claude-opus-4-8', plain)).toBeCloseTo(0.075, 12);
  });

  it('are those of the list, for every model that there are no facts about', () => {
    const models = PUBLIC_PROVIDERS.flatMap((provider) =>
      findProvider({ providerId: provider })!.models.map(({ id }) => ({ provider, id })),
    ).filter(({ provider, id }) => findFacts(SHIPPED_FACTS, provider, id) === undefined);
    const counts = fc.record({
      fresh: fc.nat(2_000_000),
      read: fc.nat(500_000),
      written: fc.nat(500_000),
      hour: fc.nat(500_000),
      output: fc.nat(500_000),
    });
    expect(models.length).toBeGreaterThan(100);
    fc.assert(
      fc.property(fc.constantFrom(...models), counts, ({ provider, id }, count) => {
        const used = usage({
          input: count.fresh + count.read + count.written,
          cacheRead: count.read,
          cacheWrite: count.written,
          cacheWriteHour: Math.min(count.hour, count.written),
          output: count.output,
        });
        const listed = calcPrice(
          {
            input_tokens: used.input,
            output_tokens: used.output,
            cache_read_tokens: used.cacheRead,
            cache_write_tokens: used.cacheWrite,
            cache_write_1h_tokens: used.cacheWriteHour!,
          },
          id,
          { providerId: provider },
        );
        const cost = prices.costUsd(provider, id, used);
        if (listed === null) expect(cost).toBeNull();
        else expect(cost).toBeCloseTo(listed.total_price, 9);
      }),
      { numRuns: effort(300), seed: SEED },
    );
  });

  it('are those of the day of the call', () => {
    const used = usage({ input: 1_000_000 });
    const costOn = (day: string) =>
      prices.costUsd('google', 'gemini-4-argon', used, { at: new Date(`${day}T12:00:00Z`) })!;
    expect(costOn('2026-12-02')).toBeCloseTo(2 * costOn('2026-11-18'), 12);
  });

  it('charge a long prompt at its own rates', () => {
    const perToken = (input: number) =>
      prices.costUsd('anthropic', 'claude-haiku-5-5', usage({ input }))! / input;
    expect(perToken(500_000)).toBeGreaterThan(2 * perToken(50_000));
  });

  it('know models of every provider', () => {
    const some = usage({ input: 1_000_000, output: 1_000 });
    expect(prices.costUsd('openai', 'gpt-5', some)).toBeGreaterThan(0);
    expect(prices.costUsd('google', 'gemini-2.5-flash', some)).toBeGreaterThan(0);
  });

  it('have no price for a model that nobody listed, which is not zero', () => {
    expect(prices.costUsd('anthropic', 'claude-made-up', CACHED)).toBeNull();
    expect(prices.costUsd('openai', 'my-own-llama', CACHED)).toBeNull();
  });

  it.each(['constructor', 'toString', '__proto__'])(
    'have no price for a model named %s',
    (name) => {
      expect(prices.costUsd('openai', name, CACHED)).toBeNull();
    },
  );

  it('answer with a number or null, and never throw, whatever the counts are', () => {
    const count = fc.nat({ max: 2_000_000 });
    const counts = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count });
    fc.assert(
      fc.property(counts, (fields) => {
        const cost = prices.costUsd('anthropic', 'claude-opus-4-8', usage(fields));
        expect(cost === null || cost >= 0).toBe(true);
      }),
    );
  });
});

describe('a price file of the operator', () => {
  it('may charge long prompts more', () => {
    const bands = [{ aboveInputTokens: 1000, input: 4, output: 20 }];
    const prices = loadPrices(fileOf({ 'my-own-llama': { input: 2, output: 10, bands } }));
    const cost = (input: number) =>
      prices.costUsd('openai', 'my-own-llama', usage({ input, output: 1_000_000 }));
    expect(cost(1000)).toBeCloseTo(10.002, 12);
    expect(cost(1001)).toBeCloseTo(20.004004, 12);
  });

  it('adds a model, in dollars per million tokens', () => {
    const prices = loadPrices(fileOf({ 'my-own-llama': { input: 2, output: 10 } }));
    const spent = usage({ input: 10_000, output: 1_000 });
    expect(prices.costUsd('openai', 'my-own-llama', spent)).toBeCloseTo(0.03, 12);
  });

  it('corrects a model of the list and leaves the others alone', () => {
    const prices = loadPrices(
      fileOf({ 'claude-opus-4-8': { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 3 } }),
    );
    // 5,000 at $1, 3,000 at $0.10, 2,000 at $3, 1,000 at $2.
    expect(prices.costUsd('anthropic', 'claude-opus-4-8', CACHED)).toBeCloseTo(0.0133, 12);
    expect(prices.costUsd('anthropic', 'claude-made-up', CACHED)).toBeNull();
    expect(prices.costUsd('openai', 'gpt-5', CACHED)).not.toBeNull();
  });

  it('may have a price for what is kept for an hour', () => {
    const price = { input: 1, output: 0, cacheRead: 1, cacheWrite: 2 };
    const file = fileOf({ plain: price, long: { ...price, cacheWriteHour: 4 } });
    const hour = usage({ input: 1_000, cacheWrite: 1_000, cacheWriteHour: 500 });
    const prices = loadPrices(file);
    expect(prices.costUsd('openai', 'plain', hour)).toBeCloseTo(0.002, 12);
    expect(prices.costUsd('openai', 'long', hour)).toBeCloseTo(0.003, 12);
  });

  it('prefers the entry that names the provider', () => {
    const prices = loadPrices(
      fileOf({ shared: { input: 1, output: 1 }, 'openai:shared': { input: 4, output: 4 } }),
    );
    const spent = usage({ input: 1_000_000 });
    expect(prices.costUsd('openai', 'shared', spent)).toBe(4);
    expect(prices.costUsd('openrouter', 'shared', spent)).toBe(1);
  });

  it('charges cached tokens as fresh ones when it names no other price for them', () => {
    const prices = loadPrices(fileOf({ plain: { input: 1, output: 0 } }));
    expect(prices.costUsd('openai', 'plain', CACHED)).toBeCloseTo(0.01, 12);
  });

  it('may give tokens away', () => {
    const prices = loadPrices(fileOf({ free: { input: 0, output: 0 } }));
    expect(prices.costUsd('openai', 'free', CACHED)).toBe(0);
  });

  it('never makes a cost negative, even when more was cached than sent', () => {
    const file = fileOf({ odd: { input: 10, output: 0, cacheRead: 0, cacheWrite: 0 } });
    const odd = usage({ input: 100, cacheRead: 500, cacheWrite: 500 });
    expect(loadPrices(file).costUsd('openai', 'odd', odd)).toBe(0);
  });

  it.each([
    ['is no JSON', '{ "a": ', /JSON/],
    ['has a negative price', { a: { input: -1, output: 1 } }, /a\.input/],
    ['has a price as text', { a: { input: '3', output: 1 } }, /expected number/],
    ['lacks a price', { a: { input: 1 } }, /a\.output/],
    ['has a field that nobody reads', { a: { input: 1, output: 1, cached: 1 } }, /cached/],
    ['is a list', [], /record/],
  ])('that %s is refused with its name and the reason', (_name, content, reason) => {
    const path = fileOf(content);
    const load = () => loadPrices(path);
    expect(load).toThrow(PriceFileError);
    expect(load).toThrow(path);
    expect(load).toThrow(reason);
  });

  it('that is missing is refused by its name', () => {
    const path = join(folder, 'nowhere.json');
    expect(() => loadPrices(path)).toThrow(path);
  });
});
