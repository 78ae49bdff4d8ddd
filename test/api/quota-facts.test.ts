// A run takes its place in the quota once and gives it back at most once, whatever is done with it.
import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

async function used(email: string): Promise<number> {
  const { rows } = await server().db.query<{ runs: number }>(
    `select coalesce(sum(runs_counted), 0)::int as runs from usage_months where team_id = $1`,
    [await server().teamId(email)],
  );
  return rows[0]!.runs;
}

async function useUp(email: string): Promise<void> {
  await server().db.query(
    `insert into usage_months (team_id, month, runs_counted)
     values ($1, date_trunc('month', now() at time zone 'utc'), 50)
     on conflict (team_id, month) do update set runs_counted = 50`,
    [await server().teamId(email)],
  );
}

const execute = (key: string, body: object) =>
  server().call('POST', '/api/v1/execute', {
    key,
    body: { streamId: 'a', prompt: 'x', model: 'sim-instant', maxTokens: 10, ...body },
  });

const record = (key: string, runId: string, status: string) =>
  server().call('PUT', `/api/v1/history/${runId}`, {
    key,
    body: { run: { feature: 'f', status, startedAt: new Date().toISOString() }, streams: [] },
  });

const cancel = (key: string, jobId: string) =>
  server().call('POST', `/api/v1/job/${jobId}/cancel`, { key });

/** A trial account with room for as many requests as a test needs. */
async function trial() {
  const made = await server().createKey({ tier: 'trial' });
  await server().db.query('update users set requests_per_minute = 100000 where email = $1', [
    made.email,
  ]);
  return made;
}

/** Fills the account's two places, so that what comes next stays pending. */
async function fillPlaces(key: string): Promise<string[]> {
  const ids = [
    await server().submit(key, { prompt: '[[sim:hang]]', runId: `fill-${key.slice(-8)}` }),
    await server().submit(key, { prompt: '[[sim:hang]]', runId: `fill-${key.slice(-8)}` }),
  ];
  for (const id of ids) {
    await waitUntil(async () => {
      const { body } = await server().call('GET', `/api/v1/job/${id}`, { key });
      return body['status'] === 'running';
    });
  }
  return ids;
}

describe('a run that took nothing of the quota', () => {
  it('counts when the first job joins it: one that a client recorded', async () => {
    verifies('limits.quota.counts-at-start');
    const { key, email } = await trial();
    expect((await record(key, 'told', 'in_progress')).status).toBe(201);
    expect(await used(email)).toBe(0);
    for (const streamId of ['a', 'b']) {
      expect((await execute(key, { runId: 'told', streamId })).status).toBe(202);
    }
    expect(await used(email)).toBe(1);
    expect((await record(key, 'told-later', 'in_progress')).status).toBe(201);
    await useUp(email);
    expectError(await execute(key, { runId: 'told-later' }), 'QUOTA_EXCEEDED');
    expect((await execute(key, { runId: 'told', streamId: 'c' })).status).toBe(202);
  });

  it('counts when a job of its own joins it: the run of a dry run', async () => {
    const { key, email } = await trial();
    const headers = { authorization: `Bearer ${key}` };
    const body = { task: 'Add a page', model: 'sim-instant', options: { dryRun: true } };
    const created = await server().call('POST', '/v1/executions', { headers, body });
    const id = created.body['id'] as string;
    const ended = await waitUntil(async () => {
      const answer = await server().call('GET', `/v1/executions/${id}`, { headers });
      return answer.body['status'] === 'running' ? undefined : answer.body;
    });
    expect(await used(email)).toBe(0);
    const runId = ended['runId'] as string;
    expect((await execute(key, { runId })).status).toBe(202);
    expect(await used(email)).toBe(1);
    expect((await execute(key, { runId, streamId: 'b' })).status).toBe(202);
    expect(await used(email)).toBe(1);
  });
});

describe('a run that has worked', () => {
  it('keeps its quota when later jobs of it are cancelled before they start', async () => {
    verifies('limits.quota.cancelled-pending');
    const { key, email } = await trial();
    await server().finished(key, await server().submit(key, { runId: 'worked' }));
    await fillPlaces(key);
    expect(await used(email)).toBe(2);
    for (let i = 0; i < 3; i++) {
      const jobId = await server().submit(key, { runId: 'worked', streamId: `more-${i}` });
      expect((await cancel(key, jobId)).body).toEqual({ cancelled: true });
    }
    expect(await used(email)).toBe(2);
  });

  it('keeps its quota although its record says pending', async () => {
    const { key, email } = await trial();
    await server().finished(key, await server().submit(key, { runId: 'record' }));
    await record(key, 'record', 'pending');
    await fillPlaces(key);
    const jobId = await server().submit(key, { runId: 'record', streamId: 'b' });
    await cancel(key, jobId);
    expect(await used(email)).toBe(2);
  });
});

it('a run cancelled while pending gives its quota back once, and takes it again when used again', async () => {
  verifies('limits.quota.cancelled-pending');
  const { key, email } = await trial();
  await fillPlaces(key);
  expect(await used(email)).toBe(1);
  for (let i = 0; i < 3; i++) {
    const jobId = await server().submit(key, { runId: 'again', streamId: `s${i}` });
    expect(await used(email)).toBe(2);
    await cancel(key, jobId);
    expect(await used(email)).toBe(1);
    // A cancel that comes twice changes nothing.
    await cancel(key, jobId);
    expect(await used(email)).toBe(1);
  }
});

describe('a job that joins a run which has ended', () => {
  const finish = async (key: string, body: Record<string, unknown>) =>
    server().finished(key, await server().submit(key, body));

  it('counts like a new run, unless it follows at once or its command line still reports the run', async () => {
    verifies('limits.quota.ended-run');
    const { key, email } = await trial();
    const ago = (minutes: number) =>
      server().db.query(
        `update runs set ended_at = now() - make_interval(mins => $2) where id = 'over' and team_id = $1`,
        [teamId, minutes],
      );
    const teamId = await server().teamId(email);
    await finish(key, { runId: 'over', streamId: 'wave-1' });
    await finish(key, { runId: 'over', streamId: 'wave-2' });
    expect(await used(email)).toBe(1);
    await ago(11);
    await finish(key, { runId: 'over', streamId: 'days-later' });
    expect(await used(email)).toBe(2);
    // Further jobs of that day belong to it.
    await finish(key, { runId: 'over', streamId: 'and-more' });
    expect(await used(email)).toBe(2);

    await ago(11);
    const summary = { done: 0, failed: 0, total: 1, wave: 1, waves: 1, simulated: false };
    const body = { name: 'over', events: [], summary };
    await server().call('POST', '/api/v1/runs/over/events', { key, body });
    await finish(key, { runId: 'over', streamId: 'checked-for-long' });
    expect(await used(email)).toBe(2);

    await server().db.query(`update run_reports set reported_at = now() - interval '2 minutes'`);
    // A client may say that it ends in a thousand years.
    await ago(-500_000_000);
    await useUp(email);
    expectError(await execute(key, { runId: 'over' }), 'QUOTA_EXCEEDED');
  });

  it('counts in the month in which it is sent', async () => {
    verifies('limits.quota.ended-run');
    const { key, email } = await trial();
    const teamId = await server().teamId(email);
    await finish(key, { runId: 'new-year', streamId: 'before' });
    await server().db.query(
      `update runs set quota_month = quota_month - interval '1 month' where team_id = $1`,
      [teamId],
    );
    await finish(key, { runId: 'new-year', streamId: 'after' });
    expect(await used(email)).toBe(2);
  });
});
