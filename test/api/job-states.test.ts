import { describe, expect, it } from 'vitest';
import { waitUntil } from '../support/processes.ts';
import { openEvents } from '../support/sse.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

describe('a server that only takes requests', () => {
  const server = useServer({ role: 'api' });

  it('keeps a job pending, and says nothing but that', async () => {
    verifies('job.state.pending', 'job.fields.waiting');
    const { key } = await server().createKey();
    const jobId = await server().submit(key);
    const { status, body } = await server().call('GET', `/api/v1/job/${jobId}`, { key });
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'pending' });
    const full = await server().call('GET', `/api/v1/job/${jobId}?view=full`, { key });
    expect(full.body).toMatchObject({ status: 'pending', attempt: 0, startedAt: null });
  });
});

describe('a server with one slot', () => {
  const server = useServer({ slots: 1 });

  it('takes a job from pending to running to completed', async () => {
    verifies(
      'job.transition.forward',
      'job.state.running',
      'job.fields.waiting',
      'job.status.values',
      'job.get.completed',
    );
    const { key } = await server().createKey();
    const before = await server().submit(key, { prompt: '[[sim:hang]]' });
    await waitUntil(async () => {
      const { body } = await server().call('GET', `/api/v1/job/${before}`, { key });
      if (body['status'] === 'pending') return false;
      expect(body).toEqual({ status: 'running' });
      return true;
    });
    // It hangs as well: a job that is done at once may have been running between two looks.
    const jobId = await server().submit(key, { prompt: '[[sim:hang]] x' });
    const events = await openEvents(`${server().url}/api/v1/job/${jobId}/events`, {
      'x-api-key': key,
    });
    expect(await events.next()).toMatchObject({ event: 'status', data: { status: 'pending' } });
    expect((await server().call('GET', `/api/v1/job/${jobId}`, { key })).body).toEqual({
      status: 'pending',
    });
    const last = await server().submit(key, { prompt: '[[sim:tokens 40]]' });
    await server().call('POST', `/api/v1/job/${before}/cancel`, { key });
    expect(await events.next()).toMatchObject({
      event: 'status',
      data: { status: 'running', attempt: 1 },
    });
    await server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });
    const rest = await events.rest();
    expect(rest.at(-1)).toMatchObject({ event: 'done', data: { status: 'failed' } });
    expect(await server().finished(key, last)).toMatchObject({ status: 'completed' });
  });
});

describe('an ended job', () => {
  const server = useServer();

  it('that completed is {status, output, artifact, tokensUsed}', async () => {
    verifies(
      'job.get.completed',
      'job.fields.output',
      'job.fields.artifact',
      'job.fields.tokens',
      'http.success.ok',
      'http.json',
    );
    const { key } = await server().createKey();
    const jobId = await server().submit(key, { maxTokens: 5000, prompt: 'owns: src/a.ts' });
    await server().finished(key, jobId);
    const { status, body, headers } = await server().call('GET', `/api/v1/job/${jobId}`, { key });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      status: 'completed',
      output: expect.stringContaining('This answer is simulated by sim-instant'),
      artifact: expect.objectContaining({ streamId: 'api', filesChanged: ['src/a.ts'] }),
      tokensUsed: { input: expect.any(Number), output: expect.any(Number) },
    });
    const { input, output } = body['tokensUsed'] as { input: number; output: number };
    expect(input).toBeGreaterThan(0);
    expect(output).toBeGreaterThan(10);
  });

  it('has no artifact field when the text holds none', async () => {
    verifies('job.fields.artifact');
    const { key } = await server().createKey();
    const jobId = await server().submit(key, { prompt: '[[sim:no-artifact]]' });
    await server().finished(key, jobId);
    const { body } = await server().call('GET', `/api/v1/job/${jobId}`, { key });
    expect(Object.keys(body).sort()).toEqual(['output', 'status', 'tokensUsed']);
  });

  it('that failed is {status, error, tokensUsed}, with the cause in words', async () => {
    verifies(
      'job.get.failed',
      'job.fields.error',
      'job.failed.cause',
      'job.failed.tokens',
      'job.transition.forward',
    );
    const { key } = await server().createKey();
    const jobId = await server().submit(key, {
      prompt: '[[sim:rate_limit retry-after=3600]]',
      timeoutMs: 60_000,
    });
    await server().finished(key, jobId);
    const { status, body } = await server().call('GET', `/api/v1/job/${jobId}`, { key });
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'failed',
      error: 'Simulated failure: too many requests',
      tokensUsed: { input: 0, output: 0 },
    });
  });

  it('never changes again, whatever comes late', async () => {
    verifies('job.terminal.frozen');
    const { key } = await server().createKey();
    for (const prompt of ['hello', '[[sim:auth]]']) {
      const jobId = await server().submit(key, { prompt });
      const before = await server().finished(key, jobId);
      const cancel = await server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });
      expect(cancel.body).toEqual({ cancelled: false });
      expect(await server().finished(key, jobId)).toEqual(before);
      const { rows } = await server().db.query<{ status: string; error_code: string | null }>(
        'select status, error_code from jobs where id = $1',
        [jobId],
      );
      expect(rows[0]).toEqual({ status: before['status'], error_code: before['errorCode'] });
    }
  });
});
