import { describe, expect, it } from 'vitest';
import type { FakeNode } from '../support/fake-node.ts';
import { startFakeNode } from '../support/fake-node.ts';
import { waitUntil } from '../support/processes.ts';
import { toolOf } from '../support/turns.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

// The real worker has one slot, kept busy, so that nodes of the test take the jobs and die.
const server = useServer({ slots: 1 });

async function holdSlot(key: string): Promise<() => Promise<unknown>> {
  const jobId = await server().submit(key, { prompt: '[[sim:hang]]', timeoutMs: 3_600_000 });
  await waitUntil(async () => (await statusOf(jobId)) === 'running');
  return () => server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });
}

/** From the table: a poll would use up the rate of the caller. */
async function statusOf(jobId: string): Promise<string | undefined> {
  const { rows } = await server().db.query<{ status: string }>(
    'select status from jobs where id = $1',
    [jobId],
  );
  return rows[0]?.status;
}

async function inputOf(jobId: string): Promise<{ tokensInput: number }> {
  const { rows } = await server().db.query<{ tokensInput: number }>(
    'select tokens_input as "tokensInput" from jobs where id = $1',
    [jobId],
  );
  return rows[0]!;
}

async function stateOf(key: string, jobId: string): Promise<Record<string, unknown>> {
  return (await server().call('GET', `/api/v1/job/${jobId}?view=full`, { key })).body;
}

const LOSSES = ['millrace_workers_lost_total', 'millrace_jobs_repeated_total'];

async function countsOf(names: readonly string[]): Promise<number[]> {
  const text = await (await fetch(`${server().url}/metrics`)).text();
  return names.map((name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)![1]));
}

/** A node takes the job and is gone; resolves when the others have noticed. */
async function loseOnce(jobId: string): Promise<void> {
  const node = await startFakeNode(server().databaseUrl);
  try {
    const claimed = await node.claim();
    expect(claimed.id).toBe(jobId);
    expect(await statusOf(jobId)).toBe('running');
    await node.die();
    await waitUntil(async () => (await statusOf(jobId)) !== 'running');
  } finally {
    await node.close();
  }
}

async function quotaUsed(email: string): Promise<number> {
  const { rows } = await server().db.query<{ runs_counted: number }>(
    `select coalesce(sum(runs_counted), 0)::int as runs_counted from usage_months where team_id = $1`,
    [await server().teamId(email)],
  );
  return rows[0]!.runs_counted;
}

