import { expect, it } from 'vitest';
import { listJobsStatement } from '../../src/store/jobs/job-list.ts';
import { expectError } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

async function list(key: string, query = '') {
  const { status, body } = await server().call('GET', `/api/v1/jobs${query}`, { key });
  expect(status, JSON.stringify(body)).toBe(200);
  const page = body as unknown as {
    items: Record<string, unknown>[];
    nextCursor: string | null;
    hasMore: boolean;
  };
  return { ...page, ids: page.items.map(({ jobId }) => jobId) };
}

it('jobs are listed newest first, page by page, and to their team alone', async () => {
  verifies('job.list');
  const [owner, stranger] = [await server().createKey(), await server().createKey()];
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift(await server().submit(owner.key));
  await server().finished(owner.key, ids[0]!);
  const first = await list(owner.key, '?limit=2');
  expect(first.ids).toEqual(ids.slice(0, 2));
  expect(first.items[0]).toMatchObject({
    status: 'completed',
    executionId: null,
    model: 'sim-instant',
    simulated: true,
    error: null,
  });
  const second = await list(owner.key, `?limit=2&before=${first.nextCursor}`);
  expect(second.ids).toEqual(ids.slice(2, 4));
  const last = await list(owner.key, `?limit=2&before=${second.nextCursor}`);
  expect(last.ids).toEqual(ids.slice(4));
  expect(last).toMatchObject({ hasMore: false, nextCursor: null });
  expect((await list(stranger.key)).ids).toEqual([]);
});

it('jobs are found by status, model, run, time and the start of their id', async () => {
  const { key } = await server().createKey();
  const good = await server().submit(key);
  const bad = await server().submit(key, { prompt: '[[sim:fail]]', model: 'sim-fast' });
  const [run] = [(await server().finished(key, bad))['runId']];
  await server().finished(key, good);
  const failed = await list(key, '?status=failed');
  expect(failed.ids).toEqual([bad]);
  expect(failed.items[0]).toMatchObject({ error: expect.stringMatching(/./), runId: run });
  expect((await list(key, '?model=sim-fast')).ids).toEqual([bad]);
  expect((await list(key, '?status=failed&model=sim-instant')).ids).toEqual([]);
  expect((await list(key, `?runId=${String(run)}`)).ids).toEqual([bad]);
  expect((await list(key, `?runId=${String(run)}&status=completed`)).ids).toEqual([]);
  expect((await list(key, `?id=${good}`)).ids).toEqual([good]);
  expect((await list(key, `?id=${good.slice(0, 12)}`)).ids).toContain(good);
  expect((await list(key, `?id=${good}&before=${good}`)).ids).toEqual([]);
  expect((await list(key, `?since=${new Date(Date.now() + 60_000).toISOString()}`)).ids).toEqual(
    [],
  );
  for (const since of ['2020-01-01', '1969-12-31', '0001-01-01']) {
    expect((await list(key, `?since=${since}T00:00:00Z`)).ids, since).toEqual([bad, good]);
  }
  expect((await list(key, '?since=9999-12-31T23:59:59Z')).ids).toEqual([]);
  for (const query of ['?status=done', '?before=exec_1', '?id=x', '?since=yesterday', '?limit=0']) {
    const refused = await server().call('GET', `/api/v1/jobs${query}`, { key });
    expectError(refused, 'VALIDATION_ERROR');
  }
});

it('a job over the cap says in the list what it waits for', async () => {
  const { key } = await server().createKey({ tier: 'trial' });
  const hanging = { prompt: '[[sim:hang]]', model: 'sim-fast' };
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.push(await server().submit(key, hanging));
  await expect
    .poll(async () => (await list(key, '?status=pending')).items[0]?.['waiting'])
    .toMatchObject({ reason: 'concurrency', until: null });
  for (const id of ids) await server().call('POST', `/api/v1/job/${id}/cancel`, { key });
});

it('what was asked of a job can be read again', async () => {
  verifies('job.request');
  const { key } = await server().createKey();
  const structuredPrompt = { systemContent: 'Be short.', taskContent: 'Say \u0000 hi.' };
  const jobId = await server().submit(key, {
    prompt: 'Be short.\n\nSay \u0000 hi.',
    structuredPrompt,
    maxTokens: 77,
    temperature: 0.5,
  });
  const { body } = await server().call('GET', `/api/v1/job/${jobId}/request`, { key });
  expect(body).toMatchObject({
    jobId,
    prompt: 'Be short.\n\nSay \u0000 hi.',
    structuredPrompt: { systemContent: 'Be short.\n\n', taskContent: 'Say \u0000 hi.' },
    maxTokens: 77,
    temperature: 0.5,
    reasoning: null,
  });
  const stranger = await server().createKey();
  const refused = await server().call('GET', `/api/v1/job/${jobId}/request`, stranger);
  expectError(refused, 'FORBIDDEN');
});

it('a page costs the same however many jobs others have, and however rare what is looked for', async () => {
  const own = await server().createKey();
  const team = await server().teamId(own.email);
  await server()
    .db.tx(async (tx) => {
      await tx.query(
        `insert into jobs (id, user_id, team_id, run_id, stream_id, wave_number, provider, model, simulated,
         max_tokens, priority, prompt, timeout_ms, deadline_at, status, queued_at)
       select 'job_' || lpad(i::text, 26, '0'), 'u', case when i % 20 = 0 then $1 else 'team_other' end, 'r' || i,
         's', 1, 'simulator', 'm', true, 1, 0, '""', 1000, now(), 'completed', now()
       from generate_series(1, 20000) i`,
        [team],
      );
      await tx.query('analyze jobs');
      for (const filter of [{}, { status: 'failed' as const }, { kind: 'call' as const }]) {
        const text = listJobsStatement({ from: '', below: '', limit: 51, ...filter });
        const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
          `explain (analyze, timing off) ${text}`,
          [team, 'job_', 'job_~', ...Object.values(filter)],
        );
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toContain('jobs_by_team');
        expect(plan).not.toMatch(/Seq Scan on jobs|Rows Removed by Filter: \d{5}/);
      }
      throw new RollBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RollBack)) throw error;
    });
});

class RollBack extends Error {}
