import { describe, expect, it } from 'vitest';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { WORK, create, createOwner, find } from './schedules.ts';
import type { Owner } from './schedules.ts';

const server = useServer({ role: 'api' });

function post(owner: Owner, more: object, headers: Record<string, string> = {}) {
  const body = { name: 'Nightly', cron: '0 2 * * *', work: WORK, ...more };
  return server().call('POST', '/v1/schedules', { key: owner.key, body, headers });
}

describe('creating a schedule', () => {
  it('answers 201 with its rules and its next five times', async () => {
    verifies('schedules.routes');
    const owner = await createOwner(server());
    const made = await create(owner, { cron: '30 9 * * 1-5', timeZone: 'Europe/Berlin' });
    expect(made).toMatchObject({
      id: expect.stringMatching(/^sch_[0-9a-z]{26}$/),
      name: 'Nightly',
      cron: '30 9 * * 1-5',
      timeZone: 'Europe/Berlin',
      everySeconds: null,
      catchUp: 'once',
      overlap: 'skip',
      budgetUsdPerMonth: null,
      spentUsdThisMonth: 0,
      pauseAfterFailures: 5,
      status: 'active',
      pausedReason: null,
      work: WORK,
      owner: { userId: owner.userId, email: owner.email },
      lastFiring: null,
    });
    expect(made.next).toHaveLength(5);
    const shown = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      timeStyle: 'short',
    });
    for (const at of made.next) expect(shown.format(new Date(at))).toBe('09:30');
    expect(await find(owner, made.id)).toEqual(made);
    const list = await server().call('GET', '/v1/schedules', { key: owner.key });
    expect(list.body).toEqual({ items: [made] });
  });

  it('takes a time between starts in place of a pattern', async () => {
    verifies('schedules.routes');
    const owner = await createOwner(server());
    const made = await create(owner, { cron: undefined, everySeconds: 900 });
    expect(made).toMatchObject({ cron: null, timeZone: null, everySeconds: 900 });
    const [first, second] = made.next.map((at) => Date.parse(at));
    expect(second! - first!).toBe(900_000);
  });

  it.each([
    ['no times', { cron: undefined }, 'cron'],
    ['both kinds of times', { everySeconds: 60 }, 'cron'],
    ['a day that does not exist', { cron: '0 0 30 2 *' }, 'cron'],
    ['six fields', { cron: '* * * * * *' }, 'cron'],
    ['a dotted capital I', { cron: '0 9 * * \u0130' }, 'cron'],
    ['a lone surrogate', { cron: '0 9 * * \ud800' }, 'cron'],
    ['a place that is none', { timeZone: 'Mars/Olympus' }, 'timeZone'],
    ['a number of hours', { timeZone: '+01:00' }, 'timeZone'],
    ['less than a minute', { cron: undefined, everySeconds: 59 }, 'everySeconds'],
    [
      'a time zone for an interval',
      { cron: undefined, everySeconds: 60, timeZone: 'UTC' },
      'timeZone',
    ],
    ['a name with an escape sequence', { name: 'a\u001b[2Jb' }, 'name'],
    ['a name with a lone surrogate', { name: 'a\ud800' }, 'name'],
    ['no project', { work: { task: 'x' } }, 'work.project'],
    ['neither manifest nor task', { work: { project: 'shop' } }, 'work.manifest'],
    ['a branch of its own choice', { work: { ...WORK, branch: 'main' } }, 'work.branch'],
    ['a rule that is none', { overlap: 'replace' }, 'overlap'],
    ['no money', { budgetUsdPerMonth: 0 }, 'budgetUsdPerMonth'],
    ['no failures', { pauseAfterFailures: 0 }, 'pauseAfterFailures'],
  ])('refuses %s', async (_name, more, path) => {
    verifies('schedules.cron', 'schedules.routes');
    const owner = await createOwner(server());
    const error = expectInvalid(await post(owner, more), path);
    expect(error.message).not.toMatch(/CronPattern|undefined/);
  });

  it('with the same Idempotency-Key happens once, also when both come at once', async () => {
    const owner = await createOwner(server());
    const headers = { 'idempotency-key': 'once' };
    const both = await Promise.all([post(owner, {}, headers), post(owner, {}, headers)]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect(both[0].body['id']).toBe(both[1].body['id']);
    const list = await server().call('GET', '/v1/schedules', { key: owner.key });
    expect(list.body['items']).toHaveLength(1);
  });

  it('stops at a hundred', async () => {
    const owner = await createOwner(server());
    await create(owner);
    await server().db.query(
      `insert into schedules (id, team_id, user_id, name, every_seconds, work, catch_up, overlap, status)
       select 'sch_' || n, team_id, user_id, name, 60, work, catch_up, overlap, status
       from schedules, generate_series(1, 99) n where team_id = $1`,
      [owner.teamId],
    );
    expectError(await post(owner, {}), 'CONFLICT');
  });
});

