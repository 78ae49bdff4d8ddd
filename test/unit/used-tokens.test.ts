import { describe, expect, it } from 'vitest';
import { addCall } from '../../src/engine/used-tokens.ts';
import { NOTHING_USED } from '../../src/store/jobs/job-outcome.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import type { Provider, ProviderOutcome, Usage } from '../../src/providers/provider.ts';

const prices = loadPrices(undefined);
const provider: Provider = {
  id: 'anthropic',
  simulated: false,
  needsKey: true,
  offersTier: () => true,
  run: () => Promise.reject(new Error('is not called')),
  costUsd: (model, usage) => prices.costUsd('anthropic', model, usage),
};
const PRICED = 'claude-opus-4-8';
const UNPRICED = 'claude-made-up';

function call(usage: Partial<Usage>, reportedCostUsd?: number): ProviderOutcome {
  return {
    kind: 'completed',
    finish: 'stop',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: false, ...usage },
    ...(reportedCostUsd === undefined ? {} : { reportedCostUsd }),
  };
}

const add = (total: typeof NOTHING_USED, outcome: ProviderOutcome, model = PRICED) =>
  addCall(total, outcome, provider, model);

describe('the tokens of a job', () => {
  it('add up over its calls', () => {
    const first = add(NOTHING_USED, call({ input: 10_000, output: 1_000 }));
    const both = add(first, call({ input: 20_000, output: 2_000, estimated: true }));
    expect(both).toMatchObject({ input: 30_000, output: 3_000, estimated: true, savedUsd: null });
    expect(both.costUsd).toBeCloseTo(0.225, 12);
  });

  it('stay estimated once a part of them is', () => {
    const first = add(NOTHING_USED, call({ input: 1, estimated: true }));
    expect(add(first, call({ input: 1 })).estimated).toBe(true);
  });

  it('are not touched by a call that used none', () => {
    const first = add(NOTHING_USED, call({ input: 10, output: 1 }));
    expect(add(first, call({ estimated: true }))).toBe(first);
    expect(add(NOTHING_USED, call({}), UNPRICED).costUsd).toBe(0);
  });
});

describe('the cost of a job', () => {
  it('counts the calls of a model without a price', () => {
    const unknown = add(NOTHING_USED, call({ input: 10 }), UNPRICED);
    expect(unknown).toMatchObject({ costUsd: 0, unpricedCalls: 1 });
  });

  it('keeps what is known, before and after calls without a price', () => {
    const known = add(NOTHING_USED, call({ input: 10 }));
    expect(known.costUsd).toBeGreaterThan(0);
    const mixed = add(known, call({ input: 10 }), UNPRICED);
    expect(mixed).toMatchObject({ costUsd: known.costUsd, unpricedCalls: 1 });
    const again = add(mixed, call({ input: 10 }));
    expect(again.unpricedCalls).toBe(1);
    expect(again.costUsd).toBeCloseTo(2 * known.costUsd, 12);
  });

  it('is what the vendor says it charged, where it says so', () => {
    expect(add(NOTHING_USED, call({ input: 10 }, 0.5)).costUsd).toBe(0.5);
    expect(add(NOTHING_USED, call({ input: 10 }, 0.5), UNPRICED).costUsd).toBe(0.5);
    expect(add(NOTHING_USED, call({ input: 10 }, 0)).costUsd).toBe(0);
  });
});

describe('what caching saved', () => {
  it('is nothing to speak of when nothing was cached', () => {
    expect(add(NOTHING_USED, call({ input: 10_000 })).savedUsd).toBeNull();
  });

  it('is the difference to the price without a cache', () => {
    // 3,000 tokens at $0.50 instead of $5 a million.
    const read = add(NOTHING_USED, call({ input: 10_000, cacheRead: 3_000 }));
    expect(read.savedUsd).toBeCloseTo(0.0135, 12);
  });

  it('is less than nothing while the cache is only being filled', () => {
    // 2,000 tokens at $6.25 instead of $5 a million.
    const written = add(NOTHING_USED, call({ input: 10_000, cacheWrite: 2_000 }));
    expect(written.savedUsd).toBeCloseTo(-0.0025, 12);
  });

  it('counts what is kept for an hour at its own price', () => {
    // 1,500 tokens at $10 and 500 at $6.25 instead of $5 a million.
    const usage = { input: 10_000, cacheWrite: 2_000, cacheWriteHour: 1_500 };
    const written = add(NOTHING_USED, call(usage));
    expect(written.savedUsd).toBeCloseTo(-0.008125, 12);
    expect(written.cacheWrite).toBe(2_000);
  });

  it('adds up over the calls, those without a cache included', () => {
    const written = add(NOTHING_USED, call({ input: 10_000, cacheWrite: 2_000 }));
    const plain = add(written, call({ input: 10_000 }));
    const read = add(plain, call({ input: 10_000, cacheRead: 3_000 }));
    expect(read.savedUsd).toBeCloseTo(0.011, 12);
  });

  it('is not known without a price', () => {
    const read = add(NOTHING_USED, call({ input: 10_000, cacheRead: 3_000 }), UNPRICED);
    expect(read.savedUsd).toBeNull();
  });
});
