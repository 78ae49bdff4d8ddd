import { describe, expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

interface JobColumns {
  timeout_ms: number;
  temperature: number | null;
  deadline_ms: number;
  prompt_parts: string | null;
}

async function storedJob(jobId: string): Promise<JobColumns> {
  const { rows } = await server().db.query<JobColumns>(
    `select timeout_ms, temperature, prompt_parts,
       (extract(epoch from deadline_at - queued_at) * 1000)::int as deadline_ms
     from jobs where id = $1`,
    [jobId],
  );
  return rows[0]!;
}

describe('execute', () => {
  it('answers 202 with the job id and the address of the job', async () => {
    verifies(
      'job.execute.route',
      'job.execute.accepted',
      'job.get.route',
      'http.surface.jobs',
      'http.ids',
    );
    const { key } = await server().createKey();
    const body = { streamId: 'api', prompt: 'hello', model: 'sim-instant', maxTokens: 100 };
    const answer = await server().call('POST', '/api/v1/execute', { key, body });
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({ jobId: expect.stringMatching(/^job_[0-9a-hjkmnp-tv-z]{26}$/) });
    const { jobId } = answer.body as { jobId: string };
    expect(answer.headers.get('location')).toBe(`/api/v1/job/${jobId}`);
    const job = await server().call('GET', answer.headers.get('location') ?? '', { key });
    expect(job.status).toBe(200);
    // Ids sort by age, and the thirteenth hex digit of the UUID inside is the version, 7.
    const next = await server().submit(key);
    expect(next > jobId).toBe(true);
    const bits = Array.from(jobId.slice(4))
      .map((char) => '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(char).toString(2).padStart(5, '0'))
      .join('');
    expect(Number.parseInt(bits.slice(2).slice(48, 52), 2)).toBe(7);
  });

  it('gives the model the prompt as it is', async () => {
    verifies('job.execute.prompt');
    const { key } = await server().createKey();
    const text = '  two spaces, a tab\t, "quotes", \\ and ünïcødé 🎉\r\n\r\nlast line \n';
    const jobId = await server().submit(key, { prompt: `[[sim:reply]]${text}[[/sim:reply]]` });
    expect(await server().finished(key, jobId)).toMatchObject({ output: text });
  });

  it('lets the model write no more than maxTokens', async () => {
    verifies('job.execute.max-tokens');
    const { key } = await server().createKey();
    const jobId = await server().submit(key, { prompt: '[[sim:tokens 500]]', maxTokens: 7 });
    const job = await server().finished(key, jobId);
    expect(job).toMatchObject({ status: 'completed', tokensUsed: { output: 7 } });
  });

  it('keeps how much the model is to think, and says it in the full view', async () => {
    verifies('job.execute.reasoning');
    const { key } = await server().createKey();
    const asked = await server().submit(key, { reasoning: 'high' });
    expect(await server().finished(key, asked)).toMatchObject({ reasoning: 'high' });
    const plain = await server().submit(key);
    expect(await server().finished(key, plain)).toMatchObject({ reasoning: null });
    // Another wish is another request.
    const headers = { 'idempotency-key': 'thinks' };
    const send = (reasoning: string) => {
      const body = { streamId: 's', prompt: 'p', model: 'sim-instant', maxTokens: 9, reasoning };
      return server().call('POST', '/api/v1/execute', { key, headers, body });
    };
    expect((await send('low')).status).toBe(202);
    expect((await send('high')).status).toBe(422);
  });

  it('gives a job eleven minutes unless the request says otherwise', async () => {
    verifies('job.execute.timeout');
    const { key } = await server().createKey();
    const plain = await storedJob(await server().submit(key));
    expect(plain).toMatchObject({ timeout_ms: 660_000, deadline_ms: 660_000 });
    const asked = await storedJob(await server().submit(key, { timeoutMs: 5000 }));
    expect(asked).toMatchObject({ timeout_ms: 5000, deadline_ms: 5000 });
  });

  it('keeps the temperature for the call', async () => {
    verifies('job.execute.temperature');
    const { key } = await server().createKey();
    const warm = await server().submit(key, { temperature: 0.25 });
    expect((await storedJob(warm)).temperature).toBe(0.25);
    expect((await storedJob(await server().submit(key))).temperature).toBeNull();
    expect((await server().finished(key, warm))['status']).toBe('completed');
  });

  it('groups jobs into a run by runId, with feature, stream name and wave', async () => {
    verifies('job.execute.grouping');
    const { key } = await server().createKey();
    const run = { runId: 'release-7', feature: 'Release 7' };
    const first = { ...run, streamId: 'one', streamName: 'The first', waveNumber: 1 };
    const second = { ...run, streamId: 'two', streamName: 'The second', waveNumber: 2 };
    const ids = [await server().submit(key, first), await server().submit(key, second)];
    for (const id of ids) {
      expect(await server().finished(key, id)).toMatchObject({ runId: 'release-7' });
    }
    const { body } = await server().call('GET', '/api/v1/history/release-7', { key });
    expect(body).toMatchObject({
      run: { feature: 'Release 7', streamCount: 2, waveCount: 2 },
      streams: [
        { streamId: 'one', name: 'The first', waveNumber: 1 },
        { streamId: 'two', name: 'The second', waveNumber: 2 },
      ],
    });
  });

  it('ignores fields that it does not know', async () => {
    verifies('http.body.unknown-fields');
    const { key } = await server().createKey();
    const jobId = await server().submit(key, { futureField: { a: [1] }, status: 'failed' });
    expect((await server().finished(key, jobId))['status']).toBe('completed');
  });
});

describe('structuredPrompt', () => {
  const system = 'You are careful and thorough. '.repeat(300);
  const parts = {
    systemContent: system,
    projectContext: 'The project.',
    streamContext: 'The stream.',
    taskContent: 'The task.',
    cachingHints: [{ any: 'shape' }, 'of hint'],
  };
  const prompt = [system, 'The project.', 'The stream.', 'The task.'].join('\n\n');

  it('lets a repeated prefix come from the cache', async () => {
    verifies('job.execute.structured-prompt');
    const { key } = await server().createKey();
    const body = { prompt, structuredPrompt: { ...parts, fullPrompt: prompt } };
    const first = await server().finished(key, await server().submit(key, body));
    expect(first).toMatchObject({ status: 'completed', cachedInputTokens: 0 });
    const again = await server().finished(key, await server().submit(key, body));
    expect(again['cachedInputTokens']).toBeGreaterThan(1000);
    expect(again['costUsd']).toBeLessThan(first['costUsd'] as number);
  });

  it('is dropped when its parts do not add up to the prompt', async () => {
    verifies('job.execute.structured-prompt-mismatch');
    const { key } = await server().createKey();
    const body = {
      prompt: `[[sim:echo the prompt wins]]\n\n${prompt}`,
      structuredPrompt: { ...parts, taskContent: '[[sim:echo the parts win]]' },
    };
    await server().finished(key, await server().submit(key, body));
    const jobId = await server().submit(key, body);
    const job = await server().finished(key, jobId);
    expect(job).toMatchObject({ output: 'the prompt wins', cachedInputTokens: 0 });
    expect((await storedJob(jobId)).prompt_parts).toBeNull();
  });
});
