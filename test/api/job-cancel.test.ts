import { describe, expect, it } from 'vitest';
import { toJsonText } from '../../src/store/postgres/json-text.ts';
import { expectError } from '../support/expect-error.ts';
import { startFakeNode } from '../support/fake-node.ts';
import { openEvents, textOf } from '../support/sse.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

describe('cancel', () => {
  const server = useServer({ slots: 1 });
  const cancel = (key: string, jobId: string) =>
    server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });

  it('ends a running job before it answers, and frees its place', async () => {
    verifies(
      'job.cancel.route',
      'job.cancel.state',
      'job.cancel.before-reply',
      'job.cancel.closes-upstream',
      'http.success.ok',
    );
    const { key } = await server().createKey();
    const jobId = await server().submit(key, { prompt: '[[sim:hang]]' });
    const events = await openEvents(`${server().url}/api/v1/job/${jobId}/events`, {
      'x-api-key': key,
    });
    await events.until((event) => event.data['status'] === 'running');
    const answer = await cancel(key, jobId);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ cancelled: true });
    const { body } = await server().call('GET', `/api/v1/job/${jobId}`, { key });
    expect(body).toEqual({
      status: 'failed',
      error: 'Job cancelled',
      tokensUsed: { input: expect.any(Number), output: 0 },
    });
    expect(await events.rest()).toMatchObject([{ event: 'done', data: { status: 'failed' } }]);
    // The call of a hanging model ends only when it is stopped, and there is but one slot.
    const next = await server().submit(key);
    expect((await server().finished(key, next))['status']).toBe('completed');
  });

  it('stops the spending of a running job and counts what was streamed', async () => {
    verifies('job.cancel.stops-spending', 'job.aborted.tokens', 'job.cancel.late-answer');
    const { key } = await server().createKey();
    const prompt = '[[sim:tokens 100000]] [[sim:pace 20]]';
    const jobId = await server().submit(key, { prompt, maxTokens: 100_000 });
    const events = await openEvents(`${server().url}/api/v1/job/${jobId}/events`, {
      'x-api-key': key,
    });
    const seen = await events.until((event) => event.event === 'text');
    const words = textOf(seen).trim().split(/\s+/).length;
    await cancel(key, jobId);
    await events.rest();
    const job = await server().finished(key, jobId);
    const { input, output } = job['tokensUsed'] as { input: number; output: number };
    expect(input).toBeGreaterThan(0);
    expect(output).toBeGreaterThanOrEqual(words);
    expect(output).toBeLessThan(100_000);
    expect(job).not.toHaveProperty('output');
    const next = await server().submit(key);
    await server().finished(key, next);
    expect(await server().finished(key, jobId)).toEqual(job);
    const { body } = await server().call('GET', `/api/v1/history/${job['runId'] as string}`, {
      key,
    });
    expect(body).toMatchObject({
      run: { status: 'cancelled', totalCostUsd: job['costUsd'] },
      streams: [{ status: 'failed', tokensInput: input, tokensOutput: output }],
    });
  });

  it('answers false for a job that ended by itself', async () => {
    verifies('job.cancel.ended');
    const { key } = await server().createKey();
    for (const prompt of ['hello', '[[sim:auth]]']) {
      const jobId = await server().submit(key, { prompt });
      await server().finished(key, jobId);
      const answer = await cancel(key, jobId);
      expect([answer.status, answer.body]).toEqual([200, { cancelled: false }]);
    }
  });

  it('is 404 for a job that does not exist and 403 for one of somebody else', async () => {
    verifies('job.cancel.unknown', 'auth.foreign-resource', 'auth.forbidden');
    const [owner, other] = [await server().createKey(), await server().createKey()];
    const jobId = await server().submit(owner.key);
    expectError(await cancel(other.key, jobId), 'FORBIDDEN');
    expectError(await cancel(owner.key, jobId.replaceAll(/.{4}$/g, '0000')), 'NOT_FOUND');
    expectError(await cancel(owner.key, 'nonsense'), 'NOT_FOUND');
  });

  it('takes a body without looking at it', async () => {
    verifies('job.cancel.route');
    const { key } = await server().createKey();
    const jobId = await server().submit(key, { prompt: '[[sim:hang]]' });
    const answer = await server().call('POST', `/api/v1/job/${jobId}/cancel`, {
      key,
      body: { reason: 'whatever' },
    });
    expect(answer.body).toEqual({ cancelled: true });
  });
});

describe('cancel on a server without a worker', () => {
  const server = useServer({ role: 'api' });

  it('ends a pending job, with zeros for tokens, and says so as often as it is asked', async () => {
    verifies('job.transition.pending-failed', 'job.cancel.again', 'job.failed.tokens');
    const { key } = await server().createKey();
    const jobId = await server().submit(key);
    for (let i = 0; i < 3; i++) {
      const { body } = await server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });
      expect(body).toEqual({ cancelled: true });
    }
    expect(await server().finished(key, jobId)).toMatchObject({
      status: 'failed',
      error: 'Job cancelled',
      errorCode: 'CANCELLED',
      attempt: 0,
      startedAt: null,
      tokensUsed: { input: 0, output: 0 },
    });
  });

  it('drops an answer that comes late, but counts its tokens', async () => {
    verifies('job.cancel.late-answer', 'job.terminal.frozen');
    const { key } = await server().createKey();
    const node = await startFakeNode(server().databaseUrl);
    try {
      const jobId = await server().submit(key);
      const claimed = await node.claim();
      expect(claimed.id).toBe(jobId);
      await server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });
      const used = { input: 11, output: 22, cacheRead: 0, cacheWrite: 0, estimated: false };
      const outcome = await node.finalizer.end({
        jobId,
        runId: claimed.runId,
        teamId: claimed.teamId,
        attempt: claimed.attempt,
        ending: {
          kind: 'completed',
          stopReason: 'stop',
          output: toJsonText('too late'),
          artifact: undefined,
          filesChanged: '[]',
        },
        used: { ...used, costUsd: 0.5, unpricedCalls: 0 },
        textGeneration: 10,
      });
      expect(outcome).toEqual({ kind: 'not_open' });
      const job = await server().finished(key, jobId);
      expect(job).toMatchObject({
        status: 'failed',
        error: 'Job cancelled',
        tokensUsed: { input: 11, output: 22 },
        costUsd: 0.5,
      });
      expect(job).not.toHaveProperty('output');
      const { body } = await server().call('GET', `/api/v1/history/${claimed.runId}`, { key });
      expect(body).toMatchObject({ run: { status: 'cancelled', totalCostUsd: 0.5 } });
    } finally {
      await node.close();
    }
  });
});
