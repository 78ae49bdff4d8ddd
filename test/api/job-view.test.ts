import { expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

it('view=full adds the bookkeeping of a job to its plain answer', async () => {
  verifies('job.view.full', 'simulator.marked', 'simulator.models', 'simulator.no-key');
  const { key } = await server().createKey();
  const jobId = await server().submit(key);
  await server().finished(key, jobId);
  const plain = await server().call('GET', `/api/v1/job/${jobId}`, { key });
  const { body } = await server().call('GET', `/api/v1/job/${jobId}?view=full`, { key });
  expect(body).toEqual({
    ...plain.body,
    jobId,
    kind: 'job',
    streamId: 'api',
    runId: jobId.replace('job_', 'run_'),
    model: 'sim-instant',
    provider: 'simulator',
    simulated: true,
    reasoning: null,
    serviceTier: null,
    usedServiceTier: null,
    apiKey: { id: expect.stringMatching(/^key_/), name: 'test' },
    attempt: 1,
    queuedAt: expect.stringMatching(ISO),
    startedAt: expect.stringMatching(ISO),
    endedAt: expect.stringMatching(ISO),
    costUsd: expect.any(Number),
    savedUsd: null,
    usageEstimated: false,
    cachedInputTokens: 0,
    reasoningTokens: 0,
    stopReason: 'stop',
    errorCode: null,
  });
  const { queuedAt, startedAt, endedAt } = body as Record<string, string>;
  expect(queuedAt! <= startedAt! && startedAt! <= endedAt!).toBe(true);
});

it('view=full of a failed job has a code for programs', async () => {
  verifies('job.view.full');
  const { key } = await server().createKey();
  const jobId = await server().submit(key, { prompt: '[[sim:billing]]' });
  const job = await server().finished(key, jobId);
  expect(job).toMatchObject({
    status: 'failed',
    errorCode: 'PROVIDER_BILLING',
    costUsd: 0,
    stopReason: null,
  });
});

it('view=full of a job says whether its answer was cut off', async () => {
  const { key } = await server().createKey();
  const prompt = 'Count [[sim:tokens 8]]';
  const look = async (maxTokens: number) => {
    const jobId = await server().submit(key, { prompt, maxTokens });
    return { jobId, ...(await server().finished(key, jobId)) };
  };
  expect(await look(8)).toMatchObject({ stopReason: 'stop', tokensUsed: { output: 8 } });
  const cut = await look(7);
  expect(cut).toMatchObject({
    status: 'completed',
    stopReason: 'length',
    tokensUsed: { output: 7 },
    errorCode: null,
  });
  const plain = await server().call('GET', `/api/v1/job/${cut.jobId}`, { key });
  expect(Object.keys(plain.body).sort()).toEqual(['output', 'status', 'tokensUsed']);
});

it('why an answer ended is null while it is written, and for a job that was cancelled', async () => {
  const { key } = await server().createKey();
  const open = await server().submit(key, { prompt: '[[sim:hang]]' });
  const { body } = await server().call('GET', `/api/v1/job/${open}?view=full`, { key });
  expect(body['stopReason']).toBeNull();
  await server().call('POST', `/api/v1/job/${open}/cancel`, { key });
  const cancelled = await server().call('GET', `/api/v1/job/${open}?view=full`, { key });
  expect(cancelled.body).toMatchObject({ status: 'failed', stopReason: null });
});

it('an unknown view is refused', async () => {
  const { key } = await server().createKey();
  const jobId = await server().submit(key);
  expectInvalid(await server().call('GET', `/api/v1/job/${jobId}?view=fuller`, { key }), 'view');
});

it('ids that are not ids of a job are 404', async () => {
  verifies('http.error.not-found');
  const { key } = await server().createKey();
  const jobId = await server().submit(key);
  const unknown = jobId.slice(0, -4) + (jobId.endsWith('zzzz') ? 'yyyy' : 'zzzz');
  const odd = [unknown, 'job_', 'x', jobId.toUpperCase(), jobId.replace('job_', 'run_')];
  for (const id of [...odd, `${jobId}0`, '%00', "'%20or%201=1", '..%2f..', 'a'.repeat(500)]) {
    expectError(await server().call('GET', `/api/v1/job/${id}`, { key }), 'NOT_FOUND');
    expectError(await server().call('GET', `/api/v1/job/${id}/events`, { key }), 'NOT_FOUND');
  }
});

it('an ended job is shown as its row is now, whatever was shown before', async () => {
  const { key } = await server().createKey();
  const jobId = await server().submit(key);
  await server().finished(key, jobId);
  const look = async (query = '') =>
    (await server().call('GET', `/api/v1/job/${jobId}${query}`, { key })).body;
  const plain = await look();
  expect(await look()).toEqual(plain);
  // As another node reports tokens late; no signal of it arrives here.
  await server().db.query('update jobs set tokens_output = tokens_output + 5 where id = $1', [
    jobId,
  ]);
  const { input, output } = plain['tokensUsed'] as { input: number; output: number };
  const tokensUsed = { input, output: output + 5 };
  expect(await look()).toEqual({ ...plain, tokensUsed });
  expect(await look('?view=full')).toMatchObject({ tokensUsed });
  expect(await look('?view=full&wait=5')).toMatchObject({ tokensUsed });
});

it('a job that was deleted is not shown from memory', async () => {
  const { key } = await server().createKey();
  const jobId = await server().submit(key);
  await server().finished(key, jobId);
  await server().call('GET', `/api/v1/job/${jobId}`, { key });
  await server().db.query('delete from jobs where id = $1', [jobId]);
  const answer = await server().call('GET', `/api/v1/job/${jobId}`, { key });
  expectError(answer, 'NOT_FOUND');
});
