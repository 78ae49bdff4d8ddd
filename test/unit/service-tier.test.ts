import { describe, expect, it } from 'vitest';
import { checkTiers } from '../../src/cli/commands/manifests/check-tiers.ts';
import { flexMsOf } from '../../src/domain/job/flex-time.ts';
import { offersTier, tierOf } from '../../src/domain/model/service-tier.ts';
import { estimateStream } from '../../src/domain/run/stream-estimate.ts';
import { largestCost } from '../../src/domain/usage/largest-cost.ts';
import type { FeatureManifest, FeatureStream } from '../../src/manifest/model.ts';
import { createModelPrices } from '../../src/cli/commands/manifests/model-prices.ts';
import { toTask } from '../../src/orchestrator/index.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import { failureOfAnswer } from '../../src/providers/vendors/failures.ts';

const stream = (id: string, more: Partial<FeatureStream> = {}): FeatureStream => ({
  id,
  name: id,
  deps: [],
  owns: [],
  reads: [],
  setup: [],
  verify: [],
  optional: false,
  depth: 'minimal',
  timeoutMs: 600_000,
  status: 'pending',
  attempts: 0,
  ...more,
});
const manifestOf = (streams: FeatureStream[], more: Partial<FeatureManifest> = {}) =>
  ({
    notation: 'B',
    feature: 'f',
    streams: new Map(streams.map((one) => [one.id, one])),
    ...more,
  }) as FeatureManifest;
const NO_DEFAULTS = { model: undefined, fallbackModel: undefined };

describe('the time of a flex job', () => {
  it.each([
    [600_000, 600_000, 400_000],
    [60_000, 60_000, 40_000],
    [30_000, 30_000, 20_000],
    [15_000, 15_000, 5000],
    [10_000, 10_000, 0],
    [600_000, 150_000, -50_000],
  ])('of %i ms, %i left, is %i ms', (wholeMs, leftMs, flexMs) => {
    expect(flexMsOf({ wholeMs, leftMs, leastStandardMs: 10_000 })).toBeCloseTo(flexMs, 6);
  });
});

describe('a tier', () => {
  it('is for models that have it', () => {
    expect(tierOf('gpt-6.1-terra', 'flex')).toBe('flex');
    expect(tierOf('claude-sonnet-5-5', 'flex')).toBeUndefined();
    expect(tierOf('gpt-4o', 'flex')).toBeUndefined();
    expect(tierOf('claude-sonnet-5-5', 'standard')).toBe('standard');
    // Only the server knows whose it is.
    expect(tierOf('llama3', 'flex')).toBe('flex');
  });

  it('is known to a server of the operator, whichever model it has', () => {
    const model = { model: 'gpt-4o', custom: true };
    expect(offersTier({ provider: 'openai', ...model }, 'flex')).toBe(true);
    expect(offersTier({ provider: 'anthropic', ...model }, 'flex')).toBe(false);
  });

  it('of a stream replaces that of the manifest, and the command line replaces both', () => {
    const one = stream('a', { serviceTier: 'standard' });
    const manifest = manifestOf([one], { model: 'gpt-6.1-terra', serviceTier: 'flex' });
    expect(toTask(manifest, one, NO_DEFAULTS).serviceTier).toBe('standard');
    expect(toTask(manifest, stream('b'), NO_DEFAULTS).serviceTier).toBe('flex');
    const flag = { ...NO_DEFAULTS, serviceTier: 'flex' as const };
    expect(toTask(manifest, one, flag).serviceTier).toBe('flex');
  });

  it('of a manifest is left out where a model does not have it, and plan names the streams', () => {
    const manifest = manifestOf(
      [stream('a', { model: 'gpt-6.1-terra' }), stream('b', { model: 'claude-sonnet-5-5' })],
      { serviceTier: 'flex' },
    );
    expect(toTask(manifest, manifest.streams.get('b')!, NO_DEFAULTS).serviceTier).toBeUndefined();
    const problems = checkTiers(manifest, ['a', 'b'], NO_DEFAULTS);
    expect(problems).toMatchObject([{ code: 'TIER_IGNORED' }]);
    expect(problems[0]!.message).toBe(
      'claude-sonnet-5-5 has no flex tier: b will be asked at the standard tier.',
    );
  });

  it('of a stream is an error where its own model does not have it', () => {
    const one = stream('a', { model: 'claude-sonnet-5-5', serviceTier: 'flex' });
    const check = (defaults: Parameters<typeof checkTiers>[2]) =>
      checkTiers(manifestOf([one]), ['a'], defaults);
    expect(() => check(NO_DEFAULTS)).toThrow(/stream a asks for serviceTier flex/);
    expect(check({ ...NO_DEFAULTS, model: 'gpt-6.1-terra' })).toEqual([]);
    expect(check({ ...NO_DEFAULTS, model: 'gpt-4o' })).toMatchObject([{ code: 'TIER_IGNORED' }]);
  });
});

