// Jobs at the flex tier: what is sent, what is paid, and how they end when there is no room for them.
import { describe, expect, it } from 'vitest';
import { MillraceClient } from '../../src/client/index.ts';
import { waitUntil } from '../support/processes.ts';
import { defaultText } from '../support/vendor/index.ts';
import type { Vendor } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';
import { freshKey, useVendorJobs } from './vendor-jobs.ts';
import type { VendorJobs } from './vendor-jobs.ts';

const LEAST_STANDARD_MS = 6000;
/** Two seconds of it are for flex. */
const SHORT_MS = LEAST_STANDARD_MS + 2000;

/** Of 10,000 tokens of input and 2,000 of output, by the prices that the vendors publish. */
const USED = 'input=10000 output=2000';
const DEAR = { openai: 0.02, google: 0.011 } as const;
const CHEAP = { openai: 0.01, google: 0.0055 } as const;
const MODEL = { openai: 'openai:gpt-6.1-terra', google: 'gemini-3-flash-preview' } as const;

type Priced = keyof typeof MODEL;

interface Case {
  jobs: () => VendorJobs;
  /** Who gets the calls. */
  vendor: Vendor;
  provider: Priced;
  /** How the standard tier is sent. */
  standard: string | undefined;
}

let prompts = 0;

function flexTests({ jobs, vendor, provider, standard }: Case): void {
  const dear = DEAR[provider];
  const cheap = CHEAP[provider];

  function script(text: string) {
    const id = `tier-${++prompts}`;
    const prompt = `Job ${prompts}. [[vendor:reply id=${id} ${USED}]]${text}`;
    const tiers = () =>
      jobs()
        .vendors.calls({ id })
        .map(({ body }) => {
          const { service_tier, serviceTier } = body as Record<string, unknown>;
          return service_tier ?? serviceTier;
        });
    return { prompt, tiers };
  }
  const flex = (body: Record<string, unknown> = {}) => ({
    body: { model: MODEL[provider], serviceTier: 'flex', ...body },
  });

  it('are sent as flex and cost what flex costs', async () => {
    verifies('job.tier', 'job.tier.price');
    const { prompt, tiers } = script('');
    const job = await jobs().run(vendor, prompt, flex());
    expect(job).toMatchObject({
      status: 'completed',
      output: defaultText(prompt),
      serviceTier: 'flex',
      usedServiceTier: 'flex',
    });
    expect(job['costUsd']).toBeCloseTo(cheap, 9);
    expect(tiers()).toEqual(['flex']);
  });

  it.each(['default', 'standard', 'none', 'unheard-of'])(
    'cost what standard costs when the answer reports the tier %s',
    async (tier) => {
      verifies('job.tier.price');
      const { prompt } = script(` [[vendor:reply tier=${tier}]]`);
      const job = await jobs().run(vendor, prompt, flex());
      expect(job).toMatchObject({ status: 'completed', usedServiceTier: 'standard' });
      expect(job['costUsd']).toBeCloseTo(dear, 9);
    },
  );

  it('wait until there is room again', async () => {
    verifies('job.tier.no-room');
    const { prompt, tiers } = script(
      ' [[vendor:fault name=tier-unavailable only-tier=flex times=2]]',
    );
    const job = await jobs().run(vendor, prompt, flex());
    expect(job).toMatchObject({ status: 'completed', usedServiceTier: 'flex' });
    expect(job['costUsd']).toBeCloseTo(cheap, 9);
    expect(tiers()).toEqual(['flex', 'flex', 'flex']);
  });

  it('become standard when there is no room for too long', async () => {
    verifies('job.tier.no-room');
    const { prompt, tiers } = script(' [[vendor:fault name=tier-unavailable only-tier=flex]]');
    const job = await jobs().run(vendor, prompt, flex({ timeoutMs: SHORT_MS }));
    expect(job).toMatchObject({
      status: 'completed',
      output: defaultText(prompt),
      serviceTier: 'flex',
      usedServiceTier: 'standard',
    });
    expect(job['costUsd']).toBeCloseTo(dear, 9);
    const sent = tiers();
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.at(-1)).toBe(standard);
    expect(new Set(sent.slice(0, -1))).toEqual(new Set(['flex']));
  });

  it('become standard when the model is silent for too long, and both calls are counted', async () => {
    verifies('job.tier.slow');
    const { prompt, tiers } = script(' [[vendor:fault name=hang-before-headers only-tier=flex]]');
    const job = await jobs().run(vendor, prompt, flex({ timeoutMs: SHORT_MS }));
    expect(job).toMatchObject({
      status: 'completed',
      output: defaultText(prompt),
      usedServiceTier: 'standard',
      usageEstimated: true,
    });
    expect(job['costUsd']).toBeGreaterThan(dear);
    expect(job['costUsd']).toBeLessThan(dear + 0.001);
    expect(job.tokensUsed.input).toBeGreaterThan(10_000);
    expect(tiers()).toEqual(['flex', standard]);
  });

  it('never mix the text of a slow call with that of the next', async () => {
    verifies('job.tier.slow');
    const { prompt, tiers } = script(' [[vendor:fault name=hang-mid-stream only-tier=flex]]');
    const { server, apiKey } = jobs();
    const jobId = await jobs().submit(vendor, prompt, flex({ timeoutMs: SHORT_MS }));
    const texts = new Map<number, string>();
    for await (const event of new MillraceClient(server.url, apiKey).jobEvents(jobId)) {
      if (event.type !== 'text') continue;
      const { generation, text } = event;
      texts.set(generation, (texts.get(generation) ?? '') + text);
    }
    expect([...texts.values()]).toEqual([defaultText(prompt, 2), defaultText(prompt)]);
    expect(await jobs().finished(jobId)).toMatchObject({ output: defaultText(prompt) });
    expect(tiers()).toEqual(['flex', standard]);
  });

  it.each(['reset-before-headers', 'reset-after-headers'])(
    'are sent as flex again after a %s',
    async (fault) => {
      verifies('job.tier.dropped');
      const { prompt, tiers } = script(` [[vendor:fault name=${fault} times=1]]`);
      const job = await jobs().run(vendor, prompt, flex());
      expect(job).toMatchObject({ status: 'completed', usedServiceTier: 'flex' });
      expect(job['costUsd']).toBeCloseTo(cheap, 9);
      expect(tiers()).toEqual(['flex', 'flex']);
    },
  );

  it('are sent as flex again after a drop inside of the answer, which is counted as standard', async () => {
    verifies('job.tier.dropped');
    const { prompt, tiers } = script(' [[vendor:fault name=reset-mid-stream times=1]]');
    const job = await jobs().run(vendor, prompt, flex());
    expect(job).toMatchObject({ output: defaultText(prompt), usageEstimated: true });
    expect(job['costUsd']).toBeGreaterThan(cheap);
    expect(tiers()).toEqual(['flex', 'flex']);
  });

  it('become standard when every call is dropped', async () => {
    verifies('job.tier.dropped');
    const { prompt, tiers } = script(' [[vendor:fault name=reset-before-headers only-tier=flex]]');
    const job = await jobs().run(vendor, prompt, flex());
    expect(job).toMatchObject({ status: 'completed', usedServiceTier: 'standard' });
    expect(job['costUsd']).toBeCloseTo(dear, 9);
    expect(tiers()).toEqual(['flex', 'flex', 'flex', standard]);
  });

  it('are standard at once when the time is only enough for that', async () => {
    verifies('job.tier.slow');
    const { prompt, tiers } = script('');
    const body = { timeoutMs: LEAST_STANDARD_MS - 1000 };
    const job = await jobs().run(vendor, prompt, flex(body));
    expect(job).toMatchObject({ status: 'completed', usedServiceTier: 'standard' });
    expect(tiers()).toEqual([standard]);
  });

  it('pause no other calls of their key', async () => {
    verifies('job.tier.pause');
    const providerKey = freshKey();
    const stuck = script(' [[vendor:fault name=tier-unavailable only-tier=flex retry-after=14]]');
    const { server, apiKey } = jobs();
    const jobId = await jobs().submit(vendor, stuck.prompt, { ...flex(), providerKey });
    const viewed = async () =>
      (await server.call('GET', `/api/v1/job/${jobId}?view=full`, { key: apiKey })).body;
    await waitUntil(async () => (await viewed())['waiting'], 'the flex job to wait');
    const plain = script('');
    const body = { model: MODEL[provider] };
    const job = await jobs().run(vendor, plain.prompt, { body, providerKey });
    expect(job).toMatchObject({ status: 'completed', serviceTier: null, usedServiceTier: null });
    expect(plain.tiers()).toEqual([undefined]);
    expect(await viewed()).toMatchObject({
      status: 'running',
      waiting: { reason: 'rate_limited' },
    });
    // It would have been first, had the other waited for the same pause.
    expect(stuck.tiers()).toEqual(['flex']);
    await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key: apiKey });
  });
}

const SETTINGS = { leastStandardMs: LEAST_STANDARD_MS };

describe('flex jobs of a server of the operator', () => {
  const jobs = useVendorJobs(SETTINGS);
  flexTests({ jobs, vendor: 'compatible', provider: 'openai', standard: undefined });
});

describe('flex jobs of Google', () => {
  const jobs = useVendorJobs(SETTINGS);
  flexTests({ jobs, vendor: 'google', provider: 'google', standard: 'standard' });
});

describe('flex jobs of OpenAI', () => {
  const jobs = useVendorJobs(SETTINGS, { responses: true });
  flexTests({ jobs, vendor: 'openai', provider: 'openai', standard: 'default' });
});
