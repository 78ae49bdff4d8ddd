// Tokens and cost of a job are the sum of all its attempts, wherever they are shown.
import { estimateTokenCount } from 'tokenx';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NO_USAGE } from '../../src/providers/provider.ts';
import { simulatedCostUsd } from '../../src/providers/simulator/price.ts';
import { requeueJobs } from '../../src/store/jobs/requeue-jobs.ts';
import type { ClaimedJob } from '../../src/store/jobs/claim-jobs.ts';
import type { UsedTokens } from '../../src/store/jobs/job-outcome.ts';
import { cleanUp } from '../../src/store/jobs/maintenance.ts';
import { updateUsedSoFar } from '../../src/store/jobs/used-so-far.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { clientOf, planOf } from '../executions/execution.ts';
import { startFakeNode } from '../support/fake-node.ts';
import type { FakeNode } from '../support/fake-node.ts';
import { findLedgerGaps } from '../support/ledger-sums.ts';
import { waitUntil } from '../support/processes.ts';
import { PRICED_MODEL, pricedProviders } from '../support/priced-model.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { verifies } from '../support/verifies.ts';

let api: TestServer;
let node: FakeNode;
let worker: TestServer | undefined;
let key: string;

beforeEach(async () => {
  api = await startTestServer({ role: 'api' }, undefined, pricedProviders());
  node = await startFakeNode(api.databaseUrl);
  ({ key } = await api.createKey());
});
afterEach(async () => {
  await worker?.close();
  worker = undefined;
  await node?.close();
  await api?.close();
});

async function startWorker(): Promise<void> {
  worker = await startTestServer({ role: 'worker' }, api.databaseUrl, pricedProviders());
}

const used = (more: Partial<UsedTokens> = {}): UsedTokens => ({
  input: 100,
  output: 20,
  cacheRead: 40,
  cacheWrite: 0,
  estimated: false,
  costUsd: 0.25,
  unpricedCalls: 0,
  ...more,
});

const tell = (job: ClaimedJob, tokens: UsedTokens) =>
  node.finalizer.end({
    jobId: job.id,
    runId: job.runId,
    teamId: job.teamId,
    attempt: job.attempt,
    ending: { kind: 'usage_only' },
    used: tokens,
    textGeneration: 0,
  });

/** As a node does that drains. */
async function requeue(): Promise<void> {
  const signals = createSignals({ originId: 'sig_test', db: api.db, onError: () => undefined });
  await requeueJobs({ db: api.db, signals }, node.id, { lost: false });
  await signals.flush();
}

interface Shown {
  tokensUsed: { input: number; output: number };
  costUsd: number;
  cachedInputTokens: number;
  usageEstimated: boolean;
  attempt: number;
}

const shown = async (jobId: string) => (await api.finished(key, jobId)) as unknown as Shown;

/** What the last attempt used by itself. */
async function lastOf(jobId: string) {
  const { rows } = await api.db.query<{ input: number; output: number; cost: number }>(
    `select tokens_input as input, tokens_output as output, cost_usd as cost from usage_ledger
     where job_id = $1 and outcome = 'completed'`,
    [jobId],
  );
  return rows[0]!;
}

/** The estimate of a lost call, as if it had been made a month ago. */
async function moveToLastMonth(jobId: string): Promise<void> {
  await api.db.query(
    `with moved as (
       update usage_ledger set recorded_at = recorded_at - interval '40 days'
       where job_id = $1 and outcome = 'lost'
       returning team_id, tokens_input, tokens_output, cost_usd, recorded_at
     ),
     taken as (
       update usage_months m set tokens_input = m.tokens_input - moved.tokens_input,
         tokens_output = m.tokens_output - moved.tokens_output, cost_usd = m.cost_usd - moved.cost_usd
       from moved where m.team_id = moved.team_id
     )
     insert into usage_months (team_id, month, tokens_input, tokens_output, cost_usd)
     select team_id, date_trunc('month', recorded_at at time zone 'utc'), tokens_input, tokens_output,
       cost_usd from moved`,
    [jobId],
  );
}