describe('the price of flex', () => {
  const prices = loadPrices(undefined);
  const call = { provider: 'openai', prompt: 'x'.repeat(900), maxTokens: 1000 };
  const price = (
    provider: string,
    model: string,
    usage: Parameters<typeof prices.costUsd>[2],
    tier?: 'flex' | 'standard',
  ) => prices.costUsd(provider, model, usage, { tier });

  it('is reserved as standard, and unknown where that of flex is', () => {
    const model = 'gpt-6.1-terra';
    // 1,000 tokens to the cache at $1.25 a million, 1,000 of output at $5.
    expect(largestCost(price, { ...call, model, serviceTier: 'flex' })).toBeCloseTo(0.00625, 9);
    expect(largestCost(price, { ...call, model: 'gpt-4-turbo' })).not.toBeNull();
    expect(largestCost(price, { ...call, model: 'gpt-4-turbo', serviceTier: 'flex' })).toBeNull();
  });

  it('is expected in a plan, whose worst case is the standard price', () => {
    const { priceOf } = createModelPrices(prices, undefined);
    const deps = { bytesOf: () => 0, priceOf };
    const choice = { model: 'gpt-6.1-terra', maxTokens: 1000 };
    const usual = estimateStream(deps, stream('a'), choice);
    const flex = estimateStream(deps, stream('a'), { ...choice, serviceTier: 'flex' });
    expect(flex.estimate.costUsd).toBeCloseTo(usual.estimate.costUsd! / 2, 9);
    expect(flex.largestCall).toEqual(usual.largestCall);
  });
});

describe('a flex call that is turned away', () => {
  const tools = { scrub: (text: string) => text, nowMs: 0 };
  const failure = (status: number, body: object) =>
    failureOfAnswer({ status, headers: {}, body: JSON.stringify(body) }, 'x', tools);

  it.each([
    ['OpenAI has no room', 429, { error: { code: 'resource_unavailable' } }],
    [
      'no room, with the code of a limit',
      429,
      { error: { code: 'rate_limit_exceeded', message: 'Resource unavailable' } },
    ],
    ['nothing is said', 429, {}],
    ['Google is overloaded', 503, { error: { message: 'The model is overloaded.' } }],
    ['Groq has no room', 498, { error: { code: 'capacity_exceeded' } }],
  ])('for its tier alone: %s', (_name, status, body) => {
    expect(failure(status, body)).toMatchObject({ retryable: true, onlyTier: true });
  });

  it.each([
    ['OpenAI', 429, { error: { code: 'rate_limit_exceeded', message: 'Rate limit reached' } }],
    [
      'Google',
      429,
      { error: { message: 'Quota exceeded for metric', details: [{ '@type': 'QuotaFailure' }] } },
    ],
    ['no money', 429, { error: { code: 'insufficient_quota' } }],
    ['a fault', 500, {}],
  ])('for its key or another reason: %s', (_name, status, body) => {
    expect(failure(status, body).onlyTier).toBeUndefined();
  });
});
