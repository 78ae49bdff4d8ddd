import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { clientOf } from './execution.ts';

const server = useServer();

describe('the executions API', () => {
  it('lives under /v1, and nowhere under /api', async () => {
    verifies('http.surface.executions', 'versioning.prefix.executions');
    const { key } = await server().createKey();
    expect((await server().call('GET', '/v1/executions', { key })).status).toBe(200);
    expectError(await server().call('GET', '/api/v1/executions', { key }), 'NOT_FOUND');
    expectError(await server().call('GET', '/v2/executions', { key }), 'NOT_FOUND');
  });

  it('is in the OpenAPI document with every route', async () => {
    verifies('http.openapi.executions');
    const { body } = await server().call('GET', '/openapi.json');
    const paths = Object.keys(body['paths'] as object).filter((path) =>
      path.startsWith('/v1/exec'),
    );
    expect(paths.sort()).toEqual([
      '/v1/executions',
      '/v1/executions/{id}',
      '/v1/executions/{id}/cancel',
      '/v1/executions/{id}/events',
      '/v1/executions/{id}/run',
    ]);
  });

  it('has the rates of the job API in a bucket of its own', async () => {
    verifies('limits.rate.executions');
    const { key } = await server().createKey({ tier: 'trial' });
    // All at once: a place comes back every six seconds, in which a slow machine sends little.
    const ask = async (path: string, times: number) =>
      Promise.all(Array.from({ length: times }, () => server().call('GET', path, { key })));
    const jobs = await ask('/api/v1/history', 20);
    expect(jobs.some(({ status }) => status === 429)).toBe(true);
    const executions = await ask('/v1/executions', 10);
    expect(executions.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
    const limited = (await ask('/v1/executions', 10)).find(({ status }) => status === 429)!;
    expectError(limited, 'RATE_LIMITED');
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  });

  it('refuses a cursor that it did not give', async () => {
    verifies('http.paging.bad-cursor');
    const { key } = await server().createKey();
    for (const before of ['x', 'exec_', 'job_01m7f8hek5e00a6qsmqjp5nxjc', '%00']) {
      const answer = await server().call('GET', `/v1/executions?before=${before}`, { key });
      expectError(answer, 'VALIDATION_ERROR');
    }
  });

  it('enters every execution into the history, and a dry run takes nothing of the quota', async () => {
    verifies('history.run.execution', 'limits.quota.dry-run');
    const { key } = await server().createKey({ tier: 'pro' });
    const client = clientOf(server(), key);
    const dry = await client.ended(
      await client.start({ task: 'Plan it', options: { dryRun: true } }),
    );
    const real = await client.ended(await client.start('Do it'));
    const { body } = await server().call('GET', '/api/v1/history', { key });
    const items = body['items'] as { id: string; feature: string; status: string }[];
    expect(items.map(({ id, feature, status }) => [id, feature, status])).toEqual([
      [real.runId, 'Do it', 'complete'],
      [dry.runId, 'Plan it', 'complete'],
    ]);
    const { rows } = await server().db.query<{ runs_counted: number }>(
      `select m.runs_counted from usage_months m join runs r on r.team_id = m.team_id
       where r.id = $1`,
      [real.runId],
    );
    expect(rows).toEqual([{ runs_counted: 1 }]);
  });
});
