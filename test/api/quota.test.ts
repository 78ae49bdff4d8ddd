import { describe, expect, it } from 'vitest';
import type { Tier } from '../../src/domain/job/tiers.ts';
import { expectError } from '../support/expect-error.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

// Nothing runs here, so that a job stays as it was submitted.
const server = useServer({ role: 'api' });

const JOB = { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 10 };
const execute = (key: string, more: object = {}, node = server()) =>
  node.call('POST', '/api/v1/execute', { key, body: { ...JOB, ...more } });

async function used(node: TestServer, email: string, monthsAgo = 0): Promise<number> {
  const { rows } = await node.db.query<{ runs_counted: number }>(
    `select runs_counted from usage_months where team_id = $1
       and month = date_trunc('month', now() at time zone 'utc') - $2 * interval '1 month'`,
    [await node.teamId(email), monthsAgo],
  );
  return rows[0]?.runs_counted ?? 0;
}

async function setUsed(email: string, count: number, monthsAgo = 0): Promise<void> {
  await server().db.query(
    `insert into usage_months (team_id, month, runs_counted)
     values ($1, date_trunc('month', now() at time zone 'utc') - $3 * interval '1 month', $2)
     on conflict (team_id, month) do update set runs_counted = excluded.runs_counted`,
    [await server().teamId(email), count, monthsAgo],
  );
}

describe('the monthly quota', () => {
  it('is 50, 1000 or 5000 runs by tier, and without end for enterprise', async () => {
    verifies('limits.quota.tiers', 'limits.quota.code', 'limits.quota.details');
    for (const [tier, limit] of [
      ['trial', 50],
      ['pro', 1000],
      ['team', 5000],
    ] as [Tier, number][]) {
      const { key, email } = await server().createKey({ tier });
      await setUsed(email, limit - 1);
      expect((await execute(key)).status, tier).toBe(202);
      const answer = await execute(key);
      const error = expectError(answer, 'QUOTA_EXCEEDED') as unknown as { details: object };
      expect(error.details).toEqual({ used: limit, limit, resetsAt: expect.any(String) });
    }
    const { key, email } = await server().createKey({ tier: 'enterprise' });
    await setUsed(email, 1_000_000);
    expect((await execute(key)).status).toBe(202);
  });

  it('resets on the first of the month at midnight UTC', async () => {
    verifies('limits.quota.reset');
    const nextMonth = () => {
      const now = new Date();
      return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
    };
    const { key, email } = await server().createKey({ tier: 'trial' });
    await setUsed(email, 50, 1);
    expect((await execute(key)).status).toBe(202);
    await setUsed(email, 50);
    const before = nextMonth();
    const { body } = await execute(key);
    const { resetsAt } = (body as { error: { details: { resetsAt: string } } }).error.details;
    expect([before, nextMonth()]).toContain(resetsAt);
  });

  it('counts a run when it is started, and its further jobs not again', async () => {
    verifies('limits.quota.counts-at-start');
    const { key, email } = await server().createKey({ tier: 'trial' });
    await execute(key, { runId: 'quota-run' });
    expect(await used(server(), email)).toBe(1);
    await execute(key, { runId: 'quota-run', streamId: 'b' });
    expect(await used(server(), email)).toBe(1);
    await execute(key);
    expect(await used(server(), email)).toBe(2);
    await setUsed(email, 50);
    expectError(await execute(key), 'QUOTA_EXCEEDED');
    expect((await execute(key, { runId: 'quota-run', streamId: 'c' })).status).toBe(202);
  });

  it('does not count what was refused or said twice', async () => {
    const { key, email } = await server().createKey({ tier: 'trial' });
    const headers = { 'idempotency-key': 'once' };
    for (let i = 0; i < 2; i++) {
      const answer = await server().call('POST', '/api/v1/execute', { key, headers, body: JOB });
      expect(answer.status).toBe(202);
    }
    expectError(await execute(key, { maxTokens: 0 }), 'VALIDATION_ERROR');
    expect(await used(server(), email)).toBe(1);
  });

  it('is exact when many submits come at once, to two nodes', async () => {
    verifies('limits.quota.details');
    const { key, email } = await server().createKey({ tier: 'team' });
    const second = await startTestServer({ role: 'api' }, server().databaseUrl);
    try {
      await setUsed(email, 4990);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => execute(key, {}, index % 2 ? second : server())),
      );
      expect(answers.filter((answer) => answer.status === 202)).toHaveLength(10);
      const refused = answers.filter((answer) => answer.status === 402);
      expect(refused).toHaveLength(90);
      for (const answer of refused) {
        const error = expectError(answer, 'QUOTA_EXCEEDED') as unknown as { details: object };
        expect(error.details).toEqual({ used: 5000, limit: 5000, resetsAt: expect.any(String) });
      }
      expect(await used(server(), email)).toBe(5000);
    } finally {
      await second.close();
    }
  });

  it('gets a run back that was cancelled while it was pending', async () => {
    verifies('limits.quota.cancelled-pending');
    const { key, email } = await server().createKey({ tier: 'trial' });
    await setUsed(email, 49);
    const { body } = await execute(key);
    expectError(await execute(key), 'QUOTA_EXCEEDED');
    await server().call('POST', `/api/v1/job/${body['jobId'] as string}/cancel`, { key });
    expect(await used(server(), email)).toBe(49);
    expect((await execute(key)).status).toBe(202);
  });
});

describe('the monthly quota on a server that runs jobs', () => {
  const worker = useServer();

  it('keeps a run that was cancelled while it ran, or that failed by itself', async () => {
    verifies('limits.quota.counts-at-start');
    const { key, email } = await worker().createKey({ tier: 'trial' });
    const hanging = await worker().submit(key, { prompt: '[[sim:hang]]' });
    const events = await fetch(`${worker().url}/api/v1/job/${hanging}/events`, {
      headers: { 'x-api-key': key },
    });
    let text = '';
    for await (const chunk of events.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('"running"')) break;
    }
    await worker().call('POST', `/api/v1/job/${hanging}/cancel`, { key });
    await worker().finished(key, await worker().submit(key, { prompt: '[[sim:auth]]' }));
    expect(await used(worker(), email)).toBe(2);
  });
});
