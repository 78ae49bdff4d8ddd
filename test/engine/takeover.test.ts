import { estimateTokenCount } from 'tokenx';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findContradictions } from '../support/chaos/check-tables.ts';
import { soonGivenUp } from '../support/database-mode.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';
import { clientOf } from '../executions/execution.ts';
import { startCluster } from './worker-processes.ts';
import type { Cluster } from './worker-processes.ts';

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster?.close());

const TWO_SLOTS = { MILLRACE_SLOTS: '2' };

it('runs the jobs of a killed worker on another one, each to one end', async () => {
  verifies('job.transition.requeue');
  const { api } = cluster;
  const { key } = await api.createKey();
  const victim = await cluster.startWorker(TWO_SLOTS);
  const survivor = await cluster.startWorker(TWO_SLOTS);
  const jobs = await Promise.all(
    Array.from({ length: 4 }, (_, index) =>
      api.submit(key, {
        prompt: '[[sim:delay 4000]] [[sim:tokens 30]]',
        streamId: `s${index}`,
        runId: 'taken-over',
      }),
    ),
  );
  for (const jobId of jobs) await cluster.running(jobId);
  const owners = new Map<string, string | null>();
  for (const jobId of jobs) owners.set(jobId, (await cluster.job(jobId)).node_id);
  await victim.process.kill('SIGKILL');

  const lost = jobs.filter((jobId) => owners.get(jobId) === victim.nodeId);
  expect(lost).toHaveLength(2);
  for (const jobId of jobs) {
    expect(await api.finished(key, jobId)).toMatchObject({ status: 'completed' });
    const attempt = lost.includes(jobId) ? 2 : 1;
    expect(await cluster.job(jobId)).toMatchObject({ attempt, losses: attempt - 1 });
    // The attempt that died told nobody what it used: it is estimated.
    expect(await cluster.ledger(jobId)).toEqual([
      ...(attempt === 2 ? [{ attempt: 1, outcome: 'lost', tokens_output: 0 }] : []),
      { attempt, outcome: 'completed', tokens_output: 30 },
    ]);
  }
  expect(await cluster.nodeIds()).toEqual([survivor.nodeId]);
  const { rows } = await api.db.query(
    `select status, open_jobs, failed_jobs, tokens_output::int from runs where id = 'taken-over'`,
  );
  expect(rows).toEqual([
    { status: 'complete', open_jobs: 0, failed_jobs: 0, tokens_output: 4 * 30 },
  ]);
});

it('lets a worker that was silent too long change nothing when it comes back', async () => {
  verifies('job.terminal.frozen');
  const { api } = cluster;
  const { key } = await api.createKey();
  const tokens = 4000;
  const silent = await cluster.startWorker(soonGivenUp());
  const jobId = await api.submit(key, {
    // Lasts long after the silence: a call that is not stopped shows in the tokens it used.
    prompt: `[[sim:tokens ${tokens}]] [[sim:pace 200]]`,
    model: 'sim-standard',
    maxTokens: tokens,
  });
  expect((await cluster.running(jobId)).node_id).toBe(silent.nodeId);
  // This one's text is complete the moment the worker wakes up: its end comes late, too.
  const refused = await api.submit(key, {
    prompt: '[[sim:tokens 2000]] [[sim:pace 20]]',
    model: 'sim-standard',
    maxTokens: 2000,
    runId: 'refused',
  });
  await waitUntil(async () => {
    const { rows } = await api.db.query('select distinct job_id from streamed_text');
    return rows.length === 2;
  }, 'text of the first attempts');
  process.kill(silent.process.pid, 'SIGSTOP');

  const other = await cluster.startWorker();
  expect((await cluster.running(jobId, 2)).node_id).toBe(other.nodeId);
  expect((await cluster.running(refused, 2)).node_id).toBe(other.nodeId);
  process.kill(silent.process.pid, 'SIGCONT');
  await silent.process.waitFor(/other nodes declared this node dead/);
  // What the first attempt used was used, and its call was cut short.
  const late = await waitUntil(
    async () =>
      (await cluster.ledger(jobId)).find((row) => row.attempt === 1 && row.outcome === 'late'),
    'the tokens of the first attempt, in the place of the estimate',
  );
  expect(late.tokens_output).toBeGreaterThan(0);
  expect(late.tokens_output).toBeLessThan(tokens);
  expect(await cluster.job(jobId)).toEqual({
    status: 'running',
    attempt: 2,
    losses: 1,
    node_id: other.nodeId,
    error_code: null,
  });

  await api.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
  expect(await api.finished(key, jobId)).toMatchObject({ errorCode: 'CANCELLED', attempt: 2 });
  const ledger = await waitUntil(async () => {
    const rows = await cluster.ledger(jobId);
    return rows.length === 2 ? rows : undefined;
  }, 'the tokens of the second attempt');
  expect(ledger[0]).toEqual(late);
  const { rows: totals } = await api.db.query(
    `select r.tokens_output::int as run, j.tokens_output as job
     from jobs j join runs r on r.id = j.run_id where j.id = $1`,
    [jobId],
  );
  const [, second] = ledger.map((row) => row.tokens_output);
  const sum = late.tokens_output + second!;
  expect(totals).toEqual([{ run: sum, job: sum }]);
  expect(await api.finished(key, refused)).toMatchObject({ status: 'completed', attempt: 2 });
  expect((await cluster.ledger(refused)).map((row) => [row.attempt, row.outcome])).toEqual([
    [1, 'late'],
    [2, 'completed'],
  ]);
  // The late one is a member again, under another name, and works.
  const ids = await cluster.nodeIds();
  expect(ids).toHaveLength(2);
  expect(ids).not.toContain(silent.nodeId);
  await other.process.kill('SIGTERM');
  expect(await api.finished(key, await api.submit(key))).toMatchObject({ status: 'completed' });
});

