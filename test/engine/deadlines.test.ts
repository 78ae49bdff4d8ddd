import { describe, expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { waitUntil } from '../support/processes.ts';

const server = useServer({ slots: 1 });

async function makeOverdue(jobId: string): Promise<void> {
  await server().db.query(
    `update jobs set deadline_at = now() - interval '1 second' where id = $1`,
    [jobId],
  );
}

describe('the deadline of a job', () => {
  it('stops the call of a running job, whose tokens are counted', async () => {
    verifies('job.failed.tokens', 'job.aborted.tokens');
    const { key } = await server().createKey();
    const jobId = await server().submit(key, {
      prompt: '[[sim:tokens 100000]] [[sim:pace 100]]',
      maxTokens: 100_000,
      timeoutMs: 1000,
    });
    const job = await server().finished(key, jobId);
    expect(job).toMatchObject({
      status: 'failed',
      error: 'Job timed out after 1000 ms',
      errorCode: 'TIMEOUT',
      attempt: 1,
    });
    const { input, output } = job['tokensUsed'] as { input: number; output: number };
    expect(input).toBeGreaterThan(0);
    expect(output).toBeGreaterThan(0);
    expect(output).toBeLessThan(100_000);
  });

  it('ends a pending job that never ran, with zeros for tokens', async () => {
    verifies('job.transition.pending-failed', 'job.failed.tokens');
    const { key } = await server().createKey();
    const blocker = await server().submit(key, { prompt: '[[sim:hang]]' });
    await waitUntil(async () => {
      const { body } = await server().call('GET', `/api/v1/job/${blocker}`, { key });
      return body['status'] === 'running';
    });
    const jobId = await server().submit(key, { timeoutMs: 5000 });
    await makeOverdue(jobId);
    const job = await server().finished(key, jobId);
    expect(job).toMatchObject({
      status: 'failed',
      error: 'Job timed out after 5000 ms',
      errorCode: 'TIMEOUT',
      attempt: 0,
      startedAt: null,
      tokensUsed: { input: 0, output: 0 },
    });
    const run = await server().call('GET', `/api/v1/history/${job['runId'] as string}`, { key });
    expect(run.body).toMatchObject({ run: { status: 'failed' } });
    await server().call('POST', `/api/v1/job/${blocker}/cancel`, { key });
  });

  it('ends a job that waits above the cap of its owner', async () => {
    verifies('job.transition.pending-failed', 'limits.concurrency.waits');
    const { key } = await server().createKey({ tier: 'trial' });
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await server().submit(key, { prompt: '[[sim:hang]]' }));
    await makeOverdue(ids[2]!);
    expect(await server().finished(key, ids[2]!)).toMatchObject({ errorCode: 'TIMEOUT' });
    for (const id of ids) await server().call('POST', `/api/v1/job/${id}/cancel`, { key });
  });
});
