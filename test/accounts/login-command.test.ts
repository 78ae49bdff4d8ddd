// millrace login, logout and whoami, against a server, with a browser that only notes what it should open.
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { browserOf } from '../../src/cli/commands/account/open-browser.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';
import { newPerson } from './people.ts';
import type { Person } from './people.ts';

// Everybody comes from the same address here, as they do on one's own machine.
const server = useServer({ role: 'api', trustedProxies: ['127.0.0.1'] });
let folder: string;
let jane: Person;
let env: Record<string, string>;
let opened: string;
let places = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'login-'));
  await writeFile(
    join(folder, 'browser'),
    '#!/bin/sh\necho "$2" > "$1.part" && mv "$1.part" "$1"\n',
    {
      mode: 0o755,
    },
  );
  jane = await newPerson(server());
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  places += 1;
  opened = join(folder, `opened-${places}`);
  env = {
    XDG_CONFIG_HOME: join(folder, `config-${places}`),
    BROWSER: `${join(folder, 'browser')} ${opened}`,
  };
});

const credentials = () => join(env['XDG_CONFIG_HOME']!, 'millrace', 'credentials.json');
const stored = async () => JSON.parse(await readFile(credentials(), 'utf8')) as Stored;
interface Stored {
  servers?: Record<string, { token: string; email: string }>;
  currentServer?: string;
}

async function decide(approve: boolean): Promise<void> {
  let page = '';
  await waitUntil(async () => {
    page = await readFile(opened, 'utf8').catch(() => '');
    return page !== '';
  }, 'the browser to be opened');
  await rm(opened);
  const { origin, pathname, hash } = new URL(page.trim());
  expect(origin + pathname).toBe(`${server().url}/device`);
  const body = { userCode: hash.slice(1), approve };
  const decided = await jane.call('POST', '/api/v1/auth/device/decision', body);
  expect(decided.status).toBe(200);
}

async function login(...flags: string[]) {
  const running = runHere(['login', '--url', server().url, ...flags], env);
  await decide(true);
  return running;
}

const millrace = (args: readonly string[], more: Record<string, string> = {}) =>
  runHere(args, { ...env, ...more });

it('signs in, is who signed in from then on, and signs out', async () => {
  const { code, stdout, stderr } = await login();
  expect(code, stderr).toBe(EXIT.ok);
  expect(stderr).toMatch(/Your code: [A-Z]{4}-[A-Z]{4}\n/);
  expect(stdout).toContain(jane.email);
  const { servers = {}, currentServer } = await stored();
  expect(currentServer).toBe(server().url);
  const { token, email } = servers[server().url]!;
  expect(email).toBe(jane.email);
  expect(stdout + stderr).not.toContain(token);
  expect((await stat(credentials())).mode & 0o777).toBe(0o600);
  expect((await stat(join(credentials(), '..'))).mode & 0o777).toBe(0o700);

  const who = await millrace(['whoami', '--json']);
  expect(JSON.parse(who.stdout)).toMatchObject({
    server: server().url,
    user: { email: jane.email },
    team: { id: jane.teamId, role: 'owner', tier: 'enterprise' },
    credential: { kind: 'device' },
  });
  // However the address is written; a key that is given counts more.
  expect((await millrace(['history', '--url', `${server().url}/`])).code).toBe(EXIT.ok);
  const { key } = await server().createKey({ email: 'other@example.com' });
  const byKey = await millrace(['whoami', '--url', server().url], { MILLRACE_API_KEY: key });
  expect(byKey.stdout).toMatch(/other@example\.com[^]*API key \(MILLRACE_API_KEY\)/);

  // Signing in again ends what was there before.
  await login('--quiet');
  expect((await stored()).servers![server().url]!.token).not.toBe(token);
  const headers = { authorization: `Bearer ${token}` };
  expect((await server().call('GET', '/api/v1/auth/me', { headers })).status).toBe(401);

  const last = (await stored()).servers![server().url]!.token;
  const out = await millrace(['logout', '--json'], { MILLRACE_API_KEY: key });
  expect(JSON.parse(out.stdout)).toEqual({
    signedOut: true,
    server: server().url,
    endedOnServer: true,
  });
  expect(await stored()).toEqual({});
  const ended = await server().call('GET', '/api/v1/auth/me', {
    headers: { authorization: `Bearer ${last}` },
  });
  expect(ended.status).toBe(401);
  const after = await millrace(['whoami', '--url', server().url]);
  expect(after.code).toBe(EXIT.usage);
  expect(after.stderr).toContain(`millrace --url ${server().url} login`);
  expect((await millrace(['logout'])).stderr).toContain('You are not signed in');
});

