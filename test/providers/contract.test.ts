// What every provider does the same way, whatever its API looks like.
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { defaultText, FAULTS, VENDORS } from '../support/vendor/index.ts';
import type { FaultName, Vendor } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';
import { useVendorJobs } from './vendor-jobs.ts';

const chat = useVendorJobs();
const responses = useVendorJobs({}, { responses: true });
const jobsFor = (vendor: Vendor) => (vendor === 'openai' ? responses() : chat());

let ids = 0;
const freshId = () => `job-${++ids}`;

/** 1340 tokens of input with 300 from the cache, 50 of output, at the price of the model. */
const COSTS: Readonly<Record<Vendor, { extra: string; costUsd: number | null }>> = {
  anthropic: {
    extra: 'cache-write=40 cache-write-hour=10',
    costUsd: (1000 * 5 + 300 * 0.5 + 30 * 6.25 + 10 * 10 + 50 * 25) / 1e6,
  },
  openai: { extra: '', costUsd: (1040 * 1.75 + 300 * 0.175 + 50 * 14) / 1e6 },
  // No list has a price for a model of one's own.
  compatible: { extra: '', costUsd: null },
  google: { extra: '', costUsd: (1040 * 0.3 + 300 * 0.03 + 50 * 2.5) / 1e6 },
  // It tells what it charged, and that counts.
  openrouter: { extra: 'cache-write=40 cost=0.0123', costUsd: 0.0123 },
};

const ARTIFACT = {
  version: '1.0',
  streamId: 'api',
  status: 'complete',
  summary: 'A wheel, and "quotes"',
  filesChanged: ['src/wheel.ts'],
  operations: [{ type: 'create', path: 'src/wheel.ts', content: 'export const teeth = [[12]];\n' }],
};

/** The failures that a job may end with, and how many calls it takes to be sure. */
const FAILURES: [FaultName, string, number][] = [
  ['http-400', 'PROVIDER_BAD_REQUEST', 1],
  ['http-401', 'PROVIDER_AUTH', 1],
  ['http-402-billing', 'PROVIDER_BILLING', 1],
  ['billing-in-disguise', 'PROVIDER_BILLING', 1],
  ['http-403', 'PROVIDER_PERMISSION', 1],
  ['http-403-moderation', 'PROVIDER_REFUSED', 1],
  ['http-404', 'PROVIDER_MODEL_NOT_FOUND', 1],
  ['http-413', 'PROVIDER_CONTEXT_LENGTH', 1],
  ['context-length', 'PROVIDER_CONTEXT_LENGTH', 1],
  ['refusal', 'PROVIDER_REFUSED', 1],
  ['content-filter', 'PROVIDER_REFUSED', 1],
  ['prompt-blocked', 'PROVIDER_REFUSED', 1],
  ['http-408', 'PROVIDER_UPSTREAM', 3],
  ['http-500', 'PROVIDER_UPSTREAM', 3],
  ['http-502-html', 'PROVIDER_UPSTREAM', 3],
  ['http-504', 'PROVIDER_UPSTREAM', 3],
  ['http-529', 'PROVIDER_OVERLOADED', 3],
  ['reset-before-headers', 'PROVIDER_NETWORK', 3],
  ['reset-after-headers', 'PROVIDER_NETWORK', 3],
  ['redirect', 'PROVIDER_NETWORK', 3],
  ['html-200', 'PROVIDER_INTERRUPTED', 3],
  ['empty-200', 'PROVIDER_INTERRUPTED', 3],
  ['error-200', 'PROVIDER_INTERRUPTED', 3],
  // Text that was paid for is thrown away once, not twice.
  ['cut-mid-stream', 'PROVIDER_NETWORK', 2],
  ['reset-mid-stream', 'PROVIDER_NETWORK', 2],
  ['early-end', 'PROVIDER_INTERRUPTED', 2],
  ['half-json', 'PROVIDER_INTERRUPTED', 2],
  ['error-event', 'PROVIDER_OVERLOADED', 2],
  ['bad-json', 'PROVIDER_PROTOCOL', 2],
  ['bad-shape', 'PROVIDER_PROTOCOL', 2],
];