describe('a job whose worker dies', () => {
  it('waits again and is run by another, with one attempt more', async () => {
    verifies('job.transition.requeue');
    const { key } = await server().createKey();
    const release = await holdSlot(key);
    const before = await countsOf(LOSSES);
    const jobId = await server().submit(key);
    expect(await stateOf(key, jobId)).toMatchObject({ status: 'pending', attempt: 0 });
    await loseOnce(jobId);
    expect(await stateOf(key, jobId)).toMatchObject({ status: 'pending', attempt: 1 });
    await release();
    expect(await server().finished(key, jobId)).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await countsOf(LOSSES)).toEqual(before.map((count) => count + 1));
  });

  it('asks again with the same messages and tools', async () => {
    const { key } = await server().createKey();
    const release = await holdSlot(key);
    const messages = [
      { role: 'system', text: 'x '.repeat(2000) },
      { role: 'user', text: '[[sim:calls first {} second {"nul":"\\u0000"}]] [[sim:echo Done.]]' },
    ];
    const tools = ['first', 'second'].map((name) => toolOf(name));
    const jobId = await server().submit(key, { prompt: undefined, messages, tools });
    await loseOnce(jobId);
    const asked = await server().call('GET', `/api/v1/job/${jobId}/request`, { key });
    expect(asked.body).toMatchObject({ messages, tools });
    // The lost call is counted with all of its messages, not with the prompt alone.
    const { tokensInput } = await inputOf(jobId);
    expect(tokensInput).toBeGreaterThan(1500);
    await release();
    const job = await server().finished(key, jobId);
    expect(job).toMatchObject({ status: 'completed', attempt: 2, output: '' });
    expect(job['toolCalls']).toMatchObject([
      { name: 'first', arguments: {} },
      { name: 'second', arguments: { nul: '\0' } },
    ]);
  });

  it('three times is given up, and its run does not count against the quota', async () => {
    verifies('job.attempts.max', 'limits.quota.server-fault');
    const holder = await server().createKey();
    const release = await holdSlot(holder.key);
    const { key, email } = await server().createKey({ tier: 'pro' });
    const jobId = await server().submit(key);
    expect(await quotaUsed(email)).toBe(1);
    for (let i = 0; i < 3; i++) await loseOnce(jobId);
    expect(await server().finished(key, jobId)).toMatchObject({
      status: 'failed',
      errorCode: 'WORKER_LOST',
      error: expect.stringContaining('3 times'),
      attempt: 3,
      // Whether the workers had sent the prompt nobody can tell any more.
      usageEstimated: true,
      tokensUsed: { input: expect.any(Number), output: 0 },
    });
    expect(await quotaUsed(email)).toBe(0);
    await release();
    // Nobody tries a fourth time.
    const next = await server().submit(key);
    await server().finished(key, next);
    expect(await stateOf(key, jobId)).toMatchObject({ status: 'failed', attempt: 3 });
  });

  it('is not touched any more by the worker that lost it', async () => {
    verifies('job.transition.requeue', 'job.terminal.frozen');
    const { key } = await server().createKey();
    const release = await holdSlot(key);
    const jobId = await server().submit(key);
    const late: FakeNode = await startFakeNode(server().databaseUrl);
    try {
      const claimed = await late.claim();
      await late.die();
      await waitUntil(async () => (await statusOf(jobId)) === 'pending');
      const end = () =>
        late.finalizer.end({
          jobId,
          runId: claimed.runId,
          teamId: claimed.teamId,
          attempt: claimed.attempt,
          ending: { kind: 'failed', error: 'from the grave', errorCode: 'INTERNAL_ERROR' },
          used: {
            input: 1,
            output: 2,
            cacheRead: 0,
            cacheWrite: 0,
            estimated: false,
            costUsd: 0.25,
            unpricedCalls: 0,
          },
          textGeneration: 10,
        });
      expect(await end()).toEqual({ kind: 'not_open' });
      expect(await stateOf(key, jobId)).toMatchObject({ status: 'pending', attempt: 1 });
      await release();
      const job = await server().finished(key, jobId);
      expect(job).toMatchObject({ status: 'completed', attempt: 2, errorCode: null });
      expect(await end()).toEqual({ kind: 'not_open' });
      expect(await server().finished(key, jobId)).toEqual(job);
      // What the lost worker had used is in the cost of the run, once.
      const { body } = await server().call('GET', `/api/v1/history/${claimed.runId}`, { key });
      const { totalCostUsd } = body['run'] as { totalCostUsd: number };
      expect(totalCostUsd).toBeCloseTo(job['costUsd'] as number, 9);
      expect(job['costUsd']).toBeGreaterThan(0.25);
    } finally {
      await late.close();
    }
  });
});

it('a job whose claim was never answered was not called, and its worker is not lost', async () => {
  const { key } = await server().createKey();
  const release = await holdSlot(key);
  const { rows: nodes } = await server().db.query<{ id: string }>('select id from nodes');
  const jobId = await server().submit(key);
  const before = await countsOf(LOSSES);
  // As when the database commits a claim and is gone before it says so.
  const connection = await startFakeNode(server().databaseUrl);
  try {
    expect(await connection.claim(nodes[0]!.id)).toMatchObject({ id: jobId, attempt: 1 });
  } finally {
    await connection.close();
  }
  await waitUntil(async () => (await statusOf(jobId)) === 'pending', 'the node to requeue it');
  await release();
  expect(await server().finished(key, jobId)).toMatchObject({
    status: 'completed',
    attempt: 2,
    usageEstimated: false,
  });
  const { rows } = await server().db.query(
    `select l.attempt, l.outcome, j.losses from usage_ledger l join jobs j on j.id = l.job_id
     where l.job_id = $1`,
    [jobId],
  );
  expect(rows).toEqual([{ attempt: 2, outcome: 'completed', losses: 0 }]);
  expect(await countsOf(LOSSES)).toEqual(before);
});
