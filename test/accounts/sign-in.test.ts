// Signing in, sessions and what protects them, on two nodes of one service.
import { fastify } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSessionCookie } from '../../src/http/session-cookie.ts';
import { makeLink, makeSetupLink } from '../../src/services/accounts/account-links.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { waitUntil } from '../support/processes.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';
import {
  BELIEVES_TESTS,
  PASSWORD,
  newAddress,
  newPerson,
  openBrowser,
  setUp,
  signIn,
  tokenOf,
} from './people.ts';
import type { Browser } from './people.ts';

const nodes = useNodes(2, { role: 'api', ...BELIEVES_TESTS });
const server = () => nodes()[0]!;
const EMAIL = 'jane@example.com';
const ME = '/api/v1/auth/me';
const LOGIN = '/api/v1/auth/login';
const SESSIONS = '/api/v1/auth/sessions';

let jane: Browser;
let links: string[];

beforeAll(async () => {
  links = [];
  for (const node of nodes()) links.push((await makeSetupLink(node.db, node.url))!.url);
  jane = await setUp(server(), EMAIL);
});

const statusOf = async (browser: Browser) => (await browser.call('GET', ME)).status;

describe('the set-up link', () => {
  it('makes an account that manages the server, and works once', async () => {
    verifies('accounts.setup-link');
    expect((await jane.call('GET', ME)).body).toMatchObject({
      user: { email: EMAIL, isAdmin: true, name: null },
      team: { role: 'owner' },
      credential: { kind: 'session' },
    });
    // Others that were printed meanwhile, by other nodes, are worth nothing either.
    for (const url of links) {
      const body = { token: tokenOf(url), email: 'eve@example.com', password: PASSWORD };
      expectError(
        await openBrowser(server()).call('POST', '/api/v1/auth/setup', body),
        'NOT_FOUND',
      );
    }
    expect(await makeSetupLink(server().db, server().url)).toBeUndefined();
  });
});

describe('a session', () => {
  it('is a cookie that scripts and other sites cannot use, and is stored as a hash', async () => {
    verifies('auth.session-cookie', 'auth.session-cookie.name', 'accounts.session.stored-hashed');
    const answer = await openBrowser(server()).call('POST', LOGIN, {
      email: 'Jane@Example.com',
      password: PASSWORD,
    });
    const set = answer.headers.get('set-cookie')!;
    expect(set).toMatch(
      /^millrace_session=mill_ss_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000(?=, millrace_device=|$)/,
    );
    const token = set.slice('millrace_session='.length, set.indexOf(';'));
    expect(JSON.stringify(answer.body)).not.toContain(token);
    const { rows } = await server().db.query('select sessions::text as row from sessions');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(server().logs()).not.toContain(token);
    const cookie = `other=1; millrace_session=${token}`;
    expect((await server().call('GET', '/api/v1/history', { headers: { cookie } })).status).toBe(
      200,
    );
  });

  it('lives 7 days from its last use and 30 in all, by the clock of the database', async () => {
    verifies('accounts.session.lifetime');
    const ages = [
      "last_used_at = now() - interval '169 hours'",
      "created_at = now() - interval '721 hours'",
    ];
    for (const age of ages) {
      const browser = await newPerson(server());
      const { body } = await browser.call('GET', SESSIONS);
      const { id, expiresAt, createdAt } = (body['items'] as Record<string, string>[])[0]!;
      expect(Date.parse(expiresAt!) - Date.parse(createdAt!)).toBe(7 * 86_400_000);
      await server().db.query(`update sessions set ${age} where id = $1`, [id]);
      // Another node has not seen it yet.
      const elsewhere = openBrowser(nodes()[1]!, browser.cookie);
      expectError(await elsewhere.call('GET', ME), 'UNAUTHORIZED');
    }
  });

  it('gets a new token at every sign-in, and the one that came along ends', async () => {
    const planted = await newPerson(server());
    const browser = openBrowser(server(), planted.cookie);
    await browser.call('POST', LOGIN, { email: planted.email, password: PASSWORD });
    expect(browser.cookie).not.toBe(planted.cookie);
    expect(await statusOf(browser)).toBe(200);
    expect(await statusOf(planted)).toBe(401);
  });

  it('is listed, ended one by one or all at once, and then refused by every node', async () => {
    const one = await newPerson(server());
    const two = await signIn(server(), one.email);
    const elsewhere = openBrowser(nodes()[1]!, two.cookie);
    expect(await statusOf(elsewhere)).toBe(200);
    const { body } = await one.call('GET', SESSIONS);
    const items = body['items'] as { id: string; current: boolean; address: string }[];
    const mine = items.find(({ current }) => current);
    const other = items.find(({ address }) => address === two.address)!;
    expect(mine).toMatchObject({ address: one.address, current: true });
    const ended = await one.call('DELETE', `${SESSIONS}/${other.id}`);
    expect(ended.body).toEqual({ ended: true, id: other.id });
    await waitUntil(async () => (await statusOf(elsewhere)) === 401, 'the other node to refuse');
    expectError(await one.call('DELETE', `${SESSIONS}/${other.id}`), 'NOT_FOUND');
    expect((await one.call('POST', '/api/v1/auth/logout')).body).toEqual({ signedOut: true });
    expect(one.cookie).toBeUndefined();
    const [left, all] = [await signIn(server(), one.email), await signIn(server(), one.email)];
    expect((await all.call('DELETE', SESSIONS)).body).toEqual({ ended: 2 });
    expect(await statusOf(left)).toBe(401);
    expect(await statusOf(jane)).toBe(200);
  });

  it('changes nothing without proof that a page of this server asks for it', async () => {
    verifies('accounts.session.same-origin');
    const { host } = new URL(server().url);
    const refused: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: `http://${host}` },
      { origin: 'https://evil.example.com' },
      { origin: 'null' },
    ];
    for (const headers of refused) {
      const answer = await jane.call('DELETE', '/api/v1/keys/openai', undefined, headers);
      expectError(answer, 'FORBIDDEN');
    }
    const good = [{ 'sec-fetch-site': 'none' }, { origin: `http://${host}` }] as const;
    for (const headers of good) {
      const answer = await jane.call('DELETE', '/api/v1/keys/openai', undefined, { ...headers });
      expect(answer.status).toBe(200);
    }
    expect((await jane.call('GET', '/api/v1/keys', undefined, {})).status).toBe(200);
    const login = { email: EMAIL, password: PASSWORD };
    const cross = { 'sec-fetch-site': 'cross-site' };
    expectError(await openBrowser(server()).call('POST', LOGIN, login, cross), 'FORBIDDEN');
  });

  it('counts for nothing beside an API key, and a key is no person', async () => {
    const { key } = await server().createKey({ email: 'robot@example.com' });
    const headers = { 'x-api-key': key };
    const { body } = await jane.call('GET', ME, undefined, headers);
    expect(body).toMatchObject({
      user: { email: 'robot@example.com' },
      credential: { kind: 'key' },
    });
    expectError(await jane.call('GET', SESSIONS, undefined, headers), 'FORBIDDEN');
    expectError(
      await jane.call('GET', ME, undefined, { 'x-api-key': 'mill_sk_x' }),
      'UNAUTHORIZED',
    );
  });
});

