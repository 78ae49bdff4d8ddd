// API keys over HTTP, and the command that uses it.
import { expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import { BELIEVES_TESTS, joinTeam, newPerson } from './people.ts';

const nodes = useNodes(2, { role: 'api', ...BELIEVES_TESTS });
const server = () => nodes()[0]!;
const KEYS = '/api/v1/api-keys';

interface Key {
  id: string;
  key: string;
  [field: string]: unknown;
}

const statusOn = async (node: number, key: string) =>
  (await nodes()[node]!.call('GET', '/api/v1/auth/me', { key })).status;

it('a person makes a key, sees it once, and lists it masked', async () => {
  verifies('accounts.api-keys.create', 'accounts.api-keys.list', 'accounts.api-keys.scopes');
  const jane = await newPerson(server());
  const made = await jane.call('POST', KEYS, { name: 'ci', scopes: ['jobs', 'history'] });
  expect(made).toMatchObject({
    status: 201,
    body: {
      name: 'ci',
      scopes: ['jobs', 'history'],
      teamId: null,
      status: 'active',
      expiresAt: null,
      lastUsedAt: null,
    },
  });
  const { key } = made.body as unknown as Key;
  expect(await statusOn(1, key)).toBe(200);
  expectError(await server().call('GET', '/api/v1/keys', { key }), 'FORBIDDEN');
  // Whoever may make keys may do everything; this one may not.
  expectError(await server().call('GET', KEYS, { key }), 'FORBIDDEN');
  const { key: _, ...listed } = made.body;
  expect((await jane.call('GET', KEYS)).body).toEqual({ items: [listed] });
  expect(listed['maskedKey']).toBe(`${key.slice(0, 12)}...${key.slice(-4)}`);
  const dated = await jane.call('POST', KEYS, { name: 'x', expiresInDays: 30 });
  const { expiresAt, createdAt, scopes } = dated.body as unknown as Record<string, string>;
  expect(Date.parse(expiresAt!) - Date.parse(createdAt!)).toBe(30 * 86_400_000);
  expect(scopes).toEqual([
    'jobs',
    'models',
    'executions',
    'history',
    'keys',
    'webhooks',
    'teams',
    'billing',
    'approvals',
    'runs',
  ]);
  expectInvalid(await jane.call('POST', KEYS, { name: 'x', scopes: ['all'] }), 'scopes.0');
  expectInvalid(await jane.call('POST', KEYS, { name: 'x', scopes: [] }), 'scopes');
  expectInvalid(await jane.call('POST', KEYS, { name: 'x', expiresInDays: 0 }), 'expiresInDays');
});

it('a repeated request gets the same key again, also when both arrive at once', async () => {
  const jane = await newPerson(server());
  const headers = { 'sec-fetch-site': 'same-origin', 'idempotency-key': 'one' };
  const make = (name: string) => jane.call('POST', KEYS, { name }, headers);
  const [first, second] = await Promise.all([make('a'), make('a')]);
  expect(first.body['key']).toBe(second.body['key']);
  expect([first, second].filter((one) => one.headers.get('idempotency-replayed'))).toHaveLength(1);
  expect((await jane.call('GET', KEYS)).body['items']).toHaveLength(1);
  expectError(await make('b'), 'IDEMPOTENCY_KEY_REUSED');
  // The same Idempotency-Key of somebody else makes another key.
  const eve = await newPerson(server());
  const other = await eve.call('POST', KEYS, { name: 'a' }, headers);
  expect(other.body['key']).not.toBe(first.body['key']);
});

it('a rotated key has a successor at once and works until its grace is over', async () => {
  verifies('accounts.api-keys.rotate');
  const jane = await newPerson(server());
  const body = { name: 'ci', scopes: ['jobs'], expiresInDays: 10 };
  const old = (await jane.call('POST', KEYS, body)).body as unknown as Key;
  const rotated = await jane.call('POST', `${KEYS}/${old.id}/rotate`);
  const next = rotated.body as unknown as Key & { previous: { id: string; expiresAt: string } };
  expect(rotated).toMatchObject({ status: 201, body: { name: 'ci', scopes: ['jobs'] } });
  expect(next.previous.id).toBe(old.id);
  const made = Date.parse(next['createdAt'] as string);
  expect(Date.parse(next.previous.expiresAt) - made).toBe(24 * 3_600_000);
  expect(Date.parse(next['expiresAt'] as string) - made).toBe(10 * 86_400_000);
  expect([await statusOn(0, old.key), await statusOn(1, next.key)]).toEqual([200, 200]);
  expectError(await jane.call('POST', `${KEYS}/${old.id}/rotate`, {}), 'CONFLICT');
  for (const gracePeriodHours of [-1, 169]) {
    const answer = await jane.call('POST', `${KEYS}/${next.id}/rotate`, { gracePeriodHours });
    expectInvalid(answer, 'gracePeriodHours');
  }
  const last = await jane.call('POST', `${KEYS}/${next.id}/rotate`, { gracePeriodHours: 0 });
  expect(last.status).toBe(201);
  await waitUntil(async () => (await statusOn(1, next.key)) === 401, 'the old key to end');
  expect(await statusOn(1, last.body['key'] as string)).toBe(200);
});

it('a revoked key is refused by every node within seconds', async () => {
  verifies('accounts.api-keys.revoke');
  const [jane, eve] = [await newPerson(server()), await newPerson(server())];
  const { id, key } = (await jane.call('POST', KEYS, { name: 'x' })).body as unknown as Key;
  expect(await statusOn(1, key)).toBe(200);
  expectError(await eve.call('DELETE', `${KEYS}/${id}`), 'FORBIDDEN');
  expectError(await eve.call('POST', `${KEYS}/${id}/rotate`), 'FORBIDDEN');
  expectError(await eve.call('DELETE', `${KEYS}/key_01jcq8z5e0e5v8r3m6k1t2w9xh`), 'NOT_FOUND');
  expect((await jane.call('DELETE', `${KEYS}/${id}`)).body).toEqual({ revoked: true, id });
  await waitUntil(async () => (await statusOn(1, key)) === 401, 'the other node to refuse');
  expectError(await jane.call('POST', `${KEYS}/${id}/rotate`), 'CONFLICT');
  expect((await jane.call('DELETE', `${KEYS}/${id}`)).status).toBe(200);
});

it('an owner sees every key that acts in the team, and revokes those that were made for it', async () => {
  verifies('teams.api-keys');
  const [owner, admin] = [await newPerson(server()), await newPerson(server())];
  const teamId = (await owner.call('POST', '/v1/teams', { name: 'keys' })).body['id'] as string;
  await joinTeam(server(), { teamId, userId: admin.userId, role: 'admin' });
  const make = async (name: string, more: object = {}) =>
    (await admin.call('POST', KEYS, { name, ...more })).body as unknown as Key;
  const bound = await make('bound', { teamId });
  const free = await make('free');
  const ended = await make('ended', { teamId });
  await admin.call('DELETE', `${KEYS}/${ended.id}`);
  const path = `/v1/teams/${teamId}/api-keys`;
  expectError(await admin.call('GET', path), 'FORBIDDEN');
  expectError(await admin.call('DELETE', `${path}/${bound.id}`), 'FORBIDDEN');
  const { userId, email } = admin;
  expect((await owner.call('GET', path)).body).toMatchObject({
    items: [
      { id: bound.id, teamId, userId, email },
      { id: free.id, teamId: null, userId, email },
    ],
  });
  expect((await owner.call('DELETE', `${path}/${bound.id}`)).body).toEqual({
    revoked: true,
    id: bound.id,
  });
  await waitUntil(async () => (await statusOn(1, bound.key)) === 401, 'the key to end');
  // That one works in all teams of its maker.
  expectError(await owner.call('DELETE', `${path}/${free.id}`), 'CONFLICT');
  expectError(await owner.call('DELETE', `${path}/${bound.id}`), 'NOT_FOUND');
});

it('a key for one team acts and makes keys there only', async () => {
  const jane = await newPerson(server());
  const eve = await newPerson(server());
  const body = { name: 'bound', teamId: jane.teamId, scopes: ['admin'] };
  const { key } = (await jane.call('POST', KEYS, body)).body as unknown as Key;
  await jane.call('POST', KEYS, { name: 'free' });
  const made = await server().call('POST', KEYS, { key, body: { name: 'more' } });
  expect(made).toMatchObject({ status: 201, body: { teamId: jane.teamId } });
  const { items } = (await server().call('GET', KEYS, { key })).body as unknown as { items: Key[] };
  expect(items.map((one) => one['name'])).toEqual(['bound', 'more']);
  const elsewhere = { key, headers: { 'x-team-id': eve.teamId } };
  expectError(await server().call('GET', '/api/v1/auth/me', elsewhere), 'FORBIDDEN');
  expectError(await jane.call('POST', KEYS, { name: 'x', teamId: eve.teamId }), 'FORBIDDEN');
});

it('the command lists, creates, rotates and revokes', async () => {
  const owner = await server().createKey({ email: 'cli@example.com', scopes: [...SCOPES] });
  const env = { MILLRACE_URL: server().url, MILLRACE_API_KEY: owner.key };
  const create = ['api-keys', 'create', 'ci', '--scopes', 'jobs', '--expires-in-days', '9'];
  const made = await runHere(create, env);
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout).toMatch(/^mill_sk_\w{38}\n$/);
  expect(made.stderr).toMatch(/^Created key_\w+ "ci" \(jobs\)\.\nSave it now/);
  const id = /key_\w+/.exec(made.stderr)![0];
  const rotated = await runHere(['api-keys', 'rotate', id, '--grace-hours', '0', '--json'], env);
  const next = JSON.parse(rotated.stdout) as Key;
  expect(next['previous']).toMatchObject({ id });
  const listed = await runHere(['api-keys', 'list'], env);
  expect(listed.stdout).toContain('expired');
  expect(listed.stdout).not.toContain(next.key);
  expect(await runHere(['api-keys', 'revoke', next.id.slice(0, 24)], env)).toMatchObject({
    code: 0,
    stdout: `Revoked ${next.id}.\n`,
  });
  const bad = await runHere(['api-keys', 'create', 'x', '--expires-in-days', 'soon'], env);
  expect(bad).toMatchObject({ code: 2, stdout: '' });
  const gone = await runHere(['api-keys', 'revoke', 'key_01jcq8z5e0e5v8r3m6k1t2w9xh'], env);
  expect(gone.code).toBe(1);
  expect(gone.stderr).toContain('api-keys list');
});

