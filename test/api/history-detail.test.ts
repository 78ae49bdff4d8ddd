import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

interface Stream {
  streamId: string;
  tokensInput: number;
  tokensOutput: number;
}

async function detail(key: string, runId: string) {
  const answer = await server().call('GET', `/api/v1/history/${runId}`, { key });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as { run: Record<string, unknown>; streams: Stream[] };
}

it('a job without runId is a run of one stream and one wave, named after its stream', async () => {
  verifies(
    'history.detail.route',
    'history.detail.run-fields',
    'history.stream.fields',
    'history.run.single',
  );
  const { key } = await server().createKey();
  const prompt = 'owns: src/x.ts, src/y.ts';
  const jobId = await server().submit(key, { streamId: 'solo', prompt, maxTokens: 5000 });
  const job = await server().finished(key, jobId);
  const { input, output } = job['tokensUsed'] as { input: number; output: number };
  expect(await detail(key, job['runId'] as string)).toEqual({
    run: {
      id: job['runId'],
      feature: 'solo',
      status: 'complete',
      streamCount: 1,
      waveCount: 1,
      durationMs: expect.any(Number),
      startedAt: job['queuedAt'],
      totalCostUsd: job['costUsd'],
      models: ['sim-instant'],
      author: { id: expect.stringMatching(/^user_/), name: expect.stringContaining('@') },
    },
    streams: [
      {
        streamId: 'solo',
        name: 'solo',
        status: 'complete',
        waveNumber: 1,
        filesChanged: ['src/x.ts', 'src/y.ts'],
        tokensInput: input,
        tokensOutput: output,
        model: 'sim-instant',
      },
    ],
  });
});

it('jobs of one runId are one run, whose cost and tokens are the sums of its streams', async () => {
  verifies('history.run.grouped', 'history.run.totals');
  const { key } = await server().createKey();
  const ids = await Promise.all(
    ['a', 'b', 'c'].map((streamId, at) =>
      server().submit(key, { runId: 'sum', feature: 'Sum', streamId, waveNumber: at + 1 }),
    ),
  );
  const jobs = [];
  for (const id of ids) jobs.push(await server().finished(key, id));
  const { run, streams } = await detail(key, 'sum');
  expect(run).toMatchObject({ feature: 'Sum', status: 'complete', streamCount: 3, waveCount: 3 });
  expect(streams.map((stream) => stream.streamId)).toEqual(['a', 'b', 'c']);
  const sum = (values: unknown[]) =>
    values.reduce((total: number, next) => total + Number(next), 0);
  expect(run['totalCostUsd']).toBeCloseTo(sum(jobs.map((job) => job['costUsd'])), 9);
  const { rows } = await server().db.query<{ input: string; output: string }>(
    `select tokens_input as input, tokens_output as output from runs where id = 'sum'`,
  );
  expect(Number(rows[0]?.input)).toBe(sum(streams.map((stream) => stream.tokensInput)));
  expect(Number(rows[0]?.output)).toBe(sum(streams.map((stream) => stream.tokensOutput)));
  const { body } = await server().call('GET', '/api/v1/history', { key });
  expect(body).toMatchObject({ total: 1, items: [{ id: 'sum' }] });
});

it('a stream that is tried again is one stream with the tokens of all tries', async () => {
  verifies('history.run.grouped', 'history.run.totals');
  const { key } = await server().createKey();
  const tries = [];
  for (const prompt of ['[[sim:cut 5 refused]]', 'again']) {
    const id = await server().submit(key, { runId: 'retried', streamId: 'one', prompt });
    tries.push(await server().finished(key, id));
  }
  expect(tries.map((job) => job['status'])).toEqual(['failed', 'completed']);
  const { run, streams } = await detail(key, 'retried');
  const outputs = tries.map((job) => (job['tokensUsed'] as { output: number }).output);
  expect(streams).toMatchObject([{ streamId: 'one', status: 'complete' }]);
  expect(streams[0]?.tokensOutput).toBe(outputs[0]! + outputs[1]!);
  expect(run).toMatchObject({ streamCount: 1 });
});

it('a run of somebody else is 403, and one that does not exist 404', async () => {
  verifies('auth.foreign-resource', 'http.error.not-found');
  const [owner, other] = [await server().createKey(), await server().createKey()];
  const jobId = await server().submit(owner.key);
  const runId = jobId.replace('job_', 'run_');
  const get = (key: string, id: string) => server().call('GET', `/api/v1/history/${id}`, { key });
  expectError(await get(other.key, runId), 'FORBIDDEN');
  for (const id of [jobId, 'run_none', 'a%20b', '%00', 'x'.repeat(400)]) {
    expectError(await get(owner.key, id), 'NOT_FOUND');
  }
});
