// A command line signs in with a code that a person approves, on two nodes of one service.
import { beforeAll, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import type { Answer } from '../support/server.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import {
  BELIEVES_TESTS,
  PASSWORD,
  deviceToken,
  newAddress,
  newPerson,
  openBrowser,
  signIn,
} from './people.ts';
import type { Person } from './people.ts';

const nodes = useNodes(2, { role: 'api', ...BELIEVES_TESTS });
const server = () => nodes()[0]!;
const DEVICE = '/api/v1/auth/device';
const TOKEN = `${DEVICE}/token`;
const DECISION = `${DEVICE}/decision`;
const SESSIONS = '/api/v1/auth/sessions';
const ME = '/api/v1/auth/me';

let jane: Person;
beforeAll(async () => {
  jane = await newPerson(server());
});

interface Codes {
  deviceCode: string;
  userCode: string;
  verificationUrl: string;
  verificationUrlComplete: string;
}

async function start(clientName = 'millrace on box-1', address = newAddress()): Promise<Codes> {
  const headers = { 'x-forwarded-for': address };
  const answer = await server().call('POST', DEVICE, { body: { clientName }, headers });
  expect(answer.status).toBe(201);
  return answer.body as unknown as Codes;
}

const ask = (deviceCode: string, node = server()) =>
  node.call('POST', TOKEN, { body: { deviceCode } });

function stateOf({ body }: Answer): unknown {
  return (body['error'] as { details?: { state?: string } }).details?.state;
}

/** As if the command line had waited as long as it was told to. */
async function letTimePass(): Promise<void> {
  await server().db.query(`update device_codes set asked_at = asked_at - interval '10 minutes'`);
}

const withToken = (token: string, method: string, path: string, body?: unknown) =>
  server().call(method, path, {
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
  });

it('gets a token once a person has approved, and acts as that person', async () => {
  verifies('accounts.device-login');
  const codes = await start('millrace on box-1', '203.0.113.77');
  expect(codes).toMatchObject({ expiresInSeconds: 600, intervalSeconds: 5 });
  expect(codes.userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  expect(codes.verificationUrl).toBe(`${server().url}/device`);
  expect(codes.verificationUrlComplete).toBe(`${server().url}/device#${codes.userCode}`);

  const pending = await ask(codes.deviceCode);
  expectError(pending, 'CONFLICT');
  expect(stateOf(pending)).toBe('pending');
  // However it is typed; looking decides nothing.
  const userCode = ` ${codes.userCode.toLowerCase().replace('-', ' ')}`;
  const looked = await jane.call('POST', `${DEVICE}/lookup`, { userCode });
  expect(looked.body).toMatchObject({ clientName: 'millrace on box-1', address: '203.0.113.77' });
  await letTimePass();
  expect(stateOf(await ask(codes.deviceCode))).toBe('pending');
  const decided = await jane.call('POST', DECISION, { userCode, approve: true });
  expect(decided.body).toEqual({ approved: true });

  const { status, body, headers } = await ask(codes.deviceCode);
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toMatchObject({
    user: { email: jane.email },
    session: { kind: 'device', name: 'millrace on box-1', address: '203.0.113.77' },
  });
  const token = body['token'] as string;
  expect(token).toMatch(/^mill_dt_[\w-]{43}$/);
  for (const name of ['authorization', 'x-api-key']) {
    const value = name === 'authorization' ? `Bearer ${token}` : token;
    const me = await server().call('GET', ME, { headers: { [name]: value } });
    expect(me.body).toMatchObject({
      user: { email: jane.email },
      team: { id: jane.teamId, role: 'owner', tier: 'enterprise' },
      credential: { kind: 'device', id: (body['session'] as { id: string }).id },
    });
  }
  expect(stateOf(await ask(codes.deviceCode))).toBe('expired');
  const { rows } = await server().db.query(
    'select s::text as row from sessions s union all select d::text from device_codes d',
  );
  const kept = JSON.stringify(rows) + server().logs();
  for (const secret of [token, codes.deviceCode, codes.userCode])
    expect(kept).not.toContain(secret);
  const { rows: audited } = await server().db.query<{ action: string; credential: string }>(
    'select action, credential from audit_events where user_id = $1 order by id',
    [jane.userId],
  );
  expect(audited).toEqual([
    { action: 'session.created', credential: 'session' },
    { action: 'device.approved', credential: 'session' },
    { action: 'session.created', credential: 'device' },
  ]);
});

it('of several that ask with the same code at once, on any node, one gets the token', async () => {
  const { deviceCode, userCode } = await start();
  await jane.call('POST', DECISION, { userCode, approve: true });
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, i) => ask(deviceCode, nodes()[i % 2])),
  );
  const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
  expect(statuses).toEqual([200, 404, 404, 404, 404, 404]);
});