it('gives a job up after three lost workers, and the run does not count', async () => {
  verifies('job.attempts.max', 'limits.quota.server-fault', 'limits.quota.counts-at-start');
  const { api } = cluster;
  const { key } = await api.createKey({ tier: 'pro' });
  const counted = async () => {
    const { rows } = await api.db.query<{ runs: number }>(
      'select sum(runs_counted)::int as runs from usage_months',
    );
    return rows[0]!.runs;
  };
  const jobId = await api.submit(key, { prompt: '[[sim:hang]]' });
  expect(await counted()).toBe(1);
  for (const attempt of [1, 2, 3]) {
    const worker = await cluster.startWorker();
    await cluster.running(jobId, attempt);
    await worker.process.kill('SIGKILL');
  }
  await cluster.startWorker();
  const job = await api.finished(key, jobId);
  expect(job).toMatchObject({ status: 'failed', errorCode: 'WORKER_LOST', attempt: 3 });
  // Its prompt was sent three times, as far as anybody can tell.
  expect(job).toMatchObject({ usageEstimated: true, tokensUsed: { output: 0 } });
  expect(await cluster.job(jobId)).toMatchObject({ losses: 3 });
  expect((await cluster.ledger(jobId)).map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: 3 }, () => 'lost'),
  );
  expect(await counted()).toBe(0);
  const { rows } = await api.db.query('select id from jobs where virtual_time is not null');
  expect(rows).toEqual([]);
});

it('counts the call that broke off before the one that its worker died in', async () => {
  verifies('job.tokens.lost-calls');
  const { api } = cluster;
  const { key } = await api.createKey();
  const victim = await cluster.startWorker();
  // The first call ends after 12 tokens; the second goes on until the kill, and much longer.
  const prompt = '[[sim:fail 1 interrupted]] [[sim:tokens 4000]] [[sim:pace 100]]';
  const jobId = await api.submit(key, { prompt, model: 'sim-standard', maxTokens: 4000 });
  await waitUntil(async () => {
    const { rows } = await api.db.query(
      'select 1 from streamed_text where job_id = $1 and generation = 51',
      [jobId],
    );
    return rows.length > 0;
  }, 'text of the second call');
  await victim.process.kill('SIGKILL');
  const survivor = await startTestServer({ role: 'worker' }, api.databaseUrl);
  try {
    await cluster.running(jobId, 2);
    const { rows } = await api.db.query<{ input: number; output: number; estimated: boolean }>(
      `select tokens_input as input, tokens_output as output, estimated from usage_ledger
       where job_id = $1 and attempt = 1`,
      [jobId],
    );
    const one = estimateTokenCount(prompt);
    expect(rows[0]).toMatchObject({ input: expect.any(Number), estimated: true });
    // Two calls sent the prompt, the first got 12 tokens and the second some.
    expect(rows[0]!.input).toBeGreaterThanOrEqual(2 * one - 5);
    expect(rows[0]!.output).toBeGreaterThan(12);
    await api.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
  } finally {
    await survivor.close();
  }
});

it('tries the step of an execution again whose job was given up, and the run is complete', async () => {
  const { api } = cluster;
  const { key } = await api.createKey({ tier: 'pro' });
  const executions = clientOf(api, key);
  const id = await executions.start('[[sim:plan 2 steps 1 wave]] two files');
  // As three workers that died with it would leave it.
  const { rowCount } = await api.db.query('update jobs set losses = 3');
  expect(rowCount).toBe(1);
  await cluster.startWorker();
  const { status, runId } = await executions.ended(id);
  expect(status).toBe('completed');
  const { rows } = await api.db.query(
    `select status, failed_jobs::int, open_jobs::int from runs where id = $1`,
    [runId],
  );
  expect(rows).toEqual([{ status: 'complete', failed_jobs: 1, open_jobs: 0 }]);
  expect(await findContradictions(api.db)).toEqual([]);
});
