// Single sign-on with a real provider on loopback.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { ownPath } from '../../src/domain/accounts/return-path.ts';
import { packFlow, unpackFlow } from '../../src/services/accounts/oidc-flow.ts';
import { passProvider, startProvider } from '../support/oidc-provider.ts';
import type { Person as ProviderPerson, TestProvider } from '../support/oidc-provider.ts';
import { expectError } from '../support/expect-error.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { BELIEVES_TESTS, PASSWORD, newAddress, newPerson, openBrowser, tokenOf } from './people.ts';
import type { Browser } from './people.ts';

const ME = '/api/v1/auth/me';
const START = '/api/v1/auth/oidc/start';
const CALLBACK = '/api/v1/auth/oidc/callback';

let server: TestServer;
let trusting: TestServer;
let provider: TestProvider;

beforeAll(async () => {
  provider = await startProvider();
  const { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret } = provider;
  const shared: Partial<Config> = {
    role: 'api',
    ...BELIEVES_TESTS,
    oidcIssuer,
    oidcClientId,
    oidcClientSecret,
    oidcAllowedDomains: ['corp.example.com'],
  };
  server = await startTestServer(shared);
  provider.open(server.url + CALLBACK);
  // The same database, and an operator who trusts the provider about addresses.
  const same = { ...shared, publicUrl: server.url, oidcLinkByEmail: true };
  trusting = await startTestServer(same, server.databaseUrl);
});
afterAll(async () => {
  await trusting.close();
  await server.close();
  await provider.close();
});

/** A browser without a page: it keeps cookies and follows nothing by itself. */
class Visitor {
  readonly cookies = new Map<string, string>();
  readonly node: TestServer;
  readonly address = newAddress();

  constructor(node = server, cookie?: string) {
    this.node = node;
    const [name, value] = cookie?.split('=') ?? [];
    if (name !== undefined && value !== undefined) this.cookies.set(name, value);
  }

  async go(path: string): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      cookie,
      'x-forwarded-for': this.address,
      'x-forwarded-host': 'evil.example.com',
    };
    const response = await fetch(this.node.url + path, { redirect: 'manual', headers });
    this.keep(response.headers);
    return response;
  }

  keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }

  /** Starts, and returns the path that the provider sends the browser back to. */
  async start(query = ''): Promise<string> {
    const response = await this.go(START + query);
    expect(response.status).toBe(303);
    return this.pass(response.headers.get('location')!);
  }

  async pass(url: string): Promise<string> {
    const back = new URL(await passProvider(url, provider.issuer));
    expect(back.origin + back.pathname).toBe(server.url + CALLBACK);
    return back.pathname + back.search;
  }

  /** Where the browser ends up. */
  async signIn(person: ProviderPerson | undefined, query = ''): Promise<string> {
    provider.person = person;
    const ended = await this.go(await this.start(query));
    expect(ended.status).toBe(303);
    return ended.headers.get('location')!;
  }

  get browser(): Browser {
    const token = this.cookies.get('millrace_session');
    return openBrowser(this.node, token === undefined ? undefined : `millrace_session=${token}`);
  }
}

let subs = 0;
function known(email: string, more: Partial<ProviderPerson> = {}): ProviderPerson {
  return { sub: `sub-${++subs}`, email, email_verified: true, ...more };
}

async function emailOf(visitor: Visitor): Promise<unknown> {
  const { body } = await visitor.browser.call('GET', ME);
  return (body['user'] as { email: string } | undefined)?.email;
}

