// Teams, members and invitations.
import { beforeAll, describe, expect, it } from 'vitest';
import { TIERS } from '../../src/domain/job/tiers.ts';
import { createAccess } from '../../src/services/access.ts';
import { createTeamService } from '../../src/services/teams/teams.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { BELIEVES_TESTS, PASSWORD, newPerson, openBrowser, tokenOf, joinTeam } from './people.ts';
import type { Person } from './people.ts';

const server = useServer(BELIEVES_TESTS);
const TEAMS = '/v1/teams';
const ACCEPT = '/v1/invitations/accept';

let owner: Person;
let admin: Person;
let member: Person;
let viewer: Person;
let stranger: Person;
let team: string;
let members: string;

beforeAll(async () => {
  const people: Person[] = [];
  for (let n = 0; n < 5; n++) people.push(await newPerson(server()));
  [owner, admin, member, viewer, stranger] = people as [Person, Person, Person, Person, Person];
  team = (await owner.call('POST', TEAMS, { name: 'Plattform Über' })).body['id'] as string;
  members = `${TEAMS}/${team}/members`;
  for (const [person, role] of [
    [admin, 'admin'],
    [member, 'member'],
    [viewer, 'viewer'],
  ] as const) {
    await joinTeam(server(), { teamId: team, userId: person.userId, role });
  }
});

const inTeam = { 'sec-fetch-site': 'same-origin' };
const idOf = (answer: { body: Record<string, unknown> }) => answer.body['userId'] as string;

describe('a team', () => {
  it('is made by anybody, who owns it, beside the personal one', async () => {
    verifies('teams.list-create', 'teams.fields', 'teams.personal', 'teams.one');
    const { body } = await owner.call('GET', TEAMS);
    expect(body).toMatchObject({ total: 2, items: [{ personal: true }, { personal: false }] });
    expect(await owner.call('GET', `${TEAMS}/${team}`)).toMatchObject({
      status: 200,
      body: {
        id: team,
        name: 'Plattform Über',
        slug: 'plattform-uber',
        tier: 'enterprise',
        role: 'owner',
        memberCount: 4,
        personal: false,
        settings: {},
      },
    });
    const again = await stranger.call('POST', TEAMS, { name: 'plattform über' });
    expect(again.body['slug']).toMatch(/^plattform-uber-\w{6}$/);
    const history = `/api/v1/history?organizationId=${team}`;
    expect((await viewer.call('GET', history)).status).toBe(200);
    expectError(await stranger.call('GET', history), 'FORBIDDEN');
    expectError(await stranger.call('GET', `${TEAMS}/${team}`), 'FORBIDDEN');
    const none = `${TEAMS}/team_01jcq8z5e0e5v8r3m6k1t2w9xh`;
    expectError(await stranger.call('GET', none), 'NOT_FOUND');
    const headers = { ...inTeam, 'idempotency-key': 'k' };
    const [one, two] = await Promise.all(
      [0, 1].map(() => stranger.call('POST', TEAMS, { name: 'once' }, headers)),
    );
    expect(one!.body['id']).toBe(two!.body['id']);
  });

  it('is renamed and set by admins and owners', async () => {
    verifies('teams.patch');
    const path = `${TEAMS}/${team}`;
    for (const person of [member, viewer, stranger]) {
      expectError(await person.call('PATCH', path, { name: 'x' }), 'FORBIDDEN');
    }
    const settings = { defaultModel: 'sim-instant' };
    expect((await admin.call('PATCH', path, { name: 'Platform', settings })).body).toMatchObject({
      name: 'Platform',
      settings,
    });
    expect((await owner.call('PATCH', path, {})).body).toMatchObject({
      name: 'Platform',
      settings,
    });
    expectInvalid(await owner.call('PATCH', path, { name: '' }), 'name');
    const cleared = await owner.call('PATCH', path, { settings: { defaultModel: null } });
    expect(cleared.body['settings']).toEqual({});
  });

  it('pays for the requests that name it, and gives them its default model', async () => {
    await owner.call('PATCH', `${TEAMS}/${team}`, { settings: { defaultModel: 'sim-fast' } });
    const headers = { ...inTeam, 'x-team-id': team };
    const me = await member.call('GET', '/api/v1/auth/me', undefined, headers);
    expect(me.body).toMatchObject({ team: { id: team, role: 'member' } });
    const body = { task: 'x', options: { dryRun: true } };
    const started = await member.call('POST', '/v1/executions', body, headers);
    expect(started.status).toBe(202);
    const { rows } = await server().db.query(
      'select team_id, model from jobs where execution_id = $1',
      [started.body['id']],
    );
    expect(rows).toEqual([{ team_id: team, model: 'sim-fast' }]);
    expectError(await viewer.call('POST', '/v1/executions', body, headers), 'FORBIDDEN');
    expectError(await stranger.call('GET', '/v1/executions', undefined, headers), 'FORBIDDEN');
    const odd = { ...inTeam, 'x-team-id': 'mine' };
    expectInvalid(await member.call('GET', '/v1/executions', undefined, odd), 'x-team-id');
  });

  it('is deleted by an owner, once its work has ended', async () => {
    const path = `${TEAMS}/${owner.teamId}`;
    expectError(await owner.call('DELETE', path), 'CONFLICT');
    const { id } = (await owner.call('POST', TEAMS, { name: 'short-lived' })).body as {
      id: string;
    };
    await joinTeam(server(), { teamId: id, userId: admin.userId, role: 'admin' });
    const key = (await admin.call('POST', '/api/v1/api-keys', { name: 'x', teamId: id })).body[
      'key'
    ];
    const bound = { key: String(key) };
    expect((await server().call('GET', `${TEAMS}/${id}`, bound)).status).toBe(200);
    expectError(await admin.call('DELETE', `${TEAMS}/${id}`), 'FORBIDDEN');
    const job = { streamId: 's', prompt: '[[sim:hang]]', model: 'sim-instant', maxTokens: 9 };
    const headers = { ...inTeam, 'x-team-id': id };
    const submitted = await owner.call('POST', '/api/v1/execute', job, headers);
    expectError(await owner.call('DELETE', `${TEAMS}/${id}`), 'CONFLICT');
    await owner.call('POST', `/api/v1/job/${String(submitted.body['jobId'])}/cancel`);
    expect((await owner.call('DELETE', `${TEAMS}/${id}`)).body).toEqual({ deleted: true, id });
    expectError(await owner.call('GET', `${TEAMS}/${id}`), 'NOT_FOUND');
    expectError(await admin.call('GET', TEAMS, undefined, headers), 'FORBIDDEN');
    expectError(await server().call('GET', TEAMS, bound), 'UNAUTHORIZED');
  });
});

