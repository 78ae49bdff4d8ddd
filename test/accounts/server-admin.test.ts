// Those who manage a server: over HTTP, and at its machine.
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { claimJobs } from '../../src/store/jobs/claim-jobs.ts';
import { insertNode } from '../../src/store/jobs/nodes.ts';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { BELIEVES_TESTS, newPerson } from './people.ts';
import type { Person } from './people.ts';

// One job at a time, so that another one waits for as long as a test wants.
const server = useServer({ slots: 1, ...BELIEVES_TESTS });
const USERS = '/api/v1/admin/users';
const TEAMS = '/api/v1/admin/teams';

async function newAdmin(): Promise<Person> {
  const admin = await newPerson(server());
  await server().db.query('update users set is_admin = true where id = $1', [admin.userId]);
  return admin;
}

async function makeKey(person: Person, teamId?: string): Promise<string> {
  const { body } = await person.call('POST', '/api/v1/api-keys', { name: 'x', teamId });
  return body['key'] as string;
}

async function newTeam(owner: Person): Promise<string> {
  return (await owner.call('POST', '/v1/teams', { name: 'A team' })).body['id'] as string;
}

const statusOf = async (key: string, path = '/api/v1/auth/me', headers = {}) =>
  (await server().call('GET', path, { key, headers })).status;

async function audited(target: string): Promise<unknown[]> {
  const { rows } = await server().db.query(
    `select action, user_id, credential, before, after from audit_events
     where target = $1 and action not like '%.created' order by id`,
    [target],
  );
  return rows;
}

async function runsOf(teamId: string): Promise<number> {
  const { rows } = await server().db.query<{ runs: number }>(
    'select coalesce(sum(runs_counted), 0)::int as runs from usage_months where team_id = $1',
    [teamId],
  );
  return rows[0]!.runs;
}

/** Keeps the only slot busy until it is told to stop. */
async function keepBusy(): Promise<() => Promise<void>> {
  const { key } = await server().createKey();
  const id = await server().submit(key, { prompt: '[[sim:hang]]' });
  const path = `/api/v1/job/${id}`;
  await waitUntil(async () => {
    const { body } = await server().call('GET', path, { key });
    return body['status'] === 'running';
  }, 'a running job');
  return async () => void (await server().call('POST', `${path}/cancel`, { key }));
}

describe('a suspended account', () => {
  it('is refused with every credential, in every team, until that is lifted', async () => {
    verifies('admin.suspend.account');
    const [admin, jane] = [await newAdmin(), await newPerson(server())];
    const team = await newTeam(jane);
    const [key, teamKey] = [await makeKey(jane), await makeKey(jane, team)];
    const body = { suspended: true, reason: 'unpaid' };
    const path = `${USERS}/${jane.userId}`;
    expect((await admin.call('PATCH', path, body)).body).toMatchObject({
      suspendedAt: expect.any(String),
      suspendedReason: 'unpaid',
    });
    for (const one of [key, teamKey]) {
      expectError(await server().call('GET', '/api/v1/auth/me', { key: one }), 'ACCOUNT_SUSPENDED');
    }
    expectError(await jane.call('GET', '/v1/teams'), 'ACCOUNT_SUSPENDED');
    const named = { key, headers: { 'x-team-id': team } };
    expectError(await server().call('GET', '/v1/teams', named), 'ACCOUNT_SUSPENDED');

    await admin.call('PATCH', path, { suspended: false });
    expect(await statusOf(key)).toBe(200);
    // The session was refused, not ended.
    expect((await jane.call('GET', '/v1/teams')).status).toBe(200);
    expect(await audited(jane.userId)).toMatchObject([
      { action: 'account.suspended', user_id: admin.userId, after: { reason: 'unpaid' } },
      { action: 'account.resumed', credential: 'session' },
    ]);
  });

  it('has its pending jobs fail and its quota back; what runs ends as it would', async () => {
    verifies('admin.suspend.work');
    const admin = await newAdmin();
    const jane = await newPerson(server());
    const key = await makeKey(jane);
    const running = await server().submit(key, { prompt: '[[sim:hang]]', timeoutMs: 60_000 });
    const statusNow = async (id: string) => {
      const { rows } = await server().db.query<{ status: string; error_code: string }>(
        'select status, error_code from jobs where id = $1',
        [id],
      );
      return rows[0]!;
    };
    await waitUntil(async () => (await statusNow(running)).status === 'running', 'a running job');
    const pending = await server().submit(key);
    expect(await runsOf(jane.teamId)).toBe(2);
    await admin.call('PATCH', `${USERS}/${jane.userId}`, { suspended: true });
    await waitUntil(async () => (await statusNow(pending)).status === 'failed', 'its end');
    expect(await statusNow(pending)).toMatchObject({ error_code: 'ACCOUNT_SUSPENDED' });
    expect((await statusNow(running)).status).toBe('running');
    expect(await runsOf(jane.teamId)).toBe(1);
    await admin.call('PATCH', `${USERS}/${jane.userId}`, { suspended: false });
    await server().call('POST', `/api/v1/job/${running}/cancel`, { key });
  });

  it('has no job started by a node that looks before the job is ended', async () => {
    const stop = await keepBusy();
    const jane = await newPerson(server());
    const { db } = server();
    const id = newId('node');
    await insertNode(db, {
      id,
      role: 'worker',
      version: 'test',
      slots: 1,
      holdsLock: true,
      silenceMs: 8000,
    });
    await db.query(`update nodes set beat_at = now() + interval '1 hour' where id = $1`, [id]);
    try {
      const jobId = await server().submit(await makeKey(jane));
      await db.query('update users set suspended_at = now() where id = $1', [jane.userId]);
      expect((await claimJobs(db, id, 10)).jobs).toEqual([]);
      await waitUntil(async () => {
        const { rows } = await db.query('select 1 from jobs where id = $1 and status = $2', [
          jobId,
          'failed',
        ]);
        return rows.length > 0;
      }, 'its end');
    } finally {
      await db.query('delete from nodes where id = $1', [id]);
      await stop();
    }
  });
});