it('the command is about the caller, else about the owner of the database, or the account that is named', async () => {
  const caller = await server().createKey({ email: 'caller@example.com', scopes: [...SCOPES] });
  const here = { DATABASE_URL: server().databaseUrl };
  const env = { ...here, MILLRACE_URL: server().url, MILLRACE_API_KEY: caller.key };
  const idsOf = async (args: string[], settings: Record<string, string>) => {
    const { code, stdout, stderr } = await runHere(
      ['api-keys', 'list', '--json', ...args],
      settings,
    );
    expect(code, stderr).toBe(0);
    return (JSON.parse(stdout) as { items: { id: string; status: string }[] }).items.map(
      ({ id, status }) => `${id} ${status}`,
    );
  };
  const own = [`${caller.id} active`];
  expect(await idsOf([], env)).toEqual(own);
  const owned = await runHere(['api-keys', 'create', 'mine'], here);
  expect(owned.stderr).toMatch(/^Key "mine" for local@example\.com/);
  for (const [args, settings] of [
    [[], here],
    [['--database-url', server().databaseUrl], env],
  ] as const) {
    const ids = await idsOf([...args], settings);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids).not.toContain(own[0]);
  }
  expect(await idsOf(['--email', 'caller@example.com'], here)).toEqual(own);
  expect(await idsOf(['--email', 'caller@example.com'], env)).toEqual(own);
  const flags = ['--email', 'caller@example.com', '--url', server().url];
  const mixed = await runHere(['api-keys', 'list', ...flags], env);
  expect([mixed.code, mixed.stdout]).toEqual([2, '']);
  expect(mixed.stderr).toContain('on the machine of the server');
  const named = await runHere(['api-keys', 'create', 'a', '--name', 'b'], env);
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining('two names')]);
  const none = await runHere(['api-keys', 'list', '--url', server().url], here);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('not signed in')]);
});

it('an earlier name of the command says what to run instead, in one line', async () => {
  const words = ['tokens', 'create', 'ci', '--scopes', 'jobs', '--team', 'birds'];
  expect(await runHere(words, {})).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^Error: "tokens" is now "api-keys"\. Run: \S*millrace --team birds api-keys create ci --scopes jobs\n$/,
    ) as string,
  });
  for (const args of [['tokens'], ['tokens', '--help'], ['tokens', 'list', '-h']]) {
    const { code, stderr } = await runHere(args, {});
    expect([code, stderr.split('\n').length]).toEqual([2, 2]);
  }
  expect((await runHere(['--help'], {})).stdout).not.toContain('tokens');
});