it('where teams have a quota, new ones are no way around it', async () => {
  const { db } = server();
  const { userId, teamId } = await newPerson(server());
  const signals = createSignals({ originId: 'sig_test', db, onError: () => undefined });
  const access = createAccess({ db });
  const teams = createTeamService({ db, signals, access, defaultTier: 'trial', tiers: TIERS });
  const credential = { kind: 'session', id: 'ses_x' } as const;
  const who = { userId, teamId, role: 'owner', tier: 'trial', requestsPerMinute: null } as const;
  const identity = { ...who, credential, address: '127.0.0.1' };
  const { team: first } = await teams.create(identity, 'one', undefined);
  await teams.remove(identity, first.id);
  await expect(teams.create(identity, 'two', undefined)).rejects.toThrow(/1 team a month/);
  await signals.flush();
});

describe('a member', () => {
  it('is listed with role and status', async () => {
    verifies('teams.members', 'teams.members.shape', 'teams.roles');
    const { body } = await viewer.call('GET', members);
    expect(body).toMatchObject({
      total: 4,
      items: [
        { userId: owner.userId, email: owner.email, name: null, role: 'owner', status: 'active' },
        { role: 'admin' },
        { role: 'member' },
        { role: 'viewer' },
      ],
    });
    expectError(await stranger.call('GET', members), 'FORBIDDEN');
  });

  it('is added once, by those who manage the team, and owners by owners only', async () => {
    verifies('teams.members.add');
    const body = { userId: stranger.userId, role: 'member' };
    for (const person of [member, viewer, stranger]) {
      expectError(await person.call('POST', members, body), 'FORBIDDEN');
    }
    expectError(await admin.call('POST', members, { ...body, role: 'owner' }), 'FORBIDDEN');
    expectError(await owner.call('POST', members, { ...body, userId: member.userId }), 'CONFLICT');
    expectError(
      await owner.call('POST', members, { email: member.email, role: 'admin' }),
      'CONFLICT',
    );
    expectInvalid(await owner.call('POST', members, { role: 'member' }), 'email');
    expectInvalid(await owner.call('POST', members, { ...body, role: 'god' }), 'role');
    const nobody = { userId: 'user_01jcq8z5e0e5v8r3m6k1t2w9xh', role: 'member' };
    expectError(await owner.call('POST', members, nobody), 'NOT_FOUND');
  });

  it('gets another role, and an owner only by owners', async () => {
    const at = (person: Person) => `${members}/${person.userId}`;
    expectError(await admin.call('PATCH', at(owner), { role: 'viewer' }), 'FORBIDDEN');
    expectError(await admin.call('PATCH', at(admin), { role: 'owner' }), 'FORBIDDEN');
    expectError(await owner.call('PATCH', at(owner), { role: 'admin' }), 'CONFLICT');
    const changed = await admin.call('PATCH', at(viewer), { role: 'member' });
    expect(changed.body).toMatchObject({ userId: viewer.userId, role: 'member', status: 'active' });
    expect((await admin.call('PATCH', at(viewer), { role: 'viewer' })).status).toBe(200);
    expectError(await owner.call('PATCH', at(stranger), { role: 'viewer' }), 'NOT_FOUND');
    expectError(await owner.call('PATCH', `${members}/a%00b`, { role: 'viewer' }), 'NOT_FOUND');
  });

  it('leaves or is removed, but for the last owner', async () => {
    verifies('teams.member.remove', 'teams.members.remove-shape', 'teams.members.last-owner');
    const guest = await newPerson(server());
    await joinTeam(server(), { teamId: team, userId: guest.userId, role: 'viewer' });
    expectError(await guest.call('DELETE', `${members}/${member.userId}`), 'FORBIDDEN');
    expectError(await admin.call('DELETE', `${members}/${owner.userId}`), 'FORBIDDEN');
    expectError(await owner.call('DELETE', `${members}/${owner.userId}`), 'CONFLICT');
    const left = await guest.call('DELETE', `${members}/${guest.userId}`);
    expect(left.body).toEqual({ removed: true, userId: guest.userId });
    expectError(await guest.call('GET', members), 'FORBIDDEN');
    const own = `${TEAMS}/${guest.teamId}/members/${guest.userId}`;
    expectError(await guest.call('DELETE', own), 'CONFLICT');
  });

  it('of two owners who leave at the same time, one stays', async () => {
    const [one, two] = [await newPerson(server()), await newPerson(server())];
    const { id } = (await one.call('POST', TEAMS, { name: 'pair' })).body as { id: string };
    await joinTeam(server(), { teamId: id, userId: two.userId, role: 'owner' });
    const left = await Promise.all(
      [one, two].map((each) => each.call('DELETE', `${TEAMS}/${id}/members/${each.userId}`)),
    );
    expect(left.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});

describe('an invitation', () => {
  const invite = (email: string, role = 'viewer') => owner.call('POST', members, { email, role });

  it('is refused above a hundred open ones, until one of them is removed', async () => {
    const full = (await owner.call('POST', TEAMS, { name: 'full' })).body['id'] as string;
    const path = `${TEAMS}/${full}/members`;
    const send = (email: string) => owner.call('POST', path, { email, role: 'viewer' });
    const first = await send('guest0@example.com');
    await server().db.query(
      `insert into account_links (id, kind, token_hash, email, team_id, role, created_by, expires_at)
       select 'inv_' || n, 'invitation', sha256(n::text::bytea), 'guest' || n || '@example.com', team_id, role,
         created_by, expires_at
       from account_links, generate_series(1, 99) n where team_id = $1`,
      [full],
    );
    expect(expectError(await send('one-more@example.com'), 'CONFLICT').message).toContain('100');
    expect((await send('guest7@example.com')).status).toBe(201);
    await owner.call('DELETE', `${path}/${first.body['userId'] as string}`);
    expect((await send('one-more@example.com')).status).toBe(201);
  });
  const tokenIn = (answer: { body: Record<string, unknown> }) =>
    tokenOf((answer.body['invitation'] as { url: string }).url);

  it('makes an account for somebody new, in the team and signed in', async () => {
    const email = 'new.person@example.com';
    const first = await invite(email);
    expect(first).toMatchObject({
      status: 201,
      body: { email, role: 'viewer', status: 'invited', joinedAt: null },
    });
    const second = await invite(email, 'member');
    expect(idOf(second)).toBe(idOf(first));
    const browser = openBrowser(server());
    const inspected = await browser.call('POST', '/api/v1/auth/link', { token: tokenIn(second) });
    expect(inspected.body).toMatchObject({ kind: 'invitation', email, hasAccount: false });
    const signUp = (token: string) =>
      browser.call('POST', '/api/v1/auth/sign-up', { token, name: 'New', password: PASSWORD });
    expectError(await signUp(tokenIn(first)), 'NOT_FOUND');
    expect((await signUp(tokenIn(second))).body).toMatchObject({ user: { email, isAdmin: false } });
    const { body } = await browser.call('GET', TEAMS);
    expect(body).toMatchObject({ items: [{ personal: true }, { id: team, role: 'member' }] });
    expectError(await openBrowser(server()).call('POST', ACCEPT, { token: 'x' }), 'UNAUTHORIZED');
  });

  it('gives nobody an account that is there already, and is accepted by its owner', async () => {
    const [guest, eve] = [await newPerson(server()), await newPerson(server())];
    const invited = await invite(guest.email.toUpperCase());
    const token = tokenIn(invited);
    const password = 'a password of somebody else';
    const taken = await openBrowser(server()).call('POST', '/api/v1/auth/sign-up', {
      token,
      password,
    });
    expectError(taken, 'CONFLICT');
    expectError(await eve.call('POST', ACCEPT, { token }), 'FORBIDDEN');
    expect((await guest.call('POST', ACCEPT, { token })).body).toMatchObject({
      id: team,
      role: 'viewer',
    });
    expectError(await guest.call('POST', ACCEPT, { token }), 'NOT_FOUND');
    expect((await guest.call('GET', members)).status).toBe(200);
    // What was refused has changed nothing.
    const login = { email: guest.email, password: PASSWORD };
    expect((await openBrowser(server()).call('POST', '/api/v1/auth/login', login)).status).toBe(
      200,
    );
  });

  it('is withdrawn like a member, and repeated with the same key it is the same link', async () => {
    const headers = { ...inTeam, 'idempotency-key': 'invite' };
    const body = { email: 'later@example.com', role: 'viewer' };
    const [one, two] = [
      await owner.call('POST', members, body, headers),
      await owner.call('POST', members, body, headers),
    ];
    expect(tokenIn(one)).toBe(tokenIn(two));
    expect(two.headers.get('idempotency-replayed')).toBe('true');
    expect((await admin.call('DELETE', `${members}/${idOf(one)}`)).status).toBe(200);
    const browser = openBrowser(server());
    expectError(
      await browser.call('POST', '/api/v1/auth/link', { token: tokenIn(one) }),
      'NOT_FOUND',
    );
  });
});

describe('an invitation that others have the link of', () => {
  const tokenIn = (answer: { body: Record<string, unknown> }) =>
    tokenOf((answer.body['invitation'] as { url: string }).url);
  const signUp = (token: string) =>
    openBrowser(server()).call('POST', '/api/v1/auth/sign-up', { token, password: PASSWORD });

  it('is how a user gets in, too: nobody is put into a team without asking', async () => {
    const guest = await newPerson(server());
    const body = { userId: guest.userId, role: 'viewer' };
    const invited = await owner.call('POST', members, body);
    expect(invited).toMatchObject({ status: 201, body: { status: 'invited', role: 'viewer' } });
    expectError(await guest.call('GET', members), 'FORBIDDEN');
    const { body: own } = await guest.call('GET', TEAMS);
    expect(own['total']).toBe(1);
    expect((await guest.call('POST', ACCEPT, { token: tokenIn(invited) })).status).toBe(200);
    expect((await guest.call('GET', members)).status).toBe(200);
    expectError(await owner.call('POST', members, body), 'CONFLICT');
    await owner.call('DELETE', `${members}/${guest.userId}`);
    // An account that was deleted is nobody.
    const deleted = { email: guest.email, password: PASSWORD };
    expect((await guest.call('POST', '/api/v1/auth/delete-account', deleted)).status).toBe(200);
    expectError(await owner.call('POST', members, body), 'NOT_FOUND');
  });

  it('makes 5 accounts a minute from a network address', async () => {
    verifies('limits.rate.sign-up');
    const browser = openBrowser(server());
    const statuses: number[] = [];
    for (let n = 0; n < 30 && statuses.at(-1) !== 429; n++) {
      const email = `many${n}@example.com`;
      const token = tokenIn(await owner.call('POST', members, { email, role: 'viewer' }));
      const body = { token, password: PASSWORD };
      statuses.push((await browser.call('POST', '/api/v1/auth/sign-up', body)).status);
    }
    expect(statuses.slice(0, 5)).toEqual([201, 201, 201, 201, 201]);
    expect(statuses.at(-1)).toBe(429);
  });

  it('leaves the address of the account that it makes unverified', async () => {
    const invited = await owner.call('POST', members, { email: 'un@example.com', role: 'viewer' });
    expect((await signUp(tokenIn(invited))).body).toMatchObject({ user: { emailVerified: false } });
  });

  it('gets a new link with a new role, and is replaced by nobody who may not give its role', async () => {
    const email = 'raised@example.com';
    const first = await admin.call('POST', members, { email, role: 'member' });
    const raised = await owner.call('PATCH', `${members}/${idOf(first)}`, { role: 'owner' });
    expect(raised.body).toMatchObject({ userId: idOf(first), status: 'invited', role: 'owner' });
    expectError(await signUp(tokenIn(first)), 'NOT_FOUND');
    expectError(await admin.call('POST', members, { email, role: 'member' }), 'FORBIDDEN');
    expectError(await admin.call('DELETE', `${members}/${idOf(first)}`), 'FORBIDDEN');
    expect((await signUp(tokenIn(raised))).status).toBe(201);
  });

  it('is not revived by a repeated request once it was withdrawn', async () => {
    const headers = { ...inTeam, 'idempotency-key': 'withdrawn' };
    const body = { email: 'withdrawn@example.com', role: 'viewer' };
    const first = await owner.call('POST', members, body, headers);
    await owner.call('DELETE', `${members}/${idOf(first)}`);
    expectError(await owner.call('POST', members, body, headers), 'CONFLICT');
    expectError(await signUp(tokenIn(first)), 'NOT_FOUND');
    const listed = await owner.call('GET', members);
    expect(JSON.stringify(listed.body)).not.toContain(body.email);
  });

  it('ends with the right of its maker to invite, and with the removal of whom it is for', async () => {
    const manager = await newPerson(server());
    await joinTeam(server(), { teamId: team, userId: manager.userId, role: 'admin' });
    const invite = (email: string) => manager.call('POST', members, { email, role: 'admin' });
    const kept = await invite('second.self@example.com');
    await owner.call('PATCH', `${members}/${manager.userId}`, { role: 'member' });
    expectError(await signUp(tokenIn(kept)), 'NOT_FOUND');
    await owner.call('PATCH', `${members}/${manager.userId}`, { role: 'admin' });
    const again = await invite('second.self@example.com');
    await owner.call('DELETE', `${members}/${manager.userId}`);
    expectError(await signUp(tokenIn(again)), 'NOT_FOUND');
  });
});

it('a member who is removed loses their keys for the team and its data within seconds', async () => {
  const guest = await newPerson(server());
  await joinTeam(server(), { teamId: team, userId: guest.userId, role: 'member' });
  const made = await guest.call('POST', '/api/v1/api-keys', { name: 'x', teamId: team });
  const key = String(made.body['key']);
  expect((await server().call('GET', `${TEAMS}/${team}`, { key })).status).toBe(200);
  await owner.call('DELETE', `${members}/${guest.userId}`);
  await waitUntil(
    async () => (await server().call('GET', `${TEAMS}/${team}`, { key })).status === 401,
    'the key to end',
  );
});
