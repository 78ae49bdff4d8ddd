// What attackers try against the ways in, on one server: forged requests, what answers give away, and
// addresses that a request makes up. What concerns one way alone is tested with it.
import { fastify } from 'fastify';
import { beforeAll, expect, it } from 'vitest';
import { createFlowCookie } from '../../src/http/flow-cookie.ts';
import { MODEL_METHODS, MODEL_ROOT } from '../../src/http/model/model-paths.ts';
import { ROUTE_ACCESS } from '../../src/http/route-access.ts';
import { createPasswordHasher } from '../../src/platform/password-hash.ts';
import { createPasswords } from '../../src/services/accounts/passwords.ts';
import { createSignInService } from '../../src/services/accounts/sign-in.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { expectError } from '../support/expect-error.ts';
import { rawRequest } from '../support/raw-http.ts';
import { useServer } from '../support/use-server.ts';
import { BELIEVES_TESTS, PASSWORD, deviceToken, newPerson, openBrowser } from './people.ts';
import type { Person } from './people.ts';

const server = useServer({ role: 'api', ...BELIEVES_TESTS });
let jane: Person;
beforeAll(async () => {
  jane = await newPerson(server());
});

const UNSAFE = Object.entries(ROUTE_ACCESS)
  .filter(([route]) => !route.startsWith('GET '))
  .map(([route, access]) => ({ route, isPublic: access === 'public' }));
const FORGED: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site', origin: 'https://evil.example.com' },
  { origin: 'null' },
];

/** Their answer is for the page that asked and sets no cookie: another page could neither read nor use it. */
const HARMLESS = new Set([
  // Believes a signature alone.
  'POST /api/v1/billing/stripe/webhook',
  // The secret of the trigger alone.
  'POST /v1/hooks/:triggerId',
  'POST /v1/hooks/:triggerId/:token',
  // No cookie opens it.
  'POST /mcp',
  ...MODEL_METHODS.map((method) => `${method} ${MODEL_ROOT}/*`),
  'POST /api/v1/auth/device',
  'POST /api/v1/auth/device/token',
  'POST /api/v1/auth/link',
]);

const BODIES: Readonly<Record<string, unknown>> = {
  'POST /api/v1/auth/login': { email: 'x@example.com', password: 'x' },
  'POST /api/v1/auth/setup': { token: 'x', email: 'x@example.com', password: PASSWORD },
  'POST /api/v1/auth/sign-up': { token: 'x', password: PASSWORD },
  'POST /api/v1/auth/password-reset': { token: 'x', password: PASSWORD },
  'POST /api/v1/auth/sign-in-link': { token: 'x' },
  'POST /api/v1/auth/forgot-password': { email: 'x@example.com' },
};

it('no route that changes something does so for a page of another site', async () => {
  const wrong: string[] = [];
  for (const { route, isPublic } of UNSAFE) {
    if (HARMLESS.has(route)) continue;
    const [method = '', path = ''] = route.split(' ');
    // Without any proof, too, where a cookie says who it is.
    for (const headers of isPublic ? FORGED : [{}, ...FORGED]) {
      const { status } = await jane.call(method, path, BODIES[route] ?? {}, headers);
      if (status !== 403) wrong.push(`${route} ${JSON.stringify(headers)}: ${status}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(UNSAFE.length).toBeGreaterThan(30);
  expect((await jane.call('GET', '/api/v1/auth/me')).status).toBe(200);
});

it('a sign-in takes one look at a password whoever is tried, and answers the same', async () => {
  const hasher = createPasswordHasher();
  let looks = 0;
  const passwords = createPasswords({
    hash: hasher.hash,
    verify(password, stored) {
      looks += 1;
      return hasher.verify(password, stored);
    },
  });
  const { db } = server();
  const signals = createSignals({ originId: 'sig_test', db, onError: () => {} });
  const service = createSignInService({
    db,
    signals,
    passwords,
    attempts: { count: async () => {}, countSignIn: async () => {} },
    knownDevices: { find: () => undefined, remember: () => '' },
  });
  const suspended = await newPerson(server());
  await db.query('update users set suspended_at = now() where id = $1', [suspended.userId]);
  const { email: program } = await server().createKey();
  const visitor = { address: '203.0.113.9', userAgent: undefined, sessionToken: undefined };
  for (const email of ['nobody@example.com', program, suspended.email, jane.email]) {
    looks = 0;
    const refused = service.signIn(email, 'not the password', visitor);
    await expect(refused, email).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
      message: 'Wrong email or password.',
    });
    expect(looks, email).toBe(1);
  }
});

it('codes that are unknown, decided or expired cannot be told apart', async () => {
  const start = async () => {
    const headers = { 'x-forwarded-for': jane.address };
    const { body } = await server().call('POST', '/api/v1/auth/device', { body: {}, headers });
    return body['userCode'] as string;
  };
  const person = await newPerson(server());
  const [decided, expired] = [await start(), await start()];
  const decision = { userCode: decided, approve: false };
  await person.call('POST', '/api/v1/auth/device/decision', decision);
  await server().db.query(`update device_codes set expires_at = now() where state = 'pending'`);
  const answers = [];
  for (const userCode of ['BBBB-CCCC', 'no code', decided, expired]) {
    const { status, body } = await person.call('POST', '/api/v1/auth/device/lookup', { userCode });
    answers.push([status, body]);
  }
  for (const answer of answers) expect(answer).toEqual(answers[0]);
});

it('no address that the server gives out follows what a request says', async () => {
  const body = '{}';
  const { body: answer } = await rawRequest(
    server().url,
    `POST /api/v1/auth/device HTTP/1.1\r\nhost: evil.example.com\r\nx-forwarded-host: evil.example.com\r\n` +
      `x-forwarded-proto: https\r\nforwarded: host=evil.example.com\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  expect(answer['verificationUrl']).toBe(`${server().url}/device`);
  expect(JSON.stringify(answer)).not.toContain('evil');
});

it('a device token works in a header, and in no address and no body', async () => {
  const token = await deviceToken(server(), jane);
  for (const path of [`/api/v1/auth/me?token=${token}`, `/api/v1/auth/me?access_token=${token}`]) {
    expectError(await server().call('GET', path), 'UNAUTHORIZED');
  }
  const logout = await server().call('POST', '/api/v1/auth/logout', { body: { token } });
  expectError(logout, 'UNAUTHORIZED');
  expect(server().logs()).not.toContain(token);
  // It needs no proof of an origin, and a cookie that comes along does not count beside it.
  const headers = { authorization: `Bearer ${token}`, cookie: 'millrace_session=x' };
  const other = await openBrowser(server()).call(
    'POST',
    '/v1/teams',
    { name: 'by device' },
    headers,
  );
  expect(other.status).toBe(201);
});

it('the cookie of a single sign-on is sent over https only where there is https', async () => {
  for (const isHttps of [false, true]) {
    const app = fastify();
    const cookie = createFlowCookie(isHttps);
    app.get('/', async (_request, reply) => {
      cookie.set(reply, 'x');
      return {};
    });
    const { headers } = await app.inject('/');
    expect(headers['set-cookie']).toBe(
      isHttps
        ? '__Host-millrace_oidc=x; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=600'
        : 'millrace_oidc=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=600',
    );
    await app.close();
  }
});