it('an execution of a suspended team fails before its next step, and says why', async () => {
  const stop = await keepBusy();
  const [admin, jane] = [await newAdmin(), await newPerson(server())];
  const body = { task: 'x', model: 'sim-instant' };
  const { body: made } = await jane.call('POST', '/v1/executions', body);
  const path = `/v1/executions/${made['id'] as string}`;
  await admin.call('PATCH', `${TEAMS}/${jane.teamId}`, { suspended: true });
  await waitUntil(async () => {
    const { rows } = await server().db.query(
      `select 1 from executions where id = $1 and status = 'failed'`,
      [made['id']],
    );
    return rows.length > 0;
  }, 'its end');
  await admin.call('PATCH', `${TEAMS}/${jane.teamId}`, { suspended: false });
  const shown = await jane.call('GET', path);
  expect(JSON.stringify(shown.body)).toContain('ACCOUNT_SUSPENDED');
  expect(await runsOf(jane.teamId)).toBe(0);
  await stop();
});

it('a suspended team is closed to its members, who go on elsewhere', async () => {
  verifies('admin.suspend.team');
  const [admin, jane] = [await newAdmin(), await newPerson(server())];
  const team = await newTeam(jane);
  const [key, teamKey] = [await makeKey(jane), await makeKey(jane, team)];
  await admin.call('PATCH', `${TEAMS}/${team}`, { suspended: true });
  expectError(await server().call('GET', '/v1/teams', { key: teamKey }), 'ACCOUNT_SUSPENDED');
  expect(await statusOf(key, '/v1/teams', { 'x-team-id': team })).toBe(403);
  expect(await statusOf(key, `/v1/teams/${team}`)).toBe(403);
  expect(await statusOf(key)).toBe(200);
  await admin.call('PATCH', `${TEAMS}/${team}`, { suspended: false });
  expect(await statusOf(key, `/v1/teams/${team}`)).toBe(200);
  expect(await audited(team)).toMatchObject([
    { action: 'team.suspended' },
    { action: 'team.resumed' },
  ]);
});

it('the last server administrator stays one, also when two end each other at the same time', async () => {
  verifies('admin.last-administrator');
  await server().db.query('update users set is_admin = false');
  const [one, two] = [await newAdmin(), await newAdmin()];
  const answers = await Promise.all([
    one.call('PATCH', `${USERS}/${two.userId}`, { isAdmin: false }),
    two.call('PATCH', `${USERS}/${one.userId}`, { suspended: true }),
  ]);
  // The second may find itself demoted before, and is refused as somebody who manages nothing.
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const { rows } = await server().db.query<{ id: string }>(
    'select id from users where is_admin and suspended_at is null',
  );
  expect(rows).toHaveLength(1);
  const last = rows[0]!.id === one.userId ? one : two;
  for (const change of [{ isAdmin: false }, { suspended: true }]) {
    expectError(await last.call('PATCH', `${USERS}/${last.userId}`, change), 'CONFLICT');
  }
});

