// The audit log: what is in it, who sees it, and that it cannot be changed.
import { expect, it } from 'vitest';
import { createAccountAdmin } from '../../src/services/accounts/account-admin.ts';
import { createPasswords } from '../../src/services/accounts/passwords.ts';
import { createPasswordHasher } from '../../src/platform/password-hash.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { verifies } from '../support/verifies.ts';
import { useServer } from '../support/use-server.ts';
import { BELIEVES_TESTS, PASSWORD, newPerson, openBrowser, tokenOf, joinTeam } from './people.ts';
import type { Browser, Person } from './people.ts';

const server = useServer(BELIEVES_TESTS);

interface Entry {
  id: string;
  at: string;
  action: string;
  teamId: string | null;
  actor: { userId: string | null; email: string | null; credential: string; address: string };
  target: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

async function entries(browser: Browser, query = '', headers?: Record<string, string>) {
  const answer = await browser.call('GET', `/v1/audit?limit=100${query}`, undefined, headers);
  expect(answer.status).toBe(200);
  return answer.body['items'] as Entry[];
}

const actions = (found: readonly Entry[]) => found.map(({ action }) => action).toReversed();

it('tells of everything that a person changes, in the order it happened', async () => {
  verifies('accounts.audit', 'http.success.created');
  const owner = await newPerson(server());
  const made = await owner.call('POST', '/v1/teams', { name: 'Ledger' });
  expect(made.status).toBe(201);
  const teamId = made.body['id'] as string;
  const here = { 'x-team-id': teamId, 'sec-fetch-site': 'same-origin' };
  const other = await newPerson(server());
  const members = `/v1/teams/${teamId}/members`;
  await owner.call('PATCH', `/v1/teams/${teamId}`, { settings: { defaultModel: 'sim-instant' } });
  const asked = await owner.call('POST', members, { userId: other.userId, role: 'viewer' });
  const token = tokenOf((asked.body['invitation'] as { url: string }).url);
  await other.call('POST', '/v1/invitations/accept', { token });
  await owner.call('PATCH', `${members}/${other.userId}`, { role: 'member' });
  await owner.call('DELETE', `${members}/${other.userId}`);
  const invited = await owner.call('POST', members, { email: 'new@example.com', role: 'member' });
  await owner.call('DELETE', `${members}/${String(invited.body['userId'])}`);
  const key = await owner.call('POST', '/api/v1/api-keys', { name: 'ci', teamId });
  const keyId = key.body['id'] as string;
  await owner.call('POST', `/api/v1/api-keys/${keyId}/rotate`, {});
  await owner.call('DELETE', `/api/v1/api-keys/${keyId}`);
  const hook = { url: 'https://hooks.invalid/in?token=very-secret', events: ['*'] };
  const webhook = await owner.call('POST', '/v1/webhooks', hook, here);
  const at = `/v1/webhooks/${String(webhook.body['id'])}`;
  await owner.call('PATCH', at, { status: 'paused' }, here);
  await owner.call('POST', `${at}/rotate-secret`, {}, here);
  await owner.call('DELETE', at, undefined, here);

  const found = await entries(owner, '', here);
  expect(actions(found)).toEqual([
    'team.created',
    'team.updated',
    'member.invited',
    'member.added',
    'member.role_changed',
    'member.removed',
    'member.invited',
    'member.removed',
    'api_key.created',
    'api_key.rotated',
    'api_key.revoked',
    'webhook.created',
    'webhook.updated',
    'webhook.secret_rotated',
    'webhook.deleted',
  ]);
  for (const { actor, action } of found) {
    const { userId, email, address } = action === 'member.added' ? other : owner;
    expect(actor).toMatchObject({ userId, email, address, credential: 'session' });
  }
  const changed = found.find(({ action }) => action === 'team.updated')!;
  expect(changed.before).toEqual({ name: 'Ledger', settings: {} });
  expect(changed.after).toEqual({ name: 'Ledger', settings: { defaultModel: 'sim-instant' } });
  const role = found.find(({ action }) => action === 'member.role_changed')!;
  expect([role.target, role.before, role.after]).toEqual([
    other.userId,
    { email: other.email, role: 'viewer' },
    { role: 'member' },
  ]);
  const text = JSON.stringify(found);
  for (const secret of [key.body['key'], webhook.body['secret'], 'very-secret']) {
    expect(text).not.toContain(secret);
  }
  expect(text).not.toContain(tokenOf((invited.body['invitation'] as { url: string }).url));

  // None of it is in the log of the personal team, where only the account's own is.
  expect(actions(await entries(owner))).toEqual(['account.created', 'session.created']);
});

it('tells of an account: sessions, refused passwords, a new password, what an operator does', async () => {
  const person = await newPerson(server());
  const { db } = server();
  const elsewhere = openBrowser(server());
  const wrong = { email: person.email, password: 'not the password 1' };
  await elsewhere.call('POST', '/api/v1/auth/login', wrong);
  await elsewhere.call('POST', '/api/v1/auth/login', { ...wrong, password: PASSWORD });
  const sessions = await person.call('GET', '/api/v1/auth/sessions');
  const session = (sessions.body['items'] as { id: string; current: boolean }[]).find(
    ({ current }) => !current,
  )!;
  await person.call('DELETE', `/api/v1/auth/sessions/${session.id}`);
  const me = '/api/v1/auth/me';
  const renamed = await person.call('PATCH', me, { name: 'Jane Walker' });
  expect(renamed.body).toMatchObject({ user: { name: 'Jane Walker' } });
  // Nothing has changed: nothing is told.
  await person.call('PATCH', me, { name: 'Jane Walker' });
  expect((await person.call('GET', me)).body).toMatchObject({ user: { name: 'Jane Walker' } });
  for (const name of ['', 'x'.repeat(101), 'a\u0000b', null]) {
    expectInvalid(await person.call('PATCH', me, { name }), 'name');
  }
  const newPassword = 'another long tulip 77';
  await person.call('POST', '/api/v1/auth/password', { currentPassword: PASSWORD, newPassword });
  const signals = createSignals({ originId: 'sig_audit', db, onError: () => undefined });
  const admin = createAccountAdmin({
    db,
    signals,
    passwords: createPasswords(createPasswordHasher()),
    defaultTier: 'enterprise',
    publicUrl: () => server().url,
  });
  await admin.makeResetLink(person.email, null);
  await signals.flush();

  const found = await entries(person);
  expect(actions(found)).toEqual([
    'account.created',
    'session.created',
    'session.refused',
    'session.created',
    'session.ended',
    'account.renamed',
    'account.password_changed',
    'session.created',
    'link.created',
  ]);
  expect(found.find(({ action }) => action === 'account.renamed')).toMatchObject({
    target: person.userId,
    before: { name: null },
    after: { name: 'Jane Walker' },
  });
  const refused = found.find(({ action }) => action === 'session.refused')!;
  expect(refused.actor).toMatchObject({ userId: null, address: elsewhere.address });
  expect(found[0]!.actor).toMatchObject({ userId: null, credential: 'operator' });
});

it('is filtered and read page by page', async () => {
  const person = await newPerson(server());
  for (const name of ['a', 'b', 'c']) await person.call('POST', '/api/v1/api-keys', { name });
  const keys = await entries(person, '&action=api_key.*');
  expect(keys.map(({ after }) => after!['name'])).toEqual(['c', 'b', 'a']);
  expect(await entries(person, '&action=api_key.revoked')).toEqual([]);
  expect(await entries(person, `&target=${keys[1]!.target}`)).toEqual([keys[1]]);
  expect(await entries(person, `&userId=${person.userId}&action=session.created`)).toHaveLength(1);
  expect(await entries(person, `&until=${keys[2]!.at}&action=api_key.*`)).toEqual([]);
  expect(await entries(person, `&since=${keys[2]!.at}&action=api_key.*`)).toEqual(keys);
  const first = await person.call('GET', '/v1/audit?limit=2');
  const before = first.body['nextCursor'] as string;
  expect(first.body).toMatchObject({ hasMore: true, limit: 2, nextCursor: keys[1]!.id });
  const second = await person.call('GET', `/v1/audit?limit=100&before=${before}`);
  expect((second.body['items'] as Entry[])[0]!.id).toBe(keys[2]!.id);
  expect(second.body).toMatchObject({ hasMore: false, nextCursor: null });
  for (const query of ['action=keys', 'before=x', 'limit=0', 'userId=me', 'since=yesterday']) {
    expectError(await person.call('GET', `/v1/audit?${query}`), 'VALIDATION_ERROR');
  }
});

it('is for those who manage the team; that of the server for its administrators', async () => {
  const owner = await newPerson(server());
  const teamId = (await owner.call('POST', '/v1/teams', { name: 'Seen' })).body['id'] as string;
  const here = { 'x-team-id': teamId, 'sec-fetch-site': 'same-origin' };
  const people: Record<string, Person> = {};
  for (const role of ['admin', 'member', 'viewer'] as const) {
    people[role] = await newPerson(server());
    await joinTeam(server(), { teamId, userId: people[role].userId, role });
  }
  const get = (person: Person) => person.call('GET', '/v1/audit', undefined, here);
  expect((await get(people['admin']!)).status).toBe(200);
  for (const role of ['member', 'viewer']) expectError(await get(people[role]!), 'FORBIDDEN');
  expectError(await owner.call('GET', '/api/v1/admin/audit'), 'FORBIDDEN');
  await server().db.query('update users set is_admin = true where id = $1', [owner.userId]);
  const all = await owner.call('GET', '/api/v1/admin/audit?limit=100&action=team.created');
  const seen = (all.body['items'] as Entry[]).filter((entry) => entry.teamId === teamId);
  expect(seen).toHaveLength(1);
});

it('cannot be changed', async () => {
  const { db } = server();
  for (const statement of [
    `update audit_events set action = 'x'`,
    'delete from audit_events',
    'truncate audit_events',
  ]) {
    await expect(db.query(statement), statement).rejects.toThrow('never changed');
  }
});
