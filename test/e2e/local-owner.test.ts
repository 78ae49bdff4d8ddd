// Whoever can read a data folder acts as its one owner, in every command, whether a server is up or not.
import { statSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { OWNER_FILE } from '../../src/platform/owner-key.ts';
import { runCli, startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { manifestOf } from '../terminal/run-project.ts';

let base: string;
let dataDir: string;
let settings: Record<string, string>;
const started: ServeProcess[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'millrace-owner-'));
  // As root the database runs as another user, who must be able to reach it here.
  await chmod(base, 0o755);
  dataDir = join(base, 'data');
  settings = {
    XDG_CONFIG_HOME: join(base, 'config'),
    XDG_STATE_HOME: join(base, 'state'),
    XDG_DATA_HOME: join(base, 'elsewhere'),
  };
});
afterEach(async () => {
  for (const server of started.splice(0)) await server.kill('SIGKILL');
  await rm(base, { recursive: true, force: true, maxRetries: 20 });
});

/** Each is a new terminal: nothing is signed in, nothing is exported. */
const millrace = (args: readonly string[], more: Record<string, string> = {}) =>
  runCli(['-C', base, '--data-dir', dataDir, ...args], { ...settings, ...more });

async function serve(): Promise<ServeProcess & { setupUrl: string | undefined }> {
  const server = await startServe(['--port', '0', '--data-dir', dataDir], settings);
  started.push(server);
  const { setupUrl } = server.ready as { setupUrl?: string };
  return { ...server, setupUrl };
}

async function end(server: ServeProcess): Promise<void> {
  await server.kill('SIGTERM');
  started.splice(started.indexOf(server), 1);
}

interface Who {
  server: string;
  user: { id: string; email: string };
  asOwner: boolean;
  from: string;
}

async function whoami(more: Record<string, string> = {}): Promise<Who> {
  const { code, stdout, stderr } = await millrace(['whoami', '--json'], more);
  expect(code, stderr).toBe(EXIT.ok);
  return JSON.parse(stdout) as Who;
}

async function runOnce(name: string) {
  const file = join(base, `${name}.yaml`);
  await writeFile(file, manifestOf([{ id: name }]));
  const ran = await millrace(['run', file, '--yes']);
  expect(ran.code, ran.stderr).toBe(EXIT.ok);
}

const post = async (url: string, path: string, body: object) => {
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  return fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
};

const setUpWith = (setupUrl: string, email: string) =>
  post(setupUrl, '/api/v1/auth/setup', {
    token: new URL(setupUrl).hash.slice(1),
    email,
    password: 'tulpe wagen regen 42',
  });