describe('a schedule', () => {
  it('can be changed, paused and resumed', async () => {
    verifies('schedules.routes');
    const owner = await createOwner(server());
    const { id, ...before } = await create(owner);
    const patch = async (body: object) => {
      const answer = await server().call('PATCH', `/v1/schedules/${id}`, { key: owner.key, body });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return answer.body;
    };
    expect(await patch({})).toEqual({ id, ...before });
    expect(await patch({ everySeconds: 3600, budgetUsdPerMonth: 5 })).toMatchObject({
      cron: null,
      timeZone: null,
      everySeconds: 3600,
      budgetUsdPerMonth: 5,
    });
    expect(await patch({ cron: '@daily' })).toMatchObject({
      cron: '0 0 * * *',
      timeZone: 'UTC',
      everySeconds: null,
    });
    expect(await patch({ timeZone: 'Europe/Berlin', pauseAfterFailures: null })).toMatchObject({
      cron: '0 0 * * *',
      timeZone: 'Europe/Berlin',
      pauseAfterFailures: null,
    });
    expect(await patch({ status: 'paused' })).toMatchObject({
      status: 'paused',
      pausedReason: 'user',
      next: [],
    });
    const resumed = await patch({ status: 'active' });
    expect(resumed).toMatchObject({ status: 'active', pausedReason: null, pausedAt: null });
    expect(resumed['next']).toHaveLength(5);
    const { rows } = await server().db.query<{ action: string }>(
      'select action from audit_events where target = $1 order by id',
      [id],
    );
    expect(rows.map(({ action }) => action.split('.')[1])).toEqual([
      'created',
      ...Array.from({ length: 4 }, () => 'updated'),
      'paused',
      'updated',
    ]);
  });

  it('refuses changes that make no sense', async () => {
    const owner = await createOwner(server());
    const { id } = await create(owner, { cron: undefined, everySeconds: 60 });
    const patch = (body: object) =>
      server().call('PATCH', `/v1/schedules/${id}`, { key: owner.key, body });
    expectInvalid(await patch({ timeZone: 'Europe/Berlin' }), 'timeZone');
    expectInvalid(await patch({ cron: '0 0 31 2 *' }), 'cron');
    expectInvalid(await patch({ cron: '0 0 1 2 *', everySeconds: 60 }), 'cron');
    expectInvalid(await patch({ status: 'disabled' }), 'status');
  });

  it('belongs to the one who last said what it does', async () => {
    verifies('schedules.owner');
    const owner = await createOwner(server());
    const other = await createOwner(server());
    await server().db.query(
      `insert into team_members (team_id, user_id, role) values ($1, $2, 'member')`,
      [owner.teamId, other.userId],
    );
    const headers = { 'x-team-id': owner.teamId };
    const { key } = await server().createKey({ email: other.email });
    const { id } = await create(owner);
    const patch = async (body: object) =>
      (await server().call('PATCH', `/v1/schedules/${id}`, { key, body, headers })).body['owner'];
    expect(await patch({ name: 'Other' })).toMatchObject({ userId: owner.userId });
    expect(await patch({ work: { ...WORK, task: 'Other' } })).toMatchObject({
      userId: other.userId,
    });
  });

  it('can be deleted, and is gone', async () => {
    verifies('schedules.routes');
    const owner = await createOwner(server());
    const { id } = await create(owner);
    const path = `/v1/schedules/${id}`;
    const removed = await server().call('DELETE', path, { key: owner.key });
    expect(removed).toMatchObject({ status: 200, body: { deleted: true, id } });
    expectError(await server().call('GET', path, { key: owner.key }), 'NOT_FOUND');
    expectError(await server().call('DELETE', path, { key: owner.key }), 'NOT_FOUND');
  });

  it('of another account is 403 and an unknown one 404, on every route', async () => {
    verifies('schedules.routes');
    const { id } = await create(await createOwner(server()));
    const { key } = await createOwner(server());
    const routes = (at: string): [string, string, object?][] => [
      ['GET', at],
      ['PATCH', at, {}],
      ['DELETE', at],
      ['POST', `${at}/run-now`],
      ['GET', `${at}/firings`],
    ];
    for (const [method, path, body] of routes(`/v1/schedules/${id}`)) {
      expectError(await server().call(method, path, { key, body }), 'FORBIDDEN');
    }
    for (const other of ['sch_01jcq8z5e0e5v8r3m6k1t2w9xh', 'x', '%00']) {
      for (const [method, path, body] of routes(`/v1/schedules/${other}`)) {
        expectError(await server().call(method, path, { key, body }), 'NOT_FOUND');
      }
    }
  });

  it('needs the scope runs', async () => {
    const owner = await createOwner(server(), { scopes: ['jobs'] });
    expectError(await post(owner, {}), 'FORBIDDEN');
    const right = await createOwner(server(), { scopes: ['runs'] });
    expect((await post(right, {})).status).toBe(201);
  });
});
