// Plans on a server where nobody charges for them.
import { describe, expect, it } from 'vitest';
import { TIERS } from '../../src/domain/job/tiers.ts';
import { putAllDueInForce } from '../../src/store/billing/due-plans.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { BELIEVES_TESTS, newPerson, joinTeam } from '../accounts/people.ts';
import type { Person } from '../accounts/people.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const tiers = { ...TIERS, trial: { ...TIERS.trial, runsPerMonth: 2 } };
const server = useServer({ ...BELIEVES_TESTS, defaultTier: 'trial', tiers });
const PLAN = '/v1/billing/subscription';

async function newOwner(tier = 'trial'): Promise<Person> {
  const person = await newPerson(server());
  await server().db.query('update teams set tier = $2 where id = $1', [person.teamId, tier]);
  return person;
}

async function makeDue(teamId: string): Promise<void> {
  await server().db.query(
    `update subscriptions set next_at = now() - interval '1 second' where team_id = $1`,
    [teamId],
  );
}

async function audited(teamId: string): Promise<string[]> {
  const { rows } = await server().db.query<{ action: string }>(
    `select action from audit_events where target = $1 and action like 'subscription.%' order by id`,
    [teamId],
  );
  return rows.map(({ action }) => action);
}

it('is shown and changed on the command line', async () => {
  const jane = await newOwner();
  const { body } = await jane.call('POST', '/api/v1/api-keys', { name: 'x', scopes: ['billing'] });
  const env = { MILLRACE_URL: server().url, MILLRACE_API_KEY: body['key'] as string };
  const run = (...args: string[]) => runHere(['billing', ...args], env);
  expect((await run()).stdout).toMatch(/^Plan +trial\nSeats +1\n/);
  expect((await run('change', 'team', '--seats', '5')).stdout).toMatch(/Plan +team\nSeats +5\n/);
  const canceled = await run('cancel');
  expect(canceled.stdout).toContain('Canceled: changes to trial at');
  expect(canceled.stderr).toContain('billing resume');
  const resumed = JSON.parse((await run('resume', '--json')).stdout) as object;
  expect(resumed).toMatchObject({ tier: 'team', scheduled: null });
  expect((await run('change', 'pro')).stdout).toContain('Changes to pro at');
  expect(await run('change', 'gold')).toMatchObject({ code: 2 });
  expect(await run('change', 'enterprise')).toMatchObject({ code: 2 });
  const portal = await run('portal', '--json');
  expect(portal).toMatchObject({ code: 1 });
  expect(JSON.parse(portal.stdout)).toMatchObject({ error: { code: 'CONFLICT' } });
});