describe('the password', () => {
  it('says nothing about which accounts there are', async () => {
    const robot = await server().createKey();
    const answers = await Promise.all(
      [EMAIL, 'nobody@example.com', robot.email].map((email) =>
        openBrowser(server()).call('POST', LOGIN, { email, password: 'not the right one' }),
      ),
    );
    for (const answer of answers) expect(answer.body).toEqual(answers[0]!.body);
    expectError(answers[0]!, 'UNAUTHORIZED');
  });

  it('can be tried 5 times a minute for an account from an address, on all nodes together', async () => {
    verifies('limits.rate.login');
    /** How many get through before one is refused. */
    async function countTries(make: (attempt: number) => { email: string; address: string }) {
      const startedAt = Date.now();
      for (let attempt = 0; attempt < 150; attempt++) {
        const { email, address } = make(attempt);
        const browser = openBrowser(nodes()[attempt % 2]!);
        browser.address = address;
        const answer = await browser.call('POST', LOGIN, { email, password: 'x' });
        if (answer.status === 401) continue;
        expectError(answer, 'RATE_LIMITED');
        expect(answer.headers.get('ratelimit-limit')).toMatch(/^\d+$/);
        expect(answer.headers.get('ratelimit-remaining')).toBe('0');
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        // One more for every twelve seconds that a slow machine takes.
        return attempt - Math.floor((Date.now() - startedAt) / 12_000);
      }
      return Infinity;
    }
    const email = 'guessed@example.com';
    const address = newAddress();
    // However the address of the account is written.
    const spellings = [email, 'GUESSED@example.com', 'Guessed@EXAMPLE.com', 'gUESSED@Example.com'];
    const one = (n: number) => ({ email: spellings[n % spellings.length]!, address });
    expect(await countTries(one)).toBeLessThanOrEqual(5);
    // One network of IPv6 counts as one address.
    const six = (n: number) => ({ email: 'six@example.com', address: `2001:db8:1:2::${n}` });
    expect(await countTries(six)).toBeLessThanOrEqual(5);
    // An office behind one address signs in to its own accounts.
    const names = (n: number) => ({ email: `office${n % 30}@example.com`, address: '203.0.200.1' });
    expect(await countTries(names)).toBeGreaterThan(20);
    // Of one account over all addresses, in an hour.
    await server().db.query(
      `insert into rate_limits (bucket, arrival_at)
       values ('sign-in of everywhere@example.com', now() + interval '3500 seconds')`,
    );
    const everywhere = 'Everywhere@example.com';
    const tries = await countTries(() => ({ email: everywhere, address: newAddress() }));
    expect(tries).toBeLessThanOrEqual(3);
  });

  it('guesses from elsewhere do not lock out a device that has signed in before', async () => {
    verifies('limits.rate.known-device');
    const jane = await newPerson(server());
    const login = { email: jane.email, password: PASSWORD };
    const home = openBrowser(server());
    expect((await home.call('POST', LOGIN, login)).status).toBe(200);
    expect(home.device).toMatch(/^millrace_device=[\w-]{22}\.[\w-]{43}$/);
    const fill = (email: string) =>
      server().db.query(
        `insert into rate_limits (bucket, arrival_at) values ($1, now() + interval '1 hour')
         on conflict (bucket) do update set arrival_at = excluded.arrival_at`,
        [`sign-in of ${email}`],
      );
    await fill(jane.email);
    expectError(await openBrowser(server()).call('POST', LOGIN, login), 'RATE_LIMITED');
    const sameSite = { 'sec-fetch-site': 'same-origin' };
    const withDevice = (email: string, device: string, password = PASSWORD) =>
      openBrowser(server()).call(
        'POST',
        LOGIN,
        { email, password },
        { ...sameSite, cookie: device },
      );
    expect((await withDevice(jane.email.toUpperCase(), home.device!)).status).toBe(200);
    // It is a proof for this account alone, and a made-up one is none.
    const eve = await newPerson(server());
    await fill(eve.email);
    expectError(await withDevice(eve.email, home.device!), 'RATE_LIMITED');
    const forged = `${home.device!.slice(0, -43)}${'A'.repeat(43)}`;
    expectError(await withDevice(jane.email, forged), 'RATE_LIMITED');
    // Guesses on it are counted as well.
    const statuses: number[] = [];
    for (let n = 0; n < 30 && statuses.at(-1) !== 429; n++) {
      statuses.push((await withDevice(jane.email, home.device!, 'wrong')).status);
    }
    expect(statuses.at(-1)).toBe(429);
  });

  it('once changed, no link of before sets another', async () => {
    const jane = await newPerson(server());
    const { db } = server();
    const makeLinkOf = (kind: 'reset' | 'sign-in') =>
      db.tx((tx) => makeLink(tx, server().url, { kind, userId: jane.userId, createdBy: null }));
    const [reset, enter] = [await makeLinkOf('reset'), await makeLinkOf('sign-in')];
    const change = { currentPassword: PASSWORD, newPassword: 'another long one 77' };
    expect((await jane.call('POST', '/api/v1/auth/password', change)).status).toBe(200);
    const password = 'words of a thief with a link';
    for (const [path, { url }] of [
      ['/api/v1/auth/password-reset', reset],
      ['/api/v1/auth/sign-in-link', enter],
    ] as const) {
      const body = { token: tokenOf(url), password };
      expectError(await openBrowser(server()).call('POST', path, body), 'NOT_FOUND');
    }
  });

  it('is changed by whoever knows it, and every other session ends', async () => {
    const browser = await newPerson(server());
    const other = await signIn(server(), browser.email);
    const before = browser.cookie;
    const change = (currentPassword: string, newPassword: string) =>
      browser.call('POST', '/api/v1/auth/password', { currentPassword, newPassword });
    expectInvalid(await change('wrong', 'another long one 77'), 'currentPassword');
    expectInvalid(await change(PASSWORD, 'password1234'), 'newPassword');
    expect((await change(PASSWORD, 'another long one 77')).status).toBe(200);
    expect(browser.cookie).not.toBe(before);
    expect(await statusOf(browser)).toBe(200);
    expect(await statusOf(other)).toBe(401);
    expect(await statusOf(openBrowser(server(), before))).toBe(401);
    const again = { email: browser.email, password: 'another long one 77' };
    expect((await openBrowser(server()).call('POST', LOGIN, again)).status).toBe(200);
  });
});

it('the page of links runs its own script only, and keeps the token out of addresses', async () => {
  const response = await fetch(`${server().url}/welcome`);
  const page = await response.text();
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(page).not.toMatch(/(?:src|href)="(?!data:|\/(?!\/))/);
  expect(links[0]).toMatch(/\/welcome#mill_ln_[\w-]{43}$/);
});

it('the cookie has the prefix that binds it to its host where people come by https', async () => {
  verifies('auth.session-cookie.name');
  const cookie = createSessionCookie(true);
  const app = fastify();
  app.get('/', async (request, reply) => {
    cookie.set(reply, 'new');
    return { read: cookie.read(request) ?? null };
  });
  const headers = { cookie: 'millrace_session=planted; __Host-millrace_session=a=b' };
  const answer = await app.inject({ url: '/', headers });
  expect(answer.json()).toEqual({ read: 'a=b' });
  expect(answer.headers['set-cookie']).toBe(
    '__Host-millrace_session=new; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=2592000',
  );
});
