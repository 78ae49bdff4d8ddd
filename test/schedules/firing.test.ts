import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import {
  WORK,
  create,
  createOwner,
  endRequests,
  find,
  fire,
  firingsOf,
  requestsOf,
} from './schedules.ts';
import type { Owner } from './schedules.ts';

const server = useServer();

describe('a schedule that is due', () => {
  it('asks for its run as its owner, and shows what came of it', async () => {
    verifies('schedules.firing');
    const owner = await createOwner(server());
    const { id } = await create(owner, { work: { ...WORK, maxCostUsd: 2 } });
    const firing = await fire(owner, id);
    const [request, ...others] = await requestsOf(owner, id);
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      status: 'queued',
      userId: owner.userId,
      work: { ...WORK, maxCostUsd: 2 },
    });
    expect(firing).toMatchObject({
      cause: 'time',
      result: 'started',
      reason: null,
      missed: 0,
      cancelled: 0,
      request: { id: request!.id, status: 'queued', runId: null, endedAt: null },
    });
    const shown = await find(owner, id);
    expect(shown.lastFiring).toEqual(firing);
    expect(Date.parse(shown.next[0]!)).toBeGreaterThan(Date.parse(firing.dueAt!));
  });

  it('starts by itself when its time comes', async () => {
    verifies('schedules.firing');
    const owner = await createOwner(server());
    const { id } = await create(owner);
    // No change wakes the loop: it sleeps until this moment.
    await server().db.query(
      `update schedules set next_at = now() + interval '300 milliseconds' where id = $1`,
      [id],
    );
    await waitUntil(async () => (await requestsOf(owner, id)).length === 1, 'its request');
  });

  it('does not use a time twice, also when the clock of the database was put back', async () => {
    verifies('schedules.once');
    const owner = await createOwner(server());
    const { id } = await create(owner, { overlap: 'queue' });
    const { dueAt } = await fire(owner, id);
    await server().db.query('update schedules set next_at = $2 where id = $1', [id, dueAt]);
    await server().call('PATCH', `/v1/schedules/${id}`, { key: owner.key, body: {} });
    await waitUntil(async () => {
      const { rows } = await server().db.query<{ moved: boolean }>(
        'select next_at > now() as moved from schedules where id = $1',
        [id],
      );
      return rows[0]!.moved;
    }, 'the next time');
    expect(await requestsOf(owner, id)).toHaveLength(1);
    expect(await firingsOf(owner, id)).toHaveLength(1);
  });

  it('does not start beside an earlier run', async () => {
    verifies('schedules.overlap');
    const owner = await createOwner(server());
    const { id } = await create(owner, { overlap: 'skip' });
    await fire(owner, id);
    expect(await fire(owner, id)).toMatchObject({ result: 'skipped', reason: 'overlap' });
    await endRequests(owner, id, 'completed');
    expect(await fire(owner, id)).toMatchObject({ result: 'started' });
  });

  it('waits in line, and the line has an end', async () => {
    verifies('schedules.overlap');
    const owner = await createOwner(server());
    const { id } = await create(owner, { overlap: 'queue' });
    for (let n = 0; n < 3; n++) {
      expect(await fire(owner, id)).toMatchObject({ result: 'started', cancelled: 0 });
    }
    await server().db.query(
      `insert into run_requests (id, team_id, user_id, project, origin_kind, origin_id, work, labels, in_place, priority)
       select id || n, team_id, user_id, project, origin_kind, origin_id, work, labels, in_place, priority
       from run_requests, generate_series(1, 6) n where origin_id = $1`,
      [id],
    );
    expect(await fire(owner, id)).toMatchObject({ result: 'skipped', reason: 'queue_full' });
  });

  it('cancels the earlier run first', async () => {
    verifies('schedules.overlap');
    const owner = await createOwner(server());
    const { id } = await create(owner, { overlap: 'cancel_older' });
    await fire(owner, id);
    expect(await fire(owner, id)).toMatchObject({ result: 'started', cancelled: 1 });
    const requests = await requestsOf(owner, id);
    expect(requests.map(({ status }) => status)).toEqual(['cancelled', 'queued']);
    expect(requests[0]!.outcome?.message).toContain('newer run of the same schedule');
  });

  it('says that the request was refused, and is due again', async () => {
    const owner = await createOwner(server());
    const { id } = await create(owner, { work: { ...WORK, project: 'unknown' } });
    expect(await fire(owner, id)).toMatchObject({ result: 'skipped', reason: 'refused' });
    expect((await find(owner, id)).next).toHaveLength(5);
  });

  it('keeps the last hundred lines of its log', async () => {
    const owner = await createOwner(server());
    const { id } = await create(owner);
    await server().db.query(
      `insert into schedule_firings (id, schedule_id, cause, result, reason)
       select 'fire_0' || lpad(n::text, 25, '0'), $1, 'manual', 'skipped', 'overlap'
       from generate_series(1, 150) n`,
      [id],
    );
    await fire(owner, id);
    const { rows } = await server().db.query<{ count: number }>(
      'select count(*)::int as count from schedule_firings where schedule_id = $1',
      [id],
    );
    expect(rows[0]!.count).toBe(100);
    expect(await firingsOf(owner, id)).toHaveLength(30);
  });
});