it('a job that was handed over shows what both of its workers used, also in its run', async () => {
  verifies('job.tokens.all-attempts');
  const jobId = await api.submit(key, { runId: 'drained' });
  const first = await node.claim();
  await tell(first, used());
  await requeue();
  await startWorker();
  const job = await shown(jobId);
  const last = await lastOf(jobId);
  expect(job).toMatchObject({ attempt: 2, usageEstimated: false, cachedInputTokens: 40 });
  expect(job.tokensUsed).toEqual({ input: 100 + last.input, output: 20 + last.output });
  expect(job.costUsd).toBeCloseTo(0.25 + last.cost, 9);
  const detail = async () => {
    const { body } = await api.call('GET', '/api/v1/history/drained', { key });
    const { run, streams } = body as {
      run: { totalCostUsd: number };
      streams: { tokensInput: number; tokensOutput: number }[];
    };
    return { cost: run.totalCostUsd, ...streams[0]! };
  };
  const before = await detail();
  expect(before).toMatchObject({
    tokensInput: job.tokensUsed.input,
    tokensOutput: job.tokensUsed.output,
  });
  expect(before.cost).toBeCloseTo(job.costUsd, 9);
  expect(await findLedgerGaps(api.db)).toEqual([]);
  // A record by the client makes the server add up again.
  await api.call('PUT', '/api/v1/history/drained', {
    key,
    body: {
      run: { feature: 'f', status: 'complete', startedAt: new Date().toISOString() },
      streams: [],
    },
  });
  expect((await detail()).cost).toBeCloseTo(before.cost, 9);
  expect(await findLedgerGaps(api.db)).toEqual([]);
});

it('the call of a worker that died is estimated and marked, and corrected when it tells after all', async () => {
  verifies('job.tokens.lost-calls');
  const prompt = 'a question of some length, so that it has tokens to count';
  const jobId = await api.submit(key, { model: PRICED_MODEL, prompt });
  const first = await node.claim();
  await api.db.query(
    `insert into streamed_text (job_id, generation, start_offset, chunk)
     values ($1, 50, 0, '"the first words of "'), ($1, 50, 19, '"an answer"')`,
    [jobId],
  );
  await node.die();
  await startWorker();
  const job = await shown(jobId);
  const last = await lastOf(jobId);
  expect(job).toMatchObject({ attempt: 2, usageEstimated: true });
  const lost = {
    input: job.tokensUsed.input - last.input,
    output: job.tokensUsed.output - last.output,
  };
  expect(lost.input).toBeGreaterThan(prompt.length / 8);
  expect(lost.output).toBeGreaterThan(2);
  expect(job.costUsd).toBeGreaterThan(last.cost);
  expect(await findLedgerGaps(api.db)).toEqual([]);

  // Corrected where it was counted, though a new month has begun.
  await moveToLastMonth(jobId);
  expect(await findLedgerGaps(api.db)).toEqual([]);
  await tell(first, used());
  const corrected = await waitUntil(async () => {
    const now = await shown(jobId);
    return now.usageEstimated ? undefined : now;
  }, 'the correction');
  expect(corrected.tokensUsed).toEqual({ input: 100 + last.input, output: 20 + last.output });
  expect(corrected.costUsd).toBeCloseTo(0.25 + last.cost, 9);
  // Said twice, it counts once.
  await tell(first, used());
  expect(await findLedgerGaps(api.db)).toEqual([]);
  expect(await shown(jobId)).toEqual(corrected);
});

it('a worker that dies after a cancel is estimated, too', async () => {
  const jobId = await api.submit(key, { prompt: 'another question of a few words' });
  await node.claim();
  await api.db.query(
    `insert into streamed_text (job_id, generation, start_offset, chunk)
     values ($1, 50, 0, '"what had come until then"')`,
    [jobId],
  );
  await api.call('POST', `/api/v1/job/${jobId}/cancel`, { key });
  await api.db.query(`update jobs set ended_at = now() - interval '2 minutes' where id = $1`, [
    jobId,
  ]);
  await cleanUp(api.db, () => 0.5);
  const job = await shown(jobId);
  expect(job).toMatchObject({ usageEstimated: true, costUsd: 0.5 });
  expect(job.tokensUsed.input).toBeGreaterThan(2);
  expect(job.tokensUsed.output).toBeGreaterThan(2);
  expect(await findLedgerGaps(api.db)).toEqual([]);
});

