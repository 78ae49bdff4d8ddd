// A model that thinks for long is not silent: its call is given up only when nothing comes at all.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { callModel } from '../../src/engine/model-call.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import type { Provider, ProviderOutcome, ProviderRequest } from '../../src/providers/provider.ts';
import { createVendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import { createVendor } from '../../src/providers/vendors/vendor.ts';
import { startVendorServer, VENDORS } from '../support/vendor/index.ts';
import type { Vendor, VendorServer } from '../support/vendor/index.ts';
import { MODELS } from './vendor-jobs.ts';

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, estimated: false };
const request: ProviderRequest = {
  ownerId: 'user_1',
  streamId: 'a',
  model: 'm',
  prompt: 'Think.',
  maxTokens: 100,
  apiKey: 'some-key',
  signal: new AbortController().signal,
};

/** Sends these deltas, 50 seconds apart, and ends; or ends when it is told to. */
function slowProvider(deltas: readonly string[]): Provider {
  return {
    id: 'slow',
    simulated: false,
    needsKey: true,
    offersTier: () => true,
    costUsd: () => null,
    run: ({ signal }, onText) =>
      new Promise<ProviderOutcome>((resolve) => {
        signal.addEventListener('abort', () => resolve({ kind: 'aborted', usage: USAGE }));
        const left = [...deltas];
        const next = () => {
          const delta = left.shift();
          if (delta === undefined) resolve({ kind: 'completed', finish: 'stop', usage: USAGE });
          else onText(delta);
        };
        for (let i = 1; i <= deltas.length + 1; i++) setTimeout(next, i * 50_000);
      }),
  };
}

describe('a call', () => {
  afterEach(() => void vi.useRealTimers());

  it('goes on while there are signs of life, which are no text', async () => {
    vi.useFakeTimers();
    const heard: string[] = [];
    const thinking = slowProvider(['', '', '', '', 'done']);
    const calling = callModel(thinking, request, (delta) => void heard.push(delta));
    await vi.advanceTimersByTimeAsync(6 * 50_000);
    expect(await calling).toMatchObject({ kind: 'completed' });
    expect(heard).toEqual(['done']);
  });

  it('is given up once there are none for long', async () => {
    vi.useFakeTimers();
    const calling = callModel(slowProvider(['']), request, () => undefined, 40_000);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await calling).toMatchObject({ kind: 'failed', failure: { kind: 'timeout' } });
  });
});

describe.each(VENDORS)('%s', (vendor: Vendor) => {
  let vendors: VendorServer | undefined;
  const http = createVendorHttp();
  beforeAll(async () => {
    vendors = await startVendorServer();
  });
  afterAll(async () => {
    await http.close();
    await vendors?.close();
  });

  it('shows that its model thinks before any text comes', async () => {
    const custom = vendor === 'compatible';
    const provider = createVendor({
      endpoint: {
        provider: custom ? 'openai' : vendor,
        baseUrl: vendors!.url(vendor),
        custom,
        http,
      },
      prices: loadPrices(undefined),
      scrub: (text) => text,
      now: Date.now,
    });
    const prompt = 'Think. [[vendor:reply thinking=5 text="The answer." chunks=1]]';
    const heard: string[] = [];
    const model = MODELS[vendor].replace(/^openai:/, '');
    const outcome = await provider.run({ ...request, model, prompt }, (delta) => {
      heard.push(delta);
    });
    expect(outcome).toMatchObject({ kind: 'completed', usage: { output: 6 } });
    expect(heard.join('')).toBe('The answer.');
    const firstText = heard.findIndex((delta) => delta !== '');
    expect(heard.slice(0, firstText).length).toBeGreaterThanOrEqual(2);
  });
});