describe('run-now', () => {
  const runNow = ({ key }: Owner, id: string) =>
    server().call('POST', `/v1/schedules/${id}/run-now`, { key });

  it('asks for one run, also of a paused schedule, and keeps to its rules', async () => {
    verifies('schedules.run-now');
    const owner = await createOwner(server());
    const { id, next } = await create(owner, { status: 'paused' });
    expect(next).toEqual([]);
    const answer = await runNow(owner, id);
    expect(answer).toMatchObject({
      status: 202,
      body: { cause: 'manual', dueAt: null, result: 'started', request: { status: 'queued' } },
    });
    const refused = expectError(await runNow(owner, id), 'CONFLICT');
    expect(refused.message).toContain('An earlier run had not ended');
    expect(await requestsOf(owner, id)).toHaveLength(1);
    expect((await find(owner, id)).status).toBe('paused');
  });
});

describe('a budget for the month', () => {
  async function spend(owner: Owner, id: string, costUsd: number) {
    await fire(owner, id);
    const run = {
      feature: 'x',
      status: 'complete',
      startedAt: new Date().toISOString(),
    };
    const streams = [
      {
        streamId: 'a',
        streamName: 'a',
        status: 'complete',
        waveNumber: 1,
        filesChanged: [],
        tokensUsed: { input: 1, output: 1 },
        costUsd,
      },
    ];
    const runId = `run-of-${id}`;
    const path = `/api/v1/history/${runId}`;
    const answer = await server().call('PUT', path, { key: owner.key, body: { run, streams } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    await server().db.query('update run_requests set run_ids = $2 where origin_id = $1', [
      id,
      [runId],
    ]);
    await endRequests(owner, id, 'completed');
  }

  it('bounds what a run may cost, and starts none when it is spent', async () => {
    verifies('schedules.budget');
    const owner = await createOwner(server());
    const { id } = await create(owner, { budgetUsdPerMonth: 3 });
    await spend(owner, id, 2);
    expect((await find(owner, id)).spentUsdThisMonth).toBe(2);
    await fire(owner, id);
    expect((await requestsOf(owner, id)).at(-1)!.work).toMatchObject({ maxCostUsd: 1 });
    await endRequests(owner, id, 'completed');
    await server().call('PATCH', `/v1/schedules/${id}`, {
      key: owner.key,
      body: { budgetUsdPerMonth: 2 },
    });
    expect(await fire(owner, id)).toMatchObject({ result: 'skipped', reason: 'budget' });
    expect(await find(owner, id)).toMatchObject({ status: 'active' });
  });
});

describe('a schedule is paused, with a notice,', () => {
  const events = async (owner: Owner) => {
    const { rows } = await server().db.query<{ body: string }>(
      `select body from webhook_events where team_id = $1 and event = 'schedule.paused'`,
      [owner.teamId],
    );
    return rows.map(({ body }) => (JSON.parse(body) as { data: object }).data);
  };
  const listen = ({ key }: Owner) =>
    server().call('POST', '/v1/webhooks', {
      key,
      body: { url: 'https://hooks.invalid/', events: ['schedule.paused'] },
    });

  it('after failures in a row, and starts again when it is resumed', async () => {
    verifies('schedules.paused');
    const owner = await createOwner(server());
    await listen(owner);
    const { id } = await create(owner, { pauseAfterFailures: 2 });
    for (const status of ['failed', 'completed', 'failed', 'failed'] as const) {
      expect(await fire(owner, id)).toMatchObject({ result: 'started' });
      await endRequests(owner, id, status);
    }
    expect(await fire(owner, id)).toMatchObject({ result: 'paused', reason: 'failures' });
    expect(await find(owner, id)).toMatchObject({
      status: 'paused',
      pausedReason: 'failures',
      next: [],
    });
    expect(await events(owner)).toEqual([
      expect.objectContaining({ scheduleId: id, name: 'Nightly', reason: 'failures' }),
    ]);
    await server().call('PATCH', `/v1/schedules/${id}`, {
      key: owner.key,
      body: { status: 'active' },
    });
    expect(await fire(owner, id)).toMatchObject({ result: 'started' });
  });

  it.each([
    [
      'leaves the team',
      'owner_left',
      'delete from team_members where team_id = $1 and user_id = $2',
    ],
    [
      'becomes a viewer',
      'owner_role',
      `update team_members set role = 'viewer' where team_id = $1 and user_id = $2`,
    ],
    [
      'is suspended',
      'owner_suspended',
      'update users set suspended_at = now() where $1 <> $2 and id = $2',
    ],
  ])('when its owner %s', async (_name, reason, change) => {
    verifies('schedules.owner', 'schedules.paused');
    const admin = await createOwner(server());
    const owner = await createOwner(server());
    await server().db.query(
      `insert into team_members (team_id, user_id, role) values ($1, $2, 'member')`,
      [admin.teamId, owner.userId],
    );
    const headers = { 'x-team-id': admin.teamId };
    const body = { name: 'Nightly', cron: '0 2 * * *', work: WORK };
    const answer = await server().call('POST', '/v1/schedules', { key: owner.key, body, headers });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    const id = answer.body['id'] as string;
    await server().db.query(change, [admin.teamId, owner.userId]);
    await server().db.query(`update schedules set next_at = now() where id = $1`, [id]);
    const other = await create(admin);
    expect(await fire(admin, other.id)).toMatchObject({ result: 'started' });
    await waitUntil(async () => (await find(admin, id)).status === 'paused', 'the pause');
    expect(await find(admin, id)).toMatchObject({ pausedReason: reason });
    expect(await requestsOf(admin, id)).toEqual([]);
    // Another one takes it over.
    const resumed = await server().call('PATCH', `/v1/schedules/${id}`, {
      key: admin.key,
      body: { status: 'active' },
    });
    expect(resumed.body).toMatchObject({ status: 'active', owner: { userId: admin.userId } });
    expect(await fire(admin, id)).toMatchObject({ result: 'started' });
  });
});
