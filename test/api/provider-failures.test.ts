import { expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

/** How often calls were repeated because of this kind of failure. */
async function retries(kind: string): Promise<number> {
  const text = await (await fetch(`${server().url}/metrics`)).text();
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`millrace_model_retries_total{kind="${kind}"}`));
  return Number(line?.split(' ')[1] ?? 0);
}

async function run(prompt: string, more: object = {}) {
  const { key } = await server().createKey();
  return server().finished(key, await server().submit(key, { prompt, ...more }));
}

it.each([
  ['auth', 'refused the API key'],
  ['billing', 'no credit'],
  ['permission', 'may not use this model'],
  ['model_not_found', 'no such model'],
  ['bad_request', 'did not accept the request'],
  ['context_length', 'longer than the model can read'],
  ['refused', 'declined'],
])('a failure of kind %s ends the job at once', async (kind, words) => {
  verifies('job.provider-error.permanent', 'job.failed.cause', 'job.failed.tokens');
  const job = await run(`[[sim:${kind}]]`);
  expect(job).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(words),
    errorCode: `PROVIDER_${kind.toUpperCase()}`,
    tokensUsed: { input: 0, output: 0 },
    attempt: 1,
  });
  expect(await retries(kind)).toBe(0);
});

it.each(['rate_limit', 'overloaded', 'upstream', 'network', 'interrupted', 'protocol', 'timeout'])(
  'a failure of kind %s is tried again',
  async (kind) => {
    verifies('job.provider-error.transient');
    const job = await run(`[[sim:fail 1 ${kind}]]`);
    expect(job).toMatchObject({ status: 'completed', errorCode: null, attempt: 1 });
    expect(await retries(kind)).toBe(1);
  },
);

it('a failure that stays ends the job after three calls', async () => {
  verifies('job.provider-error.transient', 'job.failed.cause');
  const before = await retries('upstream');
  const job = await run('[[sim:upstream]]');
  expect(job).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_UPSTREAM' });
  expect((await retries('upstream')) - before).toBe(2);
});

it('a wait that the provider asks for is kept', async () => {
  verifies('job.provider-error.retry-after');
  const job = await run('[[sim:fail 1 rate_limit retry-after=1.2]]');
  expect(job['status']).toBe('completed');
  const time = (name: string) => Date.parse(job[name] as string);
  expect(time('endedAt') - time('startedAt')).toBeGreaterThanOrEqual(1200);
});

it('a wait that does not fit into the time of the job ends it', async () => {
  verifies('job.provider-error.retry-after', 'job.provider-error.transient');
  const before = await retries('rate_limit');
  const job = await run('[[sim:rate_limit retry-after=60]]', { timeoutMs: 50_000 });
  expect(job).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_RATE_LIMIT' });
  expect(await retries('rate_limit')).toBe(before);
});

it('text that was paid for twice is counted twice, and is not paid for three times', async () => {
  verifies('job.failed.tokens');
  const job = await run('[[sim:cut 5 network]]');
  expect(job).toMatchObject({ status: 'failed', tokensUsed: { output: 10 } });
  expect(job['costUsd']).toBeGreaterThan(0);
});

it('a directive that nobody knows fails the job and lists those that exist', async () => {
  const job = await run('[[sim:fial 2]]');
  expect(job).toMatchObject({ status: 'failed', errorCode: 'PROVIDER_BAD_REQUEST' });
  expect(job['error']).toContain('no-artifact');
});