describe('the plan of a team', () => {
  it('is there for every team, with its figures and its period', async () => {
    verifies('billing.subscription', 'billing.shape');
    const jane = await newOwner();
    const { status, body } = await jane.call('GET', PLAN);
    expect(status).toBe(200);
    expect(body).toEqual({
      tier: 'trial',
      status: 'active',
      seats: 1,
      currentPeriodStart: expect.any(String),
      currentPeriodEnd: expect.any(String),
      cancelAtPeriodEnd: false,
      scheduled: null,
      quota: { runsPerMonth: 2, requestsPerMinute: 10, concurrentJobs: 2 },
      provider: 'manual',
    });
    const end = Date.parse(body['currentPeriodEnd'] as string);
    expect(end).toBeGreaterThan(Date.now());
    expectError(await jane.call('POST', '/v1/billing/portal'), 'CONFLICT');
  });

  it('is raised at once: quota and identity follow', async () => {
    verifies('billing.change', 'limits.tiers.file');
    const jane = await newOwner();
    const submit = () =>
      jane.call('POST', '/api/v1/execute', {
        streamId: 'a',
        prompt: 'x',
        model: 'sim-instant',
        maxTokens: 9,
      });
    expect([(await submit()).status, (await submit()).status]).toEqual([202, 202]);
    expectError(await submit(), 'QUOTA_EXCEEDED');
    const usage = await jane.call('GET', '/v1/usage/current');
    expect(usage.body).toMatchObject({ runs: { used: 2, limit: 2, remaining: 0 } });
    const { status, body } = await jane.call('POST', PLAN, { tier: 'pro', seats: 3 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ tier: 'pro', seats: 3, scheduled: null, status: 'active' });
    expect((await submit()).status).toBe(202);
    expect(await audited(jane.teamId)).toEqual(['subscription.changed']);
  });

  it('is lowered when its period ends, exactly once, however many look', async () => {
    const jane = await newOwner();
    await jane.call('POST', PLAN, { tier: 'team' });
    const { body } = await jane.call('POST', PLAN, { tier: 'pro' });
    expect(body).toMatchObject({
      tier: 'team',
      scheduled: { tier: 'pro' },
      cancelAtPeriodEnd: false,
    });
    expect(body['scheduled']).toEqual({ tier: 'pro', at: body['currentPeriodEnd'] });
    await makeDue(jane.teamId);
    const { db } = server();
    const signals = createSignals({ originId: 'x', db, onError: () => undefined });
    const looks = await Promise.all([
      jane.call('GET', PLAN),
      putAllDueInForce({ db, signals }),
      jane.call('GET', PLAN),
      putAllDueInForce({ db, signals }),
    ]);
    expect(looks[0]).toMatchObject({ body: { tier: 'pro', scheduled: null } });
    expect(looks[2]).toMatchObject({ body: { tier: 'pro', scheduled: null } });
    await signals.flush();
    expect(await audited(jane.teamId)).toEqual([
      'subscription.changed',
      'subscription.changed',
      'subscription.in_force',
    ]);
  });

  it('that was canceled ends by itself, and what was scheduled can be taken back', async () => {
    const jane = await newOwner();
    await jane.call('POST', PLAN, { tier: 'pro' });
    const cancel = { tier: 'pro', cancelAtPeriodEnd: true };
    expect((await jane.call('POST', PLAN, cancel)).body).toMatchObject({
      tier: 'pro',
      cancelAtPeriodEnd: true,
      scheduled: { tier: 'trial' },
    });
    const again = await jane.call('POST', PLAN, { tier: 'pro', cancelAtPeriodEnd: false });
    expect(again.body).toMatchObject({ cancelAtPeriodEnd: false, scheduled: null });
    await jane.call('POST', PLAN, cancel);
    await makeDue(jane.teamId);
    // Nobody reads it: the server itself puts it in force.
    await waitUntil(async () => {
      const { rows } = await server().db.query<{ tier: string }>(
        'select tier from teams where id = $1',
        [jane.teamId],
      );
      return rows[0]!.tier === 'trial';
    }, 'the end of the plan');
    expect((await jane.call('GET', PLAN)).body).toMatchObject({
      status: 'canceled',
      tier: 'trial',
    });
    expectError(
      await jane.call('POST', PLAN, { tier: 'trial', cancelAtPeriodEnd: true }),
      'CONFLICT',
    );
  });

  it('refuses enterprise, seats for fewer than are there, and two things at once', async () => {
    verifies('billing.enterprise');
    const jane = await newOwner();
    expectInvalid(await jane.call('POST', PLAN, { tier: 'enterprise' }), 'tier');
    const both = { tier: 'pro', cancelAtPeriodEnd: true };
    expectInvalid(await jane.call('POST', PLAN, both), 'cancelAtPeriodEnd');
    expectInvalid(await jane.call('POST', PLAN, { tier: 'gold' }), 'tier');
    const team = (await jane.call('POST', '/v1/teams', { name: 'T' })).body['id'] as string;
    const joe = await newPerson(server());
    await joinTeam(server(), { teamId: team, userId: joe.userId, role: 'admin' });
    const inTeam = { 'sec-fetch-site': 'same-origin', 'x-team-id': team };
    const few = await jane.call('POST', PLAN, { tier: 'pro', seats: 1 }, inTeam);
    expect(expectError(few, 'CONFLICT')).toMatchObject({ details: { members: 2 } });
    // Whoever is no owner reads it only.
    expect((await joe.call('GET', PLAN, undefined, inTeam)).body).toMatchObject({ seats: 2 });
    expectError(await joe.call('POST', PLAN, { tier: 'pro' }, inTeam), 'FORBIDDEN');
  });

  it('is changed once by a request that is sent twice', async () => {
    const jane = await newOwner();
    const headers = { 'sec-fetch-site': 'same-origin', 'idempotency-key': 'plan-1' };
    const send = (body: object) => jane.call('POST', PLAN, body, headers);
    const answers = await Promise.all([send({ tier: 'pro' }), send({ tier: 'pro' })]);
    expect(answers.map(({ body }) => body['tier'])).toEqual(['pro', 'pro']);
    const replayed = answers.map((answer) => answer.headers.get('idempotency-replayed'));
    expect(replayed.filter((value) => value === 'true')).toHaveLength(1);
    // What happened since does not change what the first answer was.
    await jane.call('POST', PLAN, { tier: 'team' });
    expect((await send({ tier: 'pro' })).body).toMatchObject({ tier: 'pro' });
    expectError(await send({ tier: 'team' }), 'IDEMPOTENCY_KEY_REUSED');
    expect((await jane.call('GET', PLAN)).body).toMatchObject({ tier: 'team' });
  });

  it('of an enterprise team can be canceled and kept, though not asked for', async () => {
    const jane = await newOwner('enterprise');
    expectInvalid(await jane.call('POST', PLAN, { tier: 'enterprise' }), 'tier');
    expect((await jane.call('POST', PLAN, { tier: 'pro' })).body).toMatchObject({
      tier: 'enterprise',
      scheduled: { tier: 'pro' },
    });
    const keep = { tier: 'enterprise', cancelAtPeriodEnd: false };
    expect((await jane.call('POST', PLAN, keep)).body).toMatchObject({ scheduled: null });
    const cancel = { tier: 'enterprise', cancelAtPeriodEnd: true };
    expect((await jane.call('POST', PLAN, cancel)).body).toMatchObject({
      tier: 'enterprise',
      scheduled: { tier: 'trial' },
    });
  });

  it('that an operator sets replaces what was scheduled', async () => {
    const jane = await newOwner('team');
    await jane.call('POST', PLAN, { tier: 'pro' });
    await server().db.query('update users set is_admin = true where id = $1', [jane.userId]);
    await jane.call('PATCH', `/api/v1/admin/teams/${jane.teamId}`, { tier: 'enterprise' });
    expect((await jane.call('GET', PLAN)).body).toMatchObject({
      tier: 'enterprise',
      scheduled: null,
    });
  });
});
