import { execFile, execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { runEither } from '../support/run-here.ts';
import type { CliResult } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { verifies } from '../support/verifies.ts';
import { useKeyServer } from './key-server.ts';

const context = useKeyServer({ role: 'api' });
beforeEach(() => context().vendors.reset());

const RAW = 'sk-ant-command-0000000000abcd';

async function newUser(scopes?: string[]) {
  const { server } = context();
  const { key } = await server.createKey(scopes ? { scopes } : {});
  const settings = { MILLRACE_API_KEY: key, MILLRACE_URL: server.url };
  const keys = (args: string[], input?: string) => runEither(['keys', ...args], settings, input);
  return { key, settings, keys };
}

const jsonOf = ({ stdout }: CliResult): unknown => {
  expect(stdout.trim().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
};

describe('millrace keys', () => {
  it('stores a key from standard input, lists, tests and deletes it', async () => {
    verifies('provider-keys.store', 'provider-keys.list', 'provider-keys.delete');
    const { keys } = await newUser();
    const added = await keys(['add', 'anthropic', '--accept-terms'], `${RAW}\n`);
    expect(added.code, added.stderr).toBe(0);
    expect(added.stdout).toMatch(/^Added sk-ant-\.\.\.abcd for anthropic\. The key works\./);
    const listed = await keys(['list']);
    expect(listed.stdout).toMatch(/^PROVIDER +KEY +ADDED\nanthropic +sk-ant-\.\.\.abcd +2/);
    const json = jsonOf(await keys(['list', '--json']));
    expect(json).toMatchObject({ keys: [{ provider: 'anthropic', maskedKey: 'sk-ant-...abcd' }] });
    const tested = await keys(['test', 'anthropic']);
    expect([tested.code, tested.stdout]).toEqual([0, 'The key for anthropic works.\n']);
    context().vendors.setKeys('anthropic', []);
    const bad = await keys(['test', 'anthropic', '--json']);
    expect([bad.code, jsonOf(bad)]).toEqual([
      1,
      { provider: 'anthropic', valid: false, reason: 'rejected by the provider' },
    ]);
    const removed = await keys(['rm', 'anthropic']);
    expect([removed.code, removed.stdout]).toEqual([0, 'Deleted the key for anthropic.\n']);
    const gone = await keys(['rm', 'anthropic', '--json']);
    expect([gone.code, jsonOf(gone)]).toEqual([0, { deleted: false, provider: 'anthropic' }]);
    for (const { stdout, stderr } of [added, listed, tested, bad, removed]) {
      expect(stdout + stderr).not.toContain(RAW);
    }
  });

  it('says with its exit code what went wrong', async () => {
    const { keys, settings } = await newUser();
    context().vendors.setKeys('anthropic', []);
    const add = ['add', 'anthropic', '--accept-terms', '--json'];
    const narrow = await newUser(['jobs']);
    const run = (args: string[], more: object) =>
      runEither(['keys', ...args, '--json'], { ...settings, ...more });
    const cases: [string, Promise<CliResult>, number, string][] = [
      ['rejected', keys(add, RAW), 1, 'PROVIDER_REJECTED_KEY'],
      ['no key', keys(add, ' \n'), 2, 'CONFIG_INVALID'],
      ['no terms', keys(['add', 'anthropic', '--json'], RAW), 2, 'CONFIG_INVALID'],
      ['nothing to test', keys(['test', 'openai', '--json']), 1, 'NOT_FOUND'],
      ['unknown', keys(['rm', 'mistral', '--json']), 2, 'UNKNOWN_PROVIDER'],
      ['missing', keys(['rm', '--json']), 2, 'USAGE'],
      ['as an argument', keys([...add, RAW]), 2, 'USAGE'],
      ['scope', narrow.keys(['list', '--json']), 4, 'FORBIDDEN'],
    ];
    for (const [what, result, code, name] of cases) {
      const done = await result;
      expect([done.code, jsonOf(done)], what).toMatchObject([code, { error: { code: name } }]);
      expect(done.stdout + done.stderr).not.toContain(RAW);
    }
    const others: [object, number, string][] = [
      [{ MILLRACE_API_KEY: 'mill_sk_wrong' }, 4, 'UNAUTHORIZED'],
      [{ MILLRACE_API_KEY: '' }, 2, 'CONFIG_INVALID'],
      [{ MILLRACE_URL: 'http://127.0.0.1:1' }, 6, 'UNREACHABLE'],
      [{ MILLRACE_URL: 'nonsense' }, 2, 'CONFIG_INVALID'],
    ];
    const results = await Promise.all(others.map(([more]) => run(['list'], more)));
    results.forEach((done, n) => {
      const [, code, name] = others[n]!;
      expect([done.code, jsonOf(done)]).toMatchObject([code, { error: { code: name } }]);
    });
  });

  it('takes --url before MILLRACE_URL, and does not follow where a server points', async () => {
    const { settings } = await newUser();
    const wrong = { ...settings, MILLRACE_URL: 'http://127.0.0.1:1' };
    const named = await runEither(['keys', 'list', '--url', `${settings.MILLRACE_URL}/`], wrong);
    expect([named.code, named.stderr]).toEqual([0, expect.stringContaining('No provider keys.')]);
    const pointing = createServer((_, response) => {
      response.writeHead(307, { location: `${settings.MILLRACE_URL}/api/v1/keys` }).end();
    });
    await new Promise<void>((resolve) => pointing.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = pointing.address() as { port: number };
      const args = ['keys', 'list', '--json', '--url', `http://127.0.0.1:${port}`];
      const pointed = await runEither(args, settings);
      expect(pointed.code).toBe(1);
      expect(jsonOf(pointed)).toMatchObject({
        error: { message: 'The service answered with status 307' },
      });
    } finally {
      await new Promise((resolve) => pointing.close(resolve));
    }
  });
});

function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A terminal of its own in which a command of ours runs. */
async function openTerminal(args: string[], settings: Record<string, string>) {
  const socket = `millrace-test-${randomBytes(6).toString('hex')}`;
  // tmux would use the login shell, which need not be one for people.
  const own = { TERM: 'xterm', SHELL: '/bin/sh', TMUX_TMPDIR: tmpdir() };
  const env = cleanEnv({ ...settings, ...own });
  const run = promisify(execFile);
  const tmux = (...more: string[]) =>
    run('tmux', ['-L', socket, '-f', '/dev/null', ...more], { env });
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const shell = `${command}; echo "exit=$?"; exec cat`;
  await tmux('new-session', '-d', '-x', '150', '-y', '40', shell);
  const screen = async () => (await tmux('capture-pane', '-p', '-S', '-')).stdout;
  return {
    screen,
    type: (...keys: string[]) => tmux('send-keys', ...keys),
    waitFor: (pattern: RegExp) =>
      waitUntil(async () => pattern.exec(await screen()), String(pattern)),
    close: () => tmux('kill-server').catch(() => undefined),
  };
}

describe.skipIf(!hasTmux())('millrace keys add in a terminal', () => {
  it('asks for the key without showing it, then for consent', async () => {
    verifies('provider-keys.never-returned', 'provider-keys.tos');
    const { settings, key } = await newUser();
    context().vendors.setKeys('anthropic', [RAW]);
    const terminal = await openTerminal(['keys', 'add', 'anthropic'], settings);
    try {
      await terminal.waitFor(/Anthropic key:/);
      await terminal.type('-l', `${RAW}xx`);
      await terminal.type('BSpace', 'BSpace', 'Enter');
      await terminal.waitFor(/Add the key\? \[y\/N\]/);
      expect(await terminal.screen()).toContain('on your behalf, at your cost');
      await terminal.type('y', 'Enter');
      await terminal.waitFor(/exit=0/);
      const screen = await terminal.screen();
      expect(screen).toContain('Added sk-ant-...abcd for anthropic. The key works.');
      expect(screen).not.toContain('command-0000');
      expect(screen).toMatch(/Anthropic key: *\n/);
    } finally {
      await terminal.close();
    }
    const { body } = await context().server.call('GET', '/api/v1/keys', { key });
    expect(body).toMatchObject({ keys: [{ maskedKey: 'sk-ant-...abcd' }] });
  });

  it('stores nothing without consent, or when it is broken off', async () => {
    const { settings, key } = await newUser();
    const refused = await openTerminal(['keys', 'add', 'anthropic'], settings);
    try {
      await refused.waitFor(/Anthropic key:/);
      await refused.type('-l', RAW);
      await refused.type('Enter');
      await refused.waitFor(/Add the key\? \[y\/N\]/);
      await refused.type('Enter');
      await refused.waitFor(/Nothing was added[^]*exit=1/);
      expect(await refused.screen()).not.toContain('command-0000');
    } finally {
      await refused.close();
    }
    const broken = await openTerminal(['keys', 'add', 'anthropic'], settings);
    try {
      await broken.waitFor(/Anthropic key:/);
      await broken.type('-l', RAW);
      await broken.type('C-c');
      await broken.waitFor(/exit=1/);
      expect(await broken.screen()).not.toContain('command-0000');
    } finally {
      await broken.close();
    }
    expect(context().vendors.calls()).toEqual([]);
    const { body } = await context().server.call('GET', '/api/v1/keys', { key });
    expect(body).toEqual({ keys: [] });
  });
});