it('learns that it was denied, that its code has run out, or that it asks too often', async () => {
  const person = await newPerson(server());
  const denied = await start();
  await person.call('POST', DECISION, { userCode: denied.userCode, approve: false });
  const refused = await ask(denied.deviceCode);
  expectError(refused, 'FORBIDDEN');
  expect(stateOf(refused)).toBe('denied');
  // What was decided stays so.
  const again = await person.call('POST', DECISION, { userCode: denied.userCode, approve: true });
  expectError(again, 'NOT_FOUND');

  const hasty = await start();
  await ask(hasty.deviceCode);
  const slower = await ask(hasty.deviceCode);
  expectError(slower, 'CONFLICT');
  const details = (slower.body['error'] as { details: unknown }).details;
  expect(details).toEqual({ state: 'slow_down', intervalSeconds: 10 });
  await letTimePass();
  expect(stateOf(await ask(hasty.deviceCode))).toBe('pending');

  const late = await start();
  await person.call('POST', DECISION, { userCode: late.userCode, approve: true });
  await server().db.query(
    `update device_codes set expires_at = now() where client_name is not null`,
  );
  const expired = await ask(late.deviceCode);
  expectError(expired, 'NOT_FOUND');
  expect(stateOf(expired)).toBe('expired');
  expect(stateOf(await ask(hasty.deviceCode))).toBe('expired');
  expect(stateOf(await ask('mill_dc_unknown'))).toBe('expired');
});

it('is let in by a click on a page of this server, and by nothing else', async () => {
  const { deviceCode, userCode } = await start();
  const body = { userCode, approve: true };
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example.com' },
  ]) {
    expectError(await jane.call('POST', DECISION, body, headers), 'FORBIDDEN');
  }
  const { key } = await server().createKey();
  expectError(await server().call('POST', DECISION, { key, body }), 'FORBIDDEN');
  // A stolen token must not beget others.
  const token = await deviceToken(server(), await newPerson(server()));
  expectError(await withToken(token, 'POST', DECISION, body), 'FORBIDDEN');
  expectError(await openBrowser(server()).call('POST', DECISION, body), 'UNAUTHORIZED');
  const opened = await fetch(`${server().url}/device?code=${userCode}&approve=true`, {
    headers: { cookie: jane.cookie! },
  });
  expect(opened.status).toBe(200);
  expect(opened.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(stateOf(await ask(deviceCode))).toBe('pending');
});

it('codes can be guessed ten times a minute, whether the guess is right or not', async () => {
  // All at once: a bucket fills again while a slow machine sends one after the other.
  const thirty = (send: () => Promise<{ status: number }>) =>
    Promise.all(Array.from({ length: 30 }, async () => (await send()).status));
  const countOf = (statuses: readonly number[], wanted: number) =>
    statuses.filter((status) => status === wanted).length;
  const person = await newPerson(server());
  const guess = () => person.call('POST', `${DEVICE}/lookup`, { userCode: 'BBBB-BBBB' });
  const statuses = await thirty(guess);
  expect(countOf(statuses, 404)).toBeGreaterThanOrEqual(10);
  expect(countOf(statuses, 429)).toBeGreaterThan(0);
  const { userCode } = await start();
  const decide = () => person.call('POST', DECISION, { userCode, approve: false });
  // The account counts from wherever it comes, and the address whoever uses it.
  person.address = newAddress();
  const decisions = await thirty(decide);
  expect(countOf(decisions, 429)).toBeGreaterThan(20);
  const address = newAddress();
  const headers = { 'x-forwarded-for': address };
  const asked = await thirty(() => server().call('POST', DEVICE, { body: {}, headers }));
  expect(asked).toContain(429);
  // Asking for tokens is for many behind one address, but not for a flood.
  const body = { deviceCode: `mill_dc_${'x'.repeat(43)}` };
  const flood = await Promise.all(
    Array.from({ length: 130 }, () => server().call('POST', TOKEN, { body, headers })),
  );
  const floodStatuses = flood.map(({ status }) => status);
  while (!floodStatuses.includes(429)) {
    floodStatuses.push(...(await thirty(() => server().call('POST', TOKEN, { body, headers }))));
  }
  expect(countOf(floodStatuses, 404)).toBeGreaterThanOrEqual(100);
});

