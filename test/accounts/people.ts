// People at a browser: each keeps a cookie, comes from an address of their own and sends what browsers do.
import { OPERATOR } from '../../src/domain/access/actor.ts';
import { createPasswordHasher } from '../../src/platform/password-hash.ts';
import { makeSetupLink } from '../../src/services/accounts/account-links.ts';
import { addAccount } from '../../src/services/accounts/add-account.ts';
import { openSession } from '../../src/services/accounts/sign-in.ts';
import { insertMember } from '../../src/store/accounts/members.ts';
import type { Role } from '../../src/contract/permissions.ts';
import type { Answer, TestServer } from '../support/server.ts';

/** The server believes what tests say about where they come from. */
export const BELIEVES_TESTS = { trustedProxies: ['127.0.0.1'] };

export const PASSWORD = 'tulpe wagen regen 42';

let addresses = 0;

/** One that nobody has used yet: attempts are counted by address. */
export function newAddress(): string {
  addresses += 1;
  return `203.0.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
}

export interface Browser {
  /** What it would send as the Cookie header; of its session alone. */
  cookie: string | undefined;
  /** What it keeps after a sign-in, sent along when a test says so. */
  device: string | undefined;
  address: string;
  /** As a page of the server calls it, unless other headers are given. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

export function openBrowser(server: TestServer, cookie?: string): Browser {
  const browser: Browser = {
    cookie,
    device: undefined,
    address: newAddress(),
    async call(method, path, body, headers = { 'sec-fetch-site': 'same-origin' }) {
      const answer = await server.call(method, path, {
        ...(body === undefined ? {} : { body }),
        headers: {
          'x-forwarded-for': browser.address,
          ...(browser.cookie === undefined ? {} : { cookie: browser.cookie }),
          ...headers,
        },
      });
      const set = answer.headers.get('set-cookie');
      if (set !== null) browser.cookie = set.includes('Max-Age=0') ? undefined : set.split(';')[0]!;
      browser.device = /[\w-]*millrace_device=[^;]+/.exec(set ?? '')?.[0] ?? browser.device;
      return answer;
    },
  };
  return browser;
}

export const tokenOf = (url: string) => new URL(url).hash.slice(1);

/** The first account of a server, signed in. */
export async function setUp(server: TestServer, email: string): Promise<Browser> {
  const link = await makeSetupLink(server.db, server.url);
  const browser = openBrowser(server);
  const body = { token: tokenOf(link!.url), email, password: PASSWORD };
  const answer = await browser.call('POST', '/api/v1/auth/setup', body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return browser;
}

let people = 0;
let passwordHash: Promise<string> | undefined;

export interface Person extends Browser {
  email: string;
  userId: string;
  /** Their personal one. */
  teamId: string;
}

/** Somebody with an account, signed in; the hash of their password is made once for all. */
export async function newPerson(server: TestServer): Promise<Person> {
  const email = `person${++people}@example.com`;
  passwordHash ??= createPasswordHasher().hash(PASSWORD);
  const account = {
    email,
    name: null,
    passwordHash: await passwordHash,
    tier: 'enterprise',
    emailVerified: true,
  } as const;
  const browser = openBrowser(server);
  const userId = await server.db.tx(async (tx) => {
    const user = await addAccount(tx, account, OPERATOR);
    const visitor = { address: browser.address, userAgent: undefined, sessionToken: undefined };
    const { token } = await openSession(tx, user, visitor);
    browser.cookie = `millrace_session=${token}`;
    return user.id;
  });
  return Object.assign(browser, { email, userId, teamId: await server.teamId(email) });
}

export async function signIn(server: TestServer, email: string): Promise<Browser> {
  const browser = openBrowser(server);
  const answer = await browser.call('POST', '/api/v1/auth/login', { email, password: PASSWORD });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return browser;
}

/** The token of a command line that this person has let in. */
export async function deviceToken(server: TestServer, person: Browser): Promise<string> {
  const headers = { 'x-forwarded-for': person.address };
  const call = (path: string, body: unknown) =>
    server.call('POST', `/api/v1/auth/device${path}`, { body, headers });
  const { deviceCode, userCode } = (await call('', { clientName: 'a test' })).body;
  await person.call('POST', '/api/v1/auth/device/decision', { userCode, approve: true });
  const { status, body } = await call('/token', { deviceCode });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body['token'] as string;
}

/** Without the detour of an invitation. */
export async function joinTeam(
  server: TestServer,
  member: { teamId: string; userId: string; role: Role },
): Promise<void> {
  await server.db.tx((tx) => insertMember(tx, member));
}