// Most of these wait for pauses, and each has jobs of its own.
describe.concurrent.each(VENDORS)('%s', (vendor) => {
  it('gives the text, the usage with its cache and the cost', async () => {
    const { extra, costUsd } = COSTS[vendor];
    const prompt = `Say it. [[vendor:reply input=1340 cache-read=300 output=50 ${extra}]]`;
    const job = await jobsFor(vendor).run(vendor, prompt);
    expect(job).toMatchObject({
      status: 'completed',
      output: defaultText(prompt),
      tokensUsed: { input: 1340, output: 50 },
      cachedInputTokens: 300,
      usageEstimated: false,
      simulated: false,
      provider: vendor === 'compatible' ? 'openai' : vendor,
    });
    if (costUsd === null) expect(job['costUsd']).toBeNull();
    else expect(job['costUsd']).toBeCloseTo(costUsd, 10);
  });

  it('shows no cost, rather than a wrong one, for a model without a price', async () => {
    const provider = vendor === 'compatible' ? 'openai' : vendor;
    const body = { model: `${provider}:unheard-of-1` };
    // OpenRouter tells what it charged, unless it tells nothing at all.
    const prompt = vendor === 'openrouter' ? '[[vendor:fault name=usage-missing]]' : 'How much?';
    const job = await jobsFor(vendor).run(vendor, prompt, { body });
    expect(job).toMatchObject({ status: 'completed', model: 'unheard-of-1', costUsd: null });
  });

  it('has its artifact read by the server', async () => {
    const text = `Here.\n\n\`\`\`millrace-artifact\n${JSON.stringify(ARTIFACT)}\n\`\`\`\n`;
    const prompt = `Make it. [[vendor:reply text=${JSON.stringify(text)}]]`;
    const job = await jobsFor(vendor).run(vendor, prompt);
    expect(job).toMatchObject({
      status: 'completed',
      output: text,
      artifact: { filesChanged: ['src/wheel.ts'], operations: ARTIFACT.operations },
    });
  });

  it('ends at the token limit with the text so far', async () => {
    const prompt = 'Go on and on. [[vendor:reply chunks=60]]';
    const job = await jobsFor(vendor).run(vendor, prompt, { body: { maxTokens: 20 } });
    expect(job).toMatchObject({
      status: 'completed',
      output: defaultText(prompt, 60).split(' ').slice(0, 20).join(' '),
      tokensUsed: { output: 20 },
    });
  });

  it('closes the connection of a cancelled job and counts what had come', async () => {
    verifies('job.cancel.closes-upstream', 'job.cancel.stops-spending');
    const { server, vendors, submit, finished, apiKey } = jobsFor(vendor);
    const id = freshId();
    const prompt = `Stop. [[vendor:reply input=777 id=${id}]] [[vendor:fault name=hang-mid-stream after=5]]`;
    const jobId = await submit(vendor, prompt);
    await waitUntil(() => vendors.calls({ id })[0]?.pieces === 5, 'the first pieces');
    await waitUntil(async () => {
      const { rows } = await server.db.query('select 1 from streamed_text where job_id = $1', [
        jobId,
      ]);
      return rows.length > 0;
    }, 'text of the job');
    await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key: apiKey });
    expect(await finished(jobId)).toMatchObject({ status: 'failed', error: 'Job cancelled' });
    await waitUntil(() => vendors.calls({ id })[0]?.clientClosedAt, 'the end of the connection');
    const job = await waitUntil(async () => {
      const view = await finished(jobId);
      return view.tokensUsed.output > 0 ? view : undefined;
    }, 'the count of the tokens');
    expect(job['usageEstimated']).toBe(true);
    // Two vendors have told the input by then.
    if (vendor === 'anthropic' || vendor === 'google') expect(job.tokensUsed.input).toBe(777);
    else expect(job.tokensUsed.input).toBeGreaterThan(0);
    expect(vendors.calls({ id })).toHaveLength(1);
  });

  it('is estimated when it is stopped before the first byte of the answer', async () => {
    const { server, vendors, submit, finished, apiKey } = jobsFor(vendor);
    const id = freshId();
    const prompt = `Stop. [[vendor:reply id=${id}]] [[vendor:fault name=hang-before-headers]]`;
    const jobId = await submit(vendor, prompt);
    await waitUntil(() => vendors.calls({ id }).length === 1, 'the call');
    await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key: apiKey });
    const job = await waitUntil(async () => {
      const view = await finished(jobId);
      return view.tokensUsed.input > 0 ? view : undefined;
    }, 'the estimate');
    expect(job).toMatchObject({ usageEstimated: true, tokensUsed: { output: 0 } });
  });

  it('fails with the right code after the right number of calls', async () => {
    verifies('job.provider-error.permanent', 'job.provider-error.transient');
    const { vendors, run } = jobsFor(vendor);
    const mine = FAILURES.filter(([fault]) => plays(vendor, fault));
    expect(mine.length).toBeGreaterThan(20);
    const seen = await Promise.all(
      mine.map(async ([fault]) => {
        const id = freshId();
        const job = await run(vendor, `[[vendor:reply id=${id}]] [[vendor:fault name=${fault}]]`);
        return [fault, job.errorCode, vendors.calls({ id }).length];
      }),
    );
    expect(seen).toEqual(mine);
  });

  it('waits as long as it is told to and then goes on', async () => {
    verifies('job.provider-error.retry-after');
    const { vendors, run } = jobsFor(vendor);
    const faults = ['http-429', 'http-429-ms', 'http-429-date', 'http-429-plain', 'http-503'];
    await Promise.all(
      faults.map(async (fault) => {
        const id = freshId();
        const prompt = `[[vendor:reply id=${id}]] [[vendor:fault name=${fault} times=1]]`;
        const job = await run(vendor, prompt);
        expect(job, fault).toMatchObject({ status: 'completed', output: defaultText(prompt) });
        const [first, second, ...more] = vendors.calls({ id });
        expect(more).toEqual([]);
        if (fault !== 'http-429' && fault !== 'http-429-ms') return;
        expect(second!.startedAt - first!.startedAt).toBeGreaterThanOrEqual(990);
      }),
    );
  });

  it('counts from the text where the figures of the vendor make no sense', async () => {
    const { run } = jobsFor(vendor);
    await Promise.all(
      ['negative', 'huge', 'fraction'].map(async (usage) => {
        const prompt = `Count. [[vendor:reply usage=${usage}]]`;
        const job = await run(vendor, prompt);
        expect(job, usage).toMatchObject({ status: 'completed', output: defaultText(prompt) });
        expect(job.tokensUsed.output, usage).toBeGreaterThan(0);
        expect(job.tokensUsed.output, usage).toBeLessThan(100);
        expect(job.tokensUsed.input, usage).toBeGreaterThan(0);
        expect(job.tokensUsed.input, usage).toBeLessThan(1000);
        expect(job['usageEstimated'], usage).toBe(true);
      }),
    );
  });

  it('costs nothing when it fails before the model says anything', async () => {
    const { run } = jobsFor(vendor);
    const faults = ['http-500', 'html-200', 'empty-200', 'error-event after=0'];
    await Promise.all(
      faults.map(async (fault) => {
        const job = await run(vendor, `[[vendor:fault name=${fault}]]`);
        expect(job, fault).toMatchObject({
          status: 'failed',
          tokensUsed: { input: 0, output: 0 },
          usageEstimated: false,
        });
      }),
    );
  });

  it('is slowed by a limit that is told inside of a stream too', async () => {
    const { vendors, run } = jobsFor(vendor);
    const id = freshId();
    const fault = '[[vendor:fault name=error-event error=rate-limit after=0 times=3]]';
    const prompt = `[[vendor:reply id=${id}]] ${fault}`;
    const job = await run(vendor, prompt);
    expect(job).toMatchObject({ status: 'completed', output: defaultText(prompt) });
    // More than a job has tries.
    expect(vendors.calls({ id })).toHaveLength(4);
  });

  it('never shows the key of a call, although the vendor quotes it', async () => {
    const { server, run } = jobsFor(vendor);
    const providerKey = `quoted-${freshId()}-0123456789abcdef`;
    for (const fault of ['http-400', 'http-401', 'http-403']) {
      const prompt = `[[vendor:fault name=${fault} echo-key=1]]`;
      const job = await run(vendor, prompt, { providerKey });
      expect(job.status).toBe('failed');
      expect(JSON.stringify(job)).not.toContain(providerKey.slice(-12));
    }
    expect(server.logs()).not.toContain(providerKey.slice(-12));
  });
});

describe('simulator', () => {
  const run = async (prompt: string, more: object = {}) => {
    const { server, apiKey } = chat();
    const jobId = await server.submit(apiKey, { prompt, ...more });
    return server.finished(apiKey, jobId);
  };

  it('keeps the same contract without a key', async () => {
    expect(await run('Write.')).toMatchObject({
      status: 'completed',
      costUsd: expect.any(Number),
      artifact: { streamId: 'api' },
      usageEstimated: false,
    });
    expect(await run('Write. [[sim:tokens 50]]', { maxTokens: 20 })).toMatchObject({
      status: 'completed',
      tokensUsed: { output: 20 },
    });
    expect(await run('[[sim:refused]]')).toMatchObject({ errorCode: 'PROVIDER_REFUSED' });
  });
});

function plays(vendor: Vendor, fault: FaultName): boolean {
  const on = FAULTS.get(fault)?.on;
  return on === undefined || on.includes(vendor);
}