it('says the same of an execution that lost a worker in the job, the history, the execution and the month', async () => {
  verifies('job.tokens.lost-calls');
  const client = clientOf(api, key);
  const id = await client.start(planOf({ a: 'owns: [a.md]' }));
  const planning = await node.claim();
  // Its first call broke off and told its tokens; the second was under way when the worker died.
  const soFar = { attempt: 1, generation: 50, used: used({ output: 7 }) };
  await updateUsedSoFar(api.db, planning.id, soFar);
  await api.db.query(
    `insert into streamed_text (job_id, generation, start_offset, chunk)
     values ($1, 50, 0, '"seven words of the first call came"'), ($1, 51, 0, '"and three more"')`,
    [planning.id],
  );
  await node.die();
  await startWorker();
  const done = await client.ended(id);
  expect(done).toMatchObject({ status: 'completed', metrics: { usageEstimated: true } });
  // The step itself lost nothing.
  expect(done.steps[0]).not.toHaveProperty('usageEstimated');
  const { rows: lost } = await api.db.query(
    `select tokens_input as input, tokens_output as output, tokens_cached as cached, cost_usd as cost
     from usage_ledger where job_id = $1 and outcome = 'lost'`,
    [planning.id],
  );
  const prompt = estimateTokenCount(JSON.parse(planning.prompt) as string);
  const output = estimateTokenCount('and three more');
  const cost = simulatedCostUsd({ ...NO_USAGE, input: prompt, output });
  expect(lost).toEqual([
    { input: 100 + prompt, output: 7 + output, cached: 40, cost: 0.25 + cost },
  ]);

  const { body } = await api.call('GET', `/api/v1/history/${done.runId}`, { key });
  const { run, streams } = body as unknown as {
    run: { totalCostUsd: number; usageEstimated?: true };
    streams: { streamId: string; tokensInput: number; tokensOutput: number }[];
  };
  expect(run.usageEstimated).toBe(true);
  expect(streams.map((stream) => [stream.streamId, 'usageEstimated' in stream])).toEqual([
    ['plan', true],
    ['a', false],
  ]);
  const inHistory = streams.reduce((sum, each) => sum + each.tokensInput + each.tokensOutput, 0);
  expect(inHistory).toBe(done.metrics.tokensUsed);
  expect(run.totalCostUsd).toBeCloseTo(done.metrics.costUsd, 9);
  const { rows: months } = await api.db.query<{ tokens: number; cost: number }>(
    `select sum(tokens_input + tokens_output)::int as tokens, sum(cost_usd) as cost
     from usage_months`,
  );
  expect(months[0]!.tokens).toBe(inHistory);
  // Simulated: no money was spent.
  expect(months[0]!.cost).toBe(0);
  expect(await findLedgerGaps(api.db)).toEqual([]);
});

it('a job of a worker that no table knows is taken from it, and what it used is counted', async () => {
  const jobId = await api.submit(key, { prompt: 'the same question' });
  await node.claim();
  await startWorker();
  // While the worker is known, nobody takes anything from it.
  const other = await api.submit(key);
  await api.finished(key, other);
  const { rows } = await api.db.query('select node_id, attempt from jobs where id = $1', [jobId]);
  expect(rows).toEqual([{ node_id: node.id, attempt: 1 }]);
  await api.db.query('delete from nodes where id = $1', [node.id]);
  const job = await waitUntil(async () => {
    const now = await shown(jobId);
    return now.usageEstimated ? now : undefined;
  }, 'the estimate of the first attempt');
  const last = await lastOf(jobId);
  expect(job.attempt).toBe(2);
  expect(job.tokensUsed).toEqual({
    input: last.input + estimateTokenCount('the same question'),
    output: last.output,
  });
  expect(await findLedgerGaps(api.db)).toEqual([]);
});

it('estimates nothing for a job that waited for its provider when its worker died', async () => {
  const jobId = await api.submit(key);
  await node.claim();
  await api.db.query(
    `insert into job_waits (job_id, reason, until_at) values ($1, 'key_paused', now() + interval '1 hour')`,
    [jobId],
  );
  await node.die();
  await startWorker();
  const job = await shown(jobId);
  expect(job).toMatchObject({ attempt: 2, usageEstimated: false });
  expect(await findLedgerGaps(api.db)).toEqual([]);
});