it('lists show members, last use and usage, page by page, to server administrators only', async () => {
  verifies('admin.lists');
  const admin = await newAdmin();
  const people = [await newPerson(server()), await newPerson(server()), await newPerson(server())];
  expectError(await people[0]!.call('GET', USERS), 'FORBIDDEN');
  const bound = await makeKey(admin, await newTeam(admin));
  expectError(await server().call('GET', USERS, { key: bound }), 'FORBIDDEN');

  const seen: string[] = [];
  for (let before = ''; ;) {
    const { body } = await admin.call('GET', `${USERS}?limit=2${before}`);
    const items = body['items'] as { id: string }[];
    seen.push(...items.map(({ id }) => id));
    if (body['nextCursor'] === null) break;
    before = `&before=${body['nextCursor'] as string}`;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(seen.toSorted().toReversed());
  expect(seen).toEqual(expect.arrayContaining(people.map(({ userId }) => userId)));

  const found = await admin.call('GET', `${USERS}?search=${people[1]!.email.toUpperCase()}`);
  expect(found.body).toMatchObject({
    items: [
      { email: people[1]!.email, teamCount: 1, tier: 'enterprise', usage: { runs: 0, costUsd: 0 } },
    ],
    hasMore: false,
  });
  expect((await admin.call('GET', `${USERS}?search=%25`)).body).toMatchObject({ items: [] });
  const teams = await admin.call('GET', `${TEAMS}?search=${people[1]!.teamId}`);
  const row = { personal: true, memberCount: 1, ownerEmail: people[1]!.email };
  expect(teams.body).toMatchObject({ items: [row] });
  expect((await admin.call('GET', `${USERS}?limit=0`)).status).toBe(400);
});

it('on the machine of the server, commands list, change tiers, suspend and resume', async () => {
  verifies('admin.commands');
  const env = { DATABASE_URL: server().databaseUrl };
  const run = (...args: string[]) => runHere(['admin', ...args], env);
  const jane = await newPerson(server());
  const team = await newTeam(jane);
  const key = await makeKey(jane);
  const listed = await run('users', '--search', jane.email, '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject({ items: [{ id: jane.userId, teamCount: 2 }] });
  expect((await run('users', '--limit', '1')).stderr).toContain('admin users --before user_');
  expect((await run('teams', '--search', team)).stdout).toContain(jane.email);

  expect(await run('tier', team, 'pro', '--reason', 'invoice 12')).toMatchObject({ code: 0 });
  expect(await run('tier', jane.email, 'trial')).toMatchObject({ code: 0 });
  const shown = await jane.call('GET', '/v1/teams');
  expect(shown.body['items']).toMatchObject([{ tier: 'trial' }, { tier: 'pro' }]);
  expect(await run('tier', team, 'gold')).toMatchObject({ code: 2 });
  expect(await run('tier', 'nobody', 'pro')).toMatchObject({ code: 1 });

  expect(await run('suspend', jane.email)).toMatchObject({ code: 2 });
  expect(await statusOf(key)).toBe(200);
  expect(await run('suspend', jane.email, '--yes')).toMatchObject({ code: 0 });
  await waitUntil(async () => (await statusOf(key)) === 403, 'a refusal');
  expect(await run('resume', jane.email)).toMatchObject({ code: 0 });
  await waitUntil(async () => (await statusOf(key)) === 200, 'access');
  expect(await audited(team)).toMatchObject([
    {
      action: 'team.tier_changed',
      credential: 'operator',
      before: { tier: 'enterprise' },
      after: { tier: 'pro', reason: 'invoice 12' },
    },
  ]);
});

it('the state of the server is told to its administrators, and to nobody else', async () => {
  verifies('admin.system');
  const [admin, person] = [await newAdmin(), await newPerson(server())];
  const stop = await keepBusy();
  const { key } = await server().createKey();
  const waiting = await server().submit(key, { prompt: '[[sim:hang]]' });
  const { status, body } = await admin.call('GET', '/api/v1/admin/system');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    version: expect.stringMatching(/^\d/),
    nodes: expect.arrayContaining([expect.objectContaining({ role: 'all', slots: 1, running: 1 })]),
    queue: { running: 1, parked: 0, oldest: { jobId: expect.stringMatching(/^job_/) } },
    webhooks: { pending: 0, failing: 0, oldestAt: null },
    database: {
      schemaName: expect.stringMatching(/\w/),
      latencyMs: expect.any(Number),
      signals: { mode: expect.stringMatching(/^(notify|poll)$/), why: expect.any(String) },
      liveness: { mode: expect.stringMatching(/^(lock|lease)$/), why: expect.any(String) },
    },
  });
  expect((body['queue'] as { pending: number }).pending).toBeGreaterThan(0);
  // Of a vendor that turned the key away.
  await server().db.query(
    `insert into job_waits (job_id, reason, until_at, detail)
     values ($1, 'key_paused', now() + interval '1 minute', '"slow down"')`,
    [waiting],
  );
  const { body: later } = await admin.call('GET', '/api/v1/admin/system');
  expect(later['waits']).toEqual([
    { reason: 'key_paused', provider: 'simulator', jobs: 1, until: expect.stringMatching(/Z$/) },
  ]);
  expectError(await person.call('GET', '/api/v1/admin/system'), 'FORBIDDEN');
  await server().call('POST', `/api/v1/job/${waiting}/cancel`, { key });
  await stop();
});