it('is listed among the sessions of its owner, and ends as they do, on every node', async () => {
  const person = await newPerson(server());
  const tokens = [await deviceToken(server(), person), await deviceToken(server(), person)];
  const elsewhere = (token: string) =>
    nodes()[1]!.call('GET', ME, { headers: { authorization: `Bearer ${token}` } });
  for (const token of tokens) expect((await elsewhere(token)).status).toBe(200);
  const { body } = await withToken(tokens[0]!, 'GET', SESSIONS);
  const items = body['items'] as { id: string; kind: string; name: string; current: boolean }[];
  expect(items.map(({ kind, name, current }) => [kind, name, current])).toEqual([
    ['device', 'a test', false],
    ['device', 'a test', true],
    ['session', null, false],
  ]);
  const life = (item: Record<string, string>) =>
    (Date.parse(item['expiresAt']!) - Date.parse(item['createdAt']!)) / 86_400_000;
  expect(life(items[0] as unknown as Record<string, string>)).toBe(30);
  await person.call('DELETE', `${SESSIONS}/${items[0]!.id}`);
  await waitUntil(
    async () => (await elsewhere(tokens[1]!)).status === 401,
    'the other node to refuse what was ended',
  );
  expect((await elsewhere(tokens[0]!)).status).toBe(200);
  expect((await withToken(tokens[0]!, 'POST', '/api/v1/auth/logout')).status).toBe(200);
  expectError(await withToken(tokens[0]!, 'GET', ME), 'UNAUTHORIZED');

  // It does not change the password, and a changed password ends it, approved ones under way too.
  const third = await deviceToken(server(), person);
  const waiting = await start();
  await person.call('POST', DECISION, { userCode: waiting.userCode, approve: true });
  const change = { currentPassword: PASSWORD, newPassword: 'quite another sentence' };
  const password = '/api/v1/auth/password';
  expectError(await withToken(third, 'POST', password, change), 'FORBIDDEN');
  expect((await person.call('POST', password, change)).status).toBe(200);
  expectError(await withToken(third, 'GET', ME), 'UNAUTHORIZED');
  expect(stateOf(await ask(waiting.deviceCode))).toBe('expired');
});

it('is refused with the account, and after 30 days without use or 90 in all', async () => {
  const person = await newPerson(server());
  const ages = [
    "last_used_at = now() - interval '721 hours'",
    "created_at = now() - interval '2161 hours'",
  ];
  for (const age of ages) {
    const token = await deviceToken(server(), person);
    await server().db.query(`update sessions set ${age} where user_id = $1 and kind = 'device'`, [
      person.userId,
    ]);
    expectError(await withToken(token, 'GET', ME), 'UNAUTHORIZED');
  }
  const { userCode, deviceCode } = await start();
  await person.call('POST', DECISION, { userCode, approve: true });
  const token = await deviceToken(server(), person);
  await server().db.query('update users set suspended_at = now() where id = $1', [person.userId]);
  expectError(await withToken(token, 'GET', ME), 'ACCOUNT_SUSPENDED');
  expectError(await ask(deviceCode), 'ACCOUNT_SUSPENDED');
});

it('its token is no cookie, and a cookie is no token', async () => {
  const person = await signIn(server(), jane.email);
  const token = await deviceToken(server(), person);
  const session = person.cookie!.split('=')[1]!;
  expectError(
    await openBrowser(server(), `millrace_session=${token}`).call('GET', ME),
    'UNAUTHORIZED',
  );
  expectError(await withToken(session, 'GET', ME), 'UNAUTHORIZED');
});
