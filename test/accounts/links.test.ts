// Links that work once, and the commands for whoever sits at the server's machine.
import { expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { expectError, expectInvalid } from '../support/expect-error.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { BELIEVES_TESTS, PASSWORD, newPerson, openBrowser, setUp, tokenOf } from './people.ts';

const server = useServer({ role: 'api', ...BELIEVES_TESTS });
const RESETS = '/api/v1/admin/password-resets';
const RESET = '/api/v1/auth/password-reset';
const SIGN_IN = '/api/v1/auth/sign-in-link';

it('whoever manages the server makes a link, and its owner sets a new password once', async () => {
  const admin = await setUp(server(), 'admin@example.com');
  const jane = await newPerson(server());
  expectError(await jane.call('POST', RESETS, { email: jane.email }), 'FORBIDDEN');
  expectError(await admin.call('POST', RESETS, { email: 'nobody@example.com' }), 'NOT_FOUND');
  const made = await admin.call('POST', RESETS, { email: jane.email });
  expect(made.status).toBe(201);
  const url = made.body['url'] as string;
  expect(url.startsWith(`${server().url}/welcome#mill_ln_`)).toBe(true);
  const token = tokenOf(url);

  const browser = openBrowser(server());
  const link = await browser.call('POST', '/api/v1/auth/link', { token });
  expect(link.body).toMatchObject({ kind: 'reset', email: jane.email, hasAccount: true });
  // A link is for what it was made for, and a bad password does not use it up.
  const signUp = await browser.call('POST', '/api/v1/auth/sign-up', { token, password: PASSWORD });
  expectError(signUp, 'NOT_FOUND');
  for (let tries = 0; tries < 6; tries++) {
    // Nor does it count as an attempt to get in.
    expectInvalid(await browser.call('POST', RESET, { token, password: 'short' }), 'password');
  }
  const password = 'new and unrelated words';
  expect((await browser.call('POST', RESET, { token, password })).status).toBe(200);
  expect((await browser.call('GET', '/api/v1/auth/me')).body).toMatchObject({
    user: { email: jane.email },
  });
  expectError(await jane.call('GET', '/api/v1/auth/me'), 'UNAUTHORIZED');
  expectError(await openBrowser(server()).call('POST', RESET, { token, password }), 'NOT_FOUND');
  expect(server().logs()).not.toContain(token);
});

it('links that are none can be tried 5 times a minute from an address', async () => {
  const browser = openBrowser(server());
  const statuses: number[] = [];
  for (let tries = 0; tries < 50 && statuses.at(-1) !== 429; tries++) {
    const { status } = await browser.call('POST', '/api/v1/auth/link', {
      token: 'mill_ln_guessed',
    });
    statuses.push(status);
  }
  expect(statuses.slice(0, 5)).toEqual([404, 404, 404, 404, 404]);
  expect(statuses.at(-1)).toBe(429);
});

it('a link runs out by the clock of the database, and its address is not what a caller says', async () => {
  const admin = await newPerson(server());
  await server().db.query('update users set is_admin = true where id = $1', [admin.userId]);
  const headers = { 'sec-fetch-site': 'same-origin', 'x-forwarded-host': 'evil.example.com' };
  const { body } = await admin.call('POST', RESETS, { email: admin.email }, headers);
  expect(body['url']).toMatch(server().url);
  await server().db.query(`update account_links set expires_at = now() - interval '1 s'`);
  const token = tokenOf(body['url'] as string);
  const used = await openBrowser(server()).call('POST', RESET, { token, password: PASSWORD });
  expectError(used, 'NOT_FOUND');
});

it('of two who use a link at the same time, one gets in', async () => {
  const jane = await newPerson(server());
  await server().db.query('update users set is_admin = true where id = $1', [jane.userId]);
  const { body } = await jane.call('POST', RESETS, { email: jane.email });
  const token = tokenOf(body['url'] as string);
  const answers = await Promise.all(
    ['first of these words', 'second of these words'].map((password) =>
      openBrowser(server()).call('POST', RESET, { token, password }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
});

it('on the machine of the server, a command makes an account and a link', async () => {
  const env = {
    DATABASE_URL: server().databaseUrl,
    MILLRACE_PUBLIC_URL: 'https://mill.example.com',
  };
  const email = 'operator@example.com';
  const create = ['admin', 'create', '--email', email, '--name', 'Operator', '--json'];
  const made = await runCli(create, env, `${PASSWORD}\n`);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(made.stdout)).toMatchObject({ email, name: 'Operator', isAdmin: true });
  const login = { email, password: PASSWORD };
  expect((await openBrowser(server()).call('POST', '/api/v1/auth/login', login)).status).toBe(200);

  const reset = await runHere(['admin', 'reset-password', '--email', email], env);
  expect(reset).toMatchObject({ code: 0 });
  expect(reset.stdout).toMatch(/^https:\/\/mill\.example\.com\/welcome#mill_ln_[\w-]{43}\n$/);
  expect(reset.stderr).toContain(email);
  const token = tokenOf(reset.stdout.trim());
  const link = await openBrowser(server()).call('POST', '/api/v1/auth/link', { token });
  expect(link.body).toMatchObject({ kind: 'reset', email });
});

it('on the machine of the server, a command prints a link that signs an account in, once', async () => {
  const env = {
    DATABASE_URL: server().databaseUrl,
    MILLRACE_PUBLIC_URL: 'https://mill.example.com',
  };
  const jane = await newPerson(server());
  const make = async () => {
    const made = await runHere(['admin', 'sign-in-link', '--email', jane.email, '--json'], env);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(made.stdout) as { url: string; expiresAt: string };
  };
  const { url, expiresAt } = await make();
  expect(url).toMatch(/^https:\/\/mill\.example\.com\/welcome#mill_ln_[\w-]{43}$/);
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);
  const token = tokenOf(url);
  const browser = openBrowser(server());
  const link = await browser.call('POST', '/api/v1/auth/link', { token });
  expect(link.body).toMatchObject({ kind: 'sign-in', email: jane.email });
  // It is for nothing else.
  expectError(await browser.call('POST', RESET, { token, password: PASSWORD }), 'NOT_FOUND');
  expect((await browser.call('POST', SIGN_IN, { token })).status).toBe(200);
  expect((await browser.call('GET', '/api/v1/auth/me')).body).toMatchObject({
    user: { email: jane.email },
  });
  expectError(await openBrowser(server()).call('POST', SIGN_IN, { token }), 'NOT_FOUND');
  const { rows } = await server().db.query<{ action: string }>(
    'select action from audit_events where user_id = $1 or target = $1 order by at, id',
    [jane.userId],
  );
  expect(rows.map(({ action }) => action).slice(-2)).toEqual(['link.created', 'session.created']);

  const late = tokenOf((await make()).url);
  await server().db.query(`update users set suspended_at = now() where id = $1`, [jane.userId]);
  const suspended = await openBrowser(server()).call('POST', SIGN_IN, { token: late });
  expectError(suspended, 'ACCOUNT_SUSPENDED');
  const refused = await runHere(['admin', 'sign-in-link', '--email', jane.email], env);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  const unknown = ['admin', 'sign-in-link', '--email', 'nobody@example.com'];
  expect((await runHere(unknown, env)).stderr).toContain('There is no account');
});