describe('single sign-on', () => {
  it('makes no account on a server that has none: the first one comes by the set-up link', async () => {
    expect(await new Visitor().signIn(known('first@corp.example.com'))).toBe(
      '/login?problem=not-set-up',
    );
  });

  it('makes an account for the allowed domains, and knows it again when the address has changed', async () => {
    await newPerson(server);
    const person = known('Ann@corp.example.com', { name: 'Ann Example' });
    const visitor = new Visitor();
    expect(await visitor.signIn(person, '?return=/device')).toBe('/device');
    expect((await visitor.browser.call('GET', ME)).body).toMatchObject({
      user: { email: 'Ann@corp.example.com', name: 'Ann Example', isAdmin: false },
      team: { role: 'owner' },
      credential: { kind: 'session' },
    });
    expect(visitor.cookies.has('millrace_oidc')).toBe(false);
    const again = new Visitor();
    await again.signIn({ ...person, email: 'other@elsewhere.example.com' });
    expect(await emailOf(again)).toBe('Ann@corp.example.com');
    const { rows } = await server.db.query<{ action: string }>(
      `select a.action from audit_events a join users u on u.id = a.user_id
       where u.email = 'Ann@corp.example.com' order by a.id`,
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'account.created',
      'account.linked',
      'session.created',
      'session.created',
    ]);
  });

  it.each<[string, Partial<ProviderPerson>, string]>([
    ['bob@other.example.com', {}, 'no-account'],
    ['bob@corp.example.com.evil.example.com', {}, 'no-account'],
    ['bob@sub.corp.example.com', {}, 'no-account'],
    ['bob@corp.example.com', { email_verified: false }, 'email-unverified'],
    ['bob@corp.example.com', { email_verified: 'true' }, 'email-unverified'],
    ['bob@corp.example.com', { email_verified: undefined }, 'email-unverified'],
    ['bob corp.example.com', {}, 'email-unverified'],
  ])('lets %s with %j in by no account: %s', async (email, more, problem) => {
    const visitor = new Visitor();
    expect(await visitor.signIn(known(email, more))).toBe(`/login?problem=${problem}`);
    expect(visitor.cookies.has('millrace_session')).toBe(false);
  });

  it.each([
    ['a NUL', 'sub\0ject'],
    ['no end', 'x'.repeat(300)],
  ])('refuses an identity whose subject has %s', async (_what, sub) => {
    const visitor = new Visitor();
    const person = known('odd@corp.example.com', { sub });
    expect(await visitor.signIn(person)).toBe('/login?problem=expired');
    expect(visitor.cookies.has('millrace_session')).toBe(false);
  });

  it('takes over no account by its address, unless the operator trusts the provider', async () => {
    const jane = await newPerson(server);
    const thief = known(jane.email);
    expect(await new Visitor().signIn(thief)).toBe('/login?problem=account-exists&sso');
    const visitor = new Visitor(trusting);
    expect(await visitor.signIn(thief)).toBe('/login?signed-in');
    expect(await emailOf(visitor)).toBe(jane.email);
  });

  it('takes no address for another that only looks like it in lower case', async () => {
    await server.db.query(`insert into users (id, email) values ('user_root', 'root@mill.test')`);
    for (const email of ['root@m\u0130ll.test', 'roo\u200bt@mill.test', 'root@m\u0456ll.test']) {
      const visitor = new Visitor(trusting);
      expect(await visitor.signIn(known(email)), email).toMatch(/^\/login\?problem=/);
      expect(visitor.cookies.has('millrace_session'), email).toBe(false);
    }
  });

  it('ends what gave access to an account before its address was proven, and says so', async () => {
    const jane = await newPerson(server);
    const { db } = server;
    await db.query('update users set email_verified_at = null where id = $1', [jane.userId]);
    const key = (await jane.call('POST', '/api/v1/api-keys', { name: 'x' })).body['key'] as string;
    const before = openBrowser(server, jane.cookie);
    const person = known(jane.email.toUpperCase());
    // Where the provider is not trusted about addresses, nothing of the account changes.
    expect(await new Visitor().signIn(person)).toBe('/login?problem=account-exists&sso');
    expect((await before.call('GET', ME)).body).toMatchObject({ user: { emailVerified: false } });
    const visitor = new Visitor(trusting);
    expect(await visitor.signIn(person, '?return=/device')).toBe(
      '/login?signed-in&notice=address-verified&return=%2Fdevice',
    );
    expect((await visitor.browser.call('GET', ME)).body).toMatchObject({
      user: { email: jane.email, emailVerified: true },
    });
    expectError(await before.call('GET', ME), 'UNAUTHORIZED');
    expectError(await server.call('GET', ME, { key }), 'UNAUTHORIZED');
    const login = { email: jane.email, password: PASSWORD };
    expectError(
      await openBrowser(server).call('POST', '/api/v1/auth/login', login),
      'UNAUTHORIZED',
    );
    const { rows } = await db.query<{ after: unknown }>(
      `select after from audit_events where target = $1 and action = 'account.address_verified'`,
      [jane.userId],
    );
    expect(rows).toEqual([
      { after: { ended: { password: true, sessions: 1, apiKeys: 1, identities: 0 } } },
    ]);
    // From now on it is theirs: another identity with the address ends nothing.
    const again = new Visitor(trusting);
    expect(await again.signIn(known(jane.email))).toBe('/login?signed-in');
    expect((await visitor.browser.call('GET', ME)).status).toBe(200);
  });

  it('is connected by whoever is signed in, from a page of this server', async () => {
    const jane = await newPerson(server);
    const person = known('jane@private.example.com');
    provider.person = person;
    const body = { connect: true, return: '/device' };
    expectError(await openBrowser(server).call('POST', START, body), 'UNAUTHORIZED');
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site' }]) {
      expectError(await jane.call('POST', START, body, headers), 'FORBIDDEN');
    }
    const session = jane.cookie!;
    const { body: started, headers } = await jane.call('POST', START, body);
    const visitor = new Visitor(server, session);
    visitor.keep(headers);
    const back = await visitor.pass(started['url'] as string);
    // Somebody else's browser gets nothing by it, nor does the same one signed in as another.
    const other = new Visitor(server, (await newPerson(server)).cookie);
    other.cookies.set('millrace_oidc', visitor.cookies.get('millrace_oidc')!);
    expect((await other.go(back)).headers.get('location')).toBe('/login?problem=expired');
    expect((await visitor.go(back)).headers.get('location')).toBe('/device');
    const later = new Visitor();
    await later.signIn(person);
    expect(await emailOf(later)).toBe(jane.email);
  });

  it('joins the team of an invitation, which must be for the same address', async () => {
    const owner = await newPerson(server);
    const team = (await owner.call('POST', '/v1/teams', { name: 'joined' })).body['id'] as string;
    const invited = await owner.call('POST', `/v1/teams/${team}/members`, {
      email: 'guest@example.net',
      role: 'viewer',
    });
    const invitation = tokenOf((invited.body['invitation'] as { url: string }).url);
    async function comeWith(person: ProviderPerson): Promise<[Visitor, string]> {
      provider.person = person;
      const { body, headers } = await openBrowser(server).call('POST', START, { invitation });
      const visitor = new Visitor();
      visitor.keep(headers);
      const ended = await visitor.go(await visitor.pass(body['url'] as string));
      return [visitor, ended.headers.get('location')!];
    }
    const [, refused] = await comeWith(known('guest2@example.net'));
    expect(refused).toBe('/login?problem=invitation-for-another');
    const guest = known('Guest@example.net');
    const [visitor] = await comeWith(guest);
    const { body } = await visitor.browser.call('GET', '/v1/teams');
    expect(body['items']).toContainEqual(expect.objectContaining({ id: team, role: 'viewer' }));
    expect((await comeWith(guest))[1]).toBe('/login?problem=invitation-expired');
    expect(server.logs()).not.toContain(invitation);
  });

  it('refuses who is suspended, who cancels, and answers that no browser here has asked for', async () => {
    const person = known('sue@corp.example.com');
    const visitor = new Visitor();
    await visitor.signIn(person);
    const planted = visitor.cookies.get('millrace_session');
    // A new token each time, and the one that came along ends.
    await visitor.signIn(person);
    expect(visitor.cookies.get('millrace_session')).not.toBe(planted);
    const old = await openBrowser(server, `millrace_session=${planted}`).call('GET', ME);
    expectError(old, 'UNAUTHORIZED');

    const back = await visitor.start();
    const victim = new Visitor();
    expect((await victim.go(back)).headers.get('location')).toBe('/login?problem=expired');
    await victim.start();
    expect((await victim.go(back)).headers.get('location')).toBe('/login?problem=expired');
    expect(victim.cookies.has('millrace_session')).toBe(false);
    victim.cookies.set('millrace_oidc', 'x'.repeat(4000));
    expect((await victim.go(back)).headers.get('location')).toBe('/login?problem=expired');

    expect(await new Visitor().signIn(undefined)).toBe('/login?problem=cancelled');
    await server.db.query(`update users set suspended_at = now() where email = $1`, [person.email]);
    expect(await new Visitor().signIn(person)).toBe('/login?problem=suspended');
  });

  it('returns to pages of its own only', async () => {
    const hostile = [
      'https://evil.example.com/',
      '//evil.example.com',
      '/\\evil.example.com',
      '/\t/evil.example.com',
      '\\\\evil.example.com',
      'javascript:alert(1)',
      '/..//evil.example.com',
      '/.//evil.example.com',
      '/api/v1/auth/oidc/start',
      '@evil.example.com',
      '',
    ];
    for (const path of hostile) expect(ownPath(path), path).toBeUndefined();
    expect(ownPath('/%0d%0aLocation:%20x')).toBe('/%0d%0aLocation:%20x');
    expect(ownPath('/device?x=1')).toBe('/device?x=1');
    const visitor = new Visitor();
    const query = `?return=${encodeURIComponent('//evil.example.com')}`;
    expect(await visitor.signIn(known('pat@corp.example.com'), query)).toBe('/login?signed-in');
    // Nor by a cookie that somebody has changed.
    const back = await visitor.start();
    const flow = unpackFlow(visitor.cookies.get('millrace_oidc'))!;
    const bent = packFlow({ ...flow, returnTo: '//evil.example.com' });
    visitor.cookies.set('millrace_oidc', bent);
    expect((await visitor.go(back)).headers.get('location')).toBe('/login?signed-in');
  });

  it('keeps its codes and secrets out of the log, and flags its cookie', async () => {
    const visitor = new Visitor();
    const response = await visitor.go(START);
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^millrace_oidc=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    const back = await visitor.pass(response.headers.get('location')!);
    await visitor.go(back);
    const query = new URLSearchParams(back.split('?')[1]);
    for (const secret of [query.get('code')!, query.get('state')!, provider.clientSecret]) {
      expect(server.logs()).not.toContain(secret);
    }
  });

  it('says so when the provider is down, and works when it is back', async () => {
    const late = await startProvider();
    const { issuer: oidcIssuer, clientId: oidcClientId } = late;
    const settings: Partial<Config> = { role: 'api', oidcIssuer, oidcClientId };
    const waiting = await startTestServer(settings, server.databaseUrl);
    const visitor = new Visitor(waiting);
    const start = async () => (await visitor.go(START)).headers.get('location');
    for (let tries = 0; tries < 2; tries++)
      expect(await start()).toBe('/login?problem=unavailable');
    expectError(await openBrowser(waiting).call('POST', START, {}), 'SERVICE_UNAVAILABLE');
    late.open(waiting.url + CALLBACK);
    expect(await start()).toContain(`${late.issuer}/auth?`);
    await waiting.close();
    await late.close();
  });
});