it('says so when the sign-in has expired, was denied, or cannot be ended', async () => {
  await login();
  const { token } = (await stored()).servers![server().url]!;
  await server().call('POST', '/api/v1/auth/logout', { key: token });
  const expired = await millrace(['history']);
  expect(expired.code).toBe(EXIT.notAuthorised);
  expect(expired.stderr).toMatch(/^Error: Your sign-in has expired\. Run `\S*millrace login`\.\n$/);

  const running = millrace(['login', '--url', server().url, '--json']);
  await decide(false);
  const denied = await running;
  expect(denied.code).toBe(EXIT.notAuthorised);
  expect(JSON.parse(denied.stdout)).toMatchObject({
    error: { code: 'SIGN_IN_REFUSED', message: 'The sign-in was denied.' },
  });

  const away = 'http://127.0.0.1:1';
  const text = JSON.stringify({ servers: { [away]: { token, email: jane.email } } });
  await writeFile(credentials(), text, { mode: 0o600 });
  const out = await millrace(['logout', '--url', away]);
  expect(out.code).toBe(EXIT.ok);
  expect(out.stderr).toContain(`Could not reach ${away}. Your sign-in was removed here`);
  expect(await stored()).toEqual({});
});

it('keeps what else is in the file, and refuses one that others can read', async () => {
  await login();
  const before = await stored();
  const all = { ...before, profiles: { work: { apiKey: 'mill_sk_x' } } };
  await writeFile(credentials(), JSON.stringify(all));
  await millrace(['logout']);
  expect(await stored()).toEqual({ profiles: all.profiles });
  await writeFile(credentials(), JSON.stringify(all));
  await chmod(credentials(), 0o640);
  for (const command of [['history'], ['login', '--url', server().url], ['logout']]) {
    const { code, stderr } = await millrace(command);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(`Run: chmod 600 '${credentials()}'`);
  }
});

it('a token is sent to the server it is for, and to no other', async () => {
  await login();
  const other = await millrace(['whoami', '--url', 'http://127.0.0.1:1']);
  expect(other.code).toBe(EXIT.usage);
  expect(other.stderr).toContain('You are not signed in');
  const withPassword = server().url.replace('//', '//user:secret@');
  const refused = await millrace(['login', '--url', withPassword]);
  expect(refused.code).toBe(EXIT.usage);
  expect(refused.stderr).not.toContain('secret');
});

it.each([
  [{ DISPLAY: ':0' }, 'linux', ['xdg-open']],
  [{ WAYLAND_DISPLAY: 'w' }, 'linux', ['xdg-open']],
  [{}, 'linux', undefined],
  [{ DISPLAY: ':10', SSH_CONNECTION: '1 2 3 4' }, 'linux', undefined],
  [{}, 'darwin', ['open']],
  [{ SSH_TTY: '/dev/ttys1' }, 'darwin', undefined],
  [{ BROWSER: 'firefox -P work', SSH_TTY: 'x' }, 'linux', ['firefox', '-P', 'work']],
] as const)('with %j on %s a browser is opened by %j', (variables, platform, expected) => {
  expect(browserOf({ ...variables }, platform)).toEqual(expected);
});
