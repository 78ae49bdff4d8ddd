// A vendor's "too many requests" slows the jobs of that key; it does not fail them.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patiently } from '../support/patient-call.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { waitUntil } from '../support/processes.ts';
import { defaultText, startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';
import { verifies } from '../support/verifies.ts';
import { MASTER_KEY, MODELS, baseUrls, freshKey, useVendorJobs } from './vendor-jobs.ts';

async function submit(server: TestServer, apiKey: string, prompt: string, providerKey: string) {
  const headers = { 'x-provider-key': providerKey, 'idempotency-key': randomUUID() };
  const body = { streamId: 'api', prompt, model: MODELS.anthropic, maxTokens: 200 };
  const answer = await patiently(() =>
    server.call('POST', '/api/v1/execute', { key: apiKey, headers, body }),
  );
  expect(answer.status).toBe(202);
  return answer.body['jobId'] as string;
}

/** How many jobs this node brought to a good end. */
async function completedBy(node: TestServer): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  return Number(/^millrace_jobs_ended_total\{outcome="completed"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

describe('two nodes and a vendor that takes 20 calls of a key at a time', () => {
  const nodes: TestServer[] = [];
  let vendors: VendorServer | undefined;

  beforeAll(async () => {
    vendors = await startVendorServer();
    const settings = { masterKey: MASTER_KEY, slots: 64, baseUrls: baseUrls(vendors) };
    for (let i = 0; i < 2; i++) {
      nodes.push(await startTestServer(settings, nodes[0]?.databaseUrl));
    }
  });
  afterAll(async () => {
    for (const node of nodes.toReversed()) await node.close();
    await vendors?.close();
  });

  it('complete 100 jobs of one key', async () => {
    verifies('job.provider-error.shared-slowdown');
    vendors!.setLimit('anthropic', { concurrent: 20, retryAfter: 1 });
    const server = nodes[0]!;
    const { key } = await server.createKey();
    const providerKey = freshKey();
    const views = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        // The first ones last, so that more of them meet than may, however slow the machine is.
        const slow = i < 40 ? ' first-delay=5000' : '';
        const prompt = `Job ${i}. [[vendor:reply pace=40 id=paced-${i}${slow}]]`;
        const jobId = await submit(server, key, prompt, providerKey);
        return { prompt, job: await server.finished(key, jobId) };
      }),
    );
    for (const { prompt, job } of views) {
      expect(job).toMatchObject({ status: 'completed', output: defaultText(prompt) });
    }
    const calls = vendors!.calls({ vendor: 'anthropic' });
    const turnedAway = calls.filter(({ status }) => status === 429).length;
    console.log(`100 jobs on one key: ${turnedAway} of ${calls.length} calls were turned away`);
    expect(vendors!.load('anthropic').peak).toBeLessThanOrEqual(20);
    expect(turnedAway).toBeGreaterThan(0);
    // Every job rushing in once more after each pause would be many times that.
    expect(turnedAway).toBeLessThan(300);
    const ended = await Promise.all(nodes.map((node) => completedBy(node)));
    expect(Math.min(...ended)).toBeGreaterThan(0);
    expect(ended[0]! + ended[1]!).toBe(100);
  });
});

describe('a vendor that wants a long pause', () => {
  const jobs = useVendorJobs({ slots: 1 });

  async function status(jobId: string): Promise<unknown> {
    const { server, apiKey } = jobs();
    return (await server.call('GET', `/api/v1/job/${jobId}`, { key: apiKey })).body['status'];
  }

  it('does not keep the slot, nor jobs of other keys', async () => {
    verifies('job.provider-error.shared-slowdown');
    const { server, vendors, apiKey, run } = jobs();
    const slow = freshKey();
    const prompt = '[[vendor:reply id=long]] [[vendor:fault name=http-429 retry-after=300]]';
    const turnedAway = await submit(server, apiKey, prompt, slow);
    await waitUntil(() => vendors.calls({ id: 'long' })[0]?.endedAt, 'the refusal');
    await waitUntil(async () => (await status(turnedAway)) === 'pending', 'the job to wait again');
    // The only slot is free: a job of another key uses it.
    expect((await run('anthropic', 'Another key.')).status).toBe('completed');
    // Another job of the slow key keeps the pause too, without a call.
    const next = await submit(server, apiKey, '[[vendor:reply id=next]]', slow);
    expect((await run('anthropic', 'Another key again.')).status).toBe('completed');
    expect(await status(next)).toBe('pending');
    expect(vendors.calls({ id: 'next' })).toEqual([]);
    expect(vendors.calls({ id: 'long' })).toHaveLength(1);
    for (const jobId of [turnedAway, next]) {
      const answer = await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key: apiKey });
      expect(answer.body).toEqual({ cancelled: true });
    }
    expect(await jobs().finished(turnedAway)).toMatchObject({ error: 'Job cancelled' });
  });
});

describe('a key that is slowed', () => {
  const jobs = useVendorJobs();

  it('gives its slots back when the pause grows long while others of it wait', async () => {
    const { server, vendors, apiKey } = jobs();
    const slow = freshKey();
    vendors.setLimit('anthropic', { concurrent: 1, retryAfter: 300 });
    const holding = '[[vendor:fault name=hang-mid-stream]]';
    const first = await submit(server, apiKey, `${holding} [[vendor:reply id=first]]`, slow);
    await waitUntil(() => vendors.calls({ id: 'first' })[0]?.pieces, 'the first call');
    const others = await Promise.all(
      Array.from({ length: 5 }, (_, i) => submit(server, apiKey, `Job ${i}.`, slow)),
    );
    await waitUntil(async () => {
      const { rows } = await server.db.query(
        `select 1 from jobs where id = any($1) and status = 'pending' and attempt > 0`,
        [others],
      );
      return rows.length === others.length;
    }, 'the others to wait without a slot');
    vendors.setLimit('anthropic', undefined);
    for (const jobId of [first, ...others]) {
      await server.call('POST', `/api/v1/job/${jobId}/cancel`, { key: apiKey });
    }
  });

  it('does not slow another key', async () => {
    const { server, vendors, apiKey, run } = jobs();
    const prompt = '[[vendor:reply id=paused]] [[vendor:fault name=http-429 retry-after=300]]';
    const paused = await submit(server, apiKey, prompt, freshKey());
    await waitUntil(() => vendors.calls({ id: 'paused' })[0]?.endedAt, 'the refusal');
    const views = await Promise.all(
      Array.from({ length: 20 }, (_, i) => run('anthropic', `Another key ${i}.`)),
    );
    expect(views.map((job) => job.status)).toEqual(views.map(() => 'completed'));
    // Nothing of this waited for the pause: it is not over yet.
    expect(vendors.calls({ id: 'paused' })).toHaveLength(1);
    await server.call('POST', `/api/v1/job/${paused}/cancel`, { key: apiKey });
  });
});