it('every command of every terminal acts as one owner, before and after the set-up', async () => {
  await runOnce('first');
  const alone = await whoami();
  expect(alone).toMatchObject({ asOwner: true, from: `owner of ${dataDir}` });
  expect(statSync(join(dataDir, OWNER_FILE)).mode & 0o777).toBe(0o600);

  // A run and a key came first, and the link is printed all the same, at every start.
  expect((await millrace(['api-keys', 'create'])).code).toBe(EXIT.ok);
  expect((await millrace(['api-keys', 'create', '--email', 'ci@example.com'])).code).toBe(EXIT.ok);
  await end(await serve());
  const server = await serve();
  expect(server.setupUrl).toMatch(/\/welcome#mill_ln_/);

  const beside = await whoami();
  expect(beside).toMatchObject({ server: server.ready.url, user: alone.user, asOwner: true });
  const commands = [
    ['history'],
    ['keys', 'list'],
    ['api-keys', 'list'],
    ['team', 'list'],
    ['exec', 'list'],
    ['usage'],
    ['webhooks', 'list'],
    // Flags of these names are settings of a server, too.
    ['team', 'create', 'Birds'],
    ['team', 'invite', 'jane@example.com', '--role', 'member', '--team', 'birds'],
    ['job', 'run', '--model', 'sim-fast', '--prompt', 'Say hello'],
    ['mcp', '--check'],
  ];
  for (const command of commands) {
    const { code, stderr } = await millrace(command);
    expect(`${command.join(' ')}: ${code} ${stderr}`).toContain(`${command.join(' ')}: 0`);
  }
  const checked = await millrace(['mcp', '--check', '--json']);
  expect(JSON.parse(checked.stdout)).toMatchObject({ user: alone.user.email });

  // The set-up is of that same account: what it ran before is in the dashboard.
  const opened = await setUpWith(server.setupUrl!, 'me@example.com');
  expect(opened.status, await opened.clone().text()).toBe(201);
  const cookie = opened.headers.getSetCookie().map((each) => each.split(';')[0]);
  const history = await fetch(new URL('/api/v1/history', server.ready.url!), {
    headers: { cookie: cookie.join('; ') },
  });
  expect(JSON.stringify(await history.json())).toContain('"feature":"Test"');
  const after = await whoami();
  expect(after.user).toMatchObject({ id: alone.user.id, email: 'me@example.com' });
  expect((await millrace(['team', 'list'])).stdout).toContain('me@example.com');

  // From then on no start prints a link.
  await end(server);
  expect((await serve()).setupUrl).toBeUndefined();
});

it('a key changes who one is and says so, and a revoked key of the owner is replaced', async () => {
  await serve();
  const owner = await whoami();
  const other = await millrace(['api-keys', 'create', '--email', 'ci@example.com']);
  const ci = await whoami({ MILLRACE_API_KEY: other.stdout.trim(), MILLRACE_URL: owner.server });
  expect(ci).toMatchObject({ asOwner: false, from: 'MILLRACE_API_KEY' });
  expect(ci.user.email).toBe('ci@example.com');
  const shown = await millrace(['whoami']);
  expect(shown.stdout).toContain(`none: you are the owner of ${dataDir}`);

  const listed = await millrace(['api-keys', 'list', '--json']);
  const { items } = JSON.parse(listed.stdout) as { items: { id: string }[] };
  expect(items).toHaveLength(1);
  expect((await millrace(['api-keys', 'revoke', items[0]!.id])).code).toBe(EXIT.ok);
  expect((await whoami()).user).toEqual(owner.user);
});

it('the ownership is shown to the server of the folder alone', async () => {
  const seen: string[] = [];
  const foreign = createServer((request, response) => {
    seen.push(JSON.stringify(request.headers));
    response.end('{}');
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  try {
    const server = await serve();
    await whoami();
    const { key } = JSON.parse(await readFile(join(dataDir, OWNER_FILE), 'utf8')) as {
      key: string;
    };
    const { port } = foreign.address() as { port: number };
    const refused = await millrace(['whoami', '--url', `http://127.0.0.1:${port}`]);
    expect(refused.code).toBe(EXIT.usage);
    expect(refused.stderr).toContain('You are not signed in');
    expect(seen.join()).not.toContain(key);
    // The address of the folder's own server may be spelt out.
    const named = await millrace(['whoami', '--json', '--url', server.ready.url!]);
    expect(JSON.parse(named.stdout)).toMatchObject({ asOwner: true });
  } finally {
    foreign.close();
  }
});

it('two terminals without a server share the one that the first starts', async () => {
  const job = ['job', 'run', '--model', 'sim-fast', '--prompt', 'Say hello'];
  const results = await Promise.all([millrace(job), millrace(job), millrace(job)]);
  for (const { code, stderr } of results) expect(code, stderr).toBe(EXIT.ok);
});

it('work that would outlive the command needs a server that stays', async () => {
  const left = await millrace(['exec', 'Add a page', '--detach']);
  expect(left.code).toBe(EXIT.usage);
  expect(left.stderr).toMatch(/No server is running[^]*serve[^]*--wait/);
});
