import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ACCOUNT_NOUNS,
  JOB_NOUNS,
  KEY_NOUNS,
  MORE_NOUNS,
  SERVER_NOUNS,
} from '../../src/cli/commands/nouns.ts';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { createProgram } from '../../src/cli/program.ts';
import { readLayout } from '../../src/store/embedded/placement.ts';
import { MAIN, cleanEnv, runCli } from '../support/cli.ts';
import type { CliResult } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { startNode, waitUntil } from '../support/processes.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();
let base: string;
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'millrace-flags-')));
  // As root the database of a test runs as another user, who must be able to reach it here.
  await chmod(base, 0o755);
});
afterAll(() => rm(base, { recursive: true, force: true }));

let places = 0;

/** A project folder and a settings folder of their own. */
async function place(files: Record<string, string> = {}) {
  const root = join(base, String(++places));
  const project = join(root, 'project');
  const settings = { XDG_CONFIG_HOME: join(root, 'config') };
  const user = join(root, 'config', 'millrace');
  for (const folder of [project, user]) await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode: 0o600 });
  }
  const millrace = (args: readonly string[], env: Record<string, string> = {}) =>
    runHere(['-C', project, ...args], { ...settings, ...env });
  return { root, project, user, settings, millrace };
}

const USER_FILE = 'config/millrace/config.yaml';
const CREDENTIALS = 'config/millrace/credentials.json';
const PROJECT_FILE = 'project/.millrace/config.yaml';
const AWAY = 'http://127.0.0.1:1';

const credentials = (apiKey: string, profile = 'default') =>
  JSON.stringify({ profiles: { [profile]: { apiKey } } });

function errorOf({ stdout }: CliResult): { code: string; message: string; hint?: string } {
  return (JSON.parse(stdout) as { error: { code: string; message: string; hint?: string } }).error;
}

describe('the settings of the client', () => {
  it('are read from the environment, and a flag wins over it', async () => {
    verifies('cli.settings', 'cli.precedence');
    const { key } = await server().createKey();
    const { millrace } = await place();
    const env = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
    expect((await millrace(['history', '--json'], env)).code).toBe(EXIT.ok);
    expect((await millrace(['history', '--url', AWAY], env)).code).toBe(EXIT.unreachable);
    const byFlags = ['history', '--url', server().url, '--api-key', key];
    expect((await millrace(byFlags)).code).toBe(EXIT.ok);
    expect((await millrace(['history', '--api-key', 'wrong'], env)).code).toBe(EXIT.notAuthorised);
    expect((await millrace(byFlags, { MILLRACE_URL: AWAY })).code).toBe(EXIT.ok);
  });

  it("come from the project's file before the user's, and from that before the default", async () => {
    verifies('cli.precedence', 'cli.settings');
    const { key } = await server().createKey();
    const found = { [CREDENTIALS]: credentials(key) };
    const both = await place({
      ...found,
      [PROJECT_FILE]: `url: ${server().url}\n`,
      [USER_FILE]: `url: ${AWAY}\ntrustedServers: ["${server().url}"]\n`,
    });
    expect((await both.millrace(['history'])).code).toBe(EXIT.ok);
    expect((await both.millrace(['history'], { MILLRACE_URL: AWAY })).code).toBe(EXIT.unreachable);
    const turned = await place({
      ...found,
      [PROJECT_FILE]: `url: ${AWAY}\n`,
      [USER_FILE]: `url: ${server().url}\ntrustedServers: ["${AWAY}"]\n`,
    });
    expect((await turned.millrace(['history'])).code).toBe(EXIT.unreachable);
    const user = await place({ ...found, [USER_FILE]: `url: ${server().url}\n` });
    const shown = await user.millrace(['history', '--verbose']);
    expect(shown.code).toBe(EXIT.ok);
    expect(shown.stderr).toContain(`${server().url} (${user.root}/${USER_FILE})`);
    expect(shown.stdout + shown.stderr).not.toContain(key);
  });

  it("find the project's file from a folder below, and its profile in the user's files", async () => {
    verifies('cli.precedence');
    const { key } = await server().createKey();
    const { millrace, project } = await place({
      [PROJECT_FILE]: 'profile: work\n',
      [USER_FILE]: `url: ${AWAY}\nprofiles:\n  work:\n    url: ${server().url}\n  home:\n    url: ${AWAY}\n`,
      [CREDENTIALS]: JSON.stringify({
        profiles: { work: { apiKey: key }, home: { apiKey: 'none' } },
      }),
    });
    await mkdir(join(project, 'a/b'), { recursive: true });
    expect((await millrace(['history', '-C', join(project, 'a/b')])).code).toBe(EXIT.ok);
    expect((await millrace(['history', '--profile', 'home'])).code).toBe(EXIT.unreachable);
    expect((await millrace(['history'], { MILLRACE_PROFILE: 'home' })).code).toBe(EXIT.unreachable);
    const unknown = await millrace(['history', '--profile', 'nobody', '--json']);
    expect(unknown.code).toBe(EXIT.usage);
    expect(errorOf(unknown).message).toMatch(/"nobody".*work, home/);
  });

  it("refuse a key in the project's file, and never show it", async () => {
    verifies('cli.precedence');
    for (const name of ['apiKey', 'api_key', 'token']) {
      const { millrace } = await place({ [PROJECT_FILE]: `${name}: mill_sk_hush\n` });
      const { code, stderr } = await millrace(['history'], { MILLRACE_API_KEY: 'x' });
      expect(code).toBe(EXIT.usage);
      expect(stderr).toContain(name);
      expect(stderr).toContain('MILLRACE_API_KEY');
      expect(stderr).not.toContain('hush');
    }
  });

  const strangers = ['http://0.0.0.0:1', 'http://127.0.0.1:1', 'http://localhost:1'];
  it.each(strangers)('send no key to %s, which only the project names', async (url) => {
    const stranger = { [PROJECT_FILE]: `url: ${url}\n`, [CREDENTIALS]: credentials('x') };
    const { millrace } = await place(stranger);
    const refused = await millrace(['history', '--json']);
    expect(refused.code).toBe(EXIT.usage);
    expect(errorOf(refused).message).toContain(`--url ${url}`);
    // A key that is kept for one server is not for another that the user happens to know.
    const other = await place({ ...stranger, [USER_FILE]: `profiles: {w: {url: "${url}/"}}\n` });
    expect((await other.millrace(['history'])).code).toBe(EXIT.usage);
    const known = await place({ ...stranger, [USER_FILE]: `trustedServers: ["${url}/"]\n` });
    expect(errorOf(await known.millrace(['job', 'get', 'x', '--json'])).code).toBe('UNREACHABLE');
  });

  it('refuse a file of keys that others can read, with the command that mends it', async () => {
    const { key } = await server().createKey();
    const { millrace, root } = await place({ [CREDENTIALS]: credentials(key) });
    const path = join(root, CREDENTIALS);
    const env = { MILLRACE_URL: server().url };
    expect((await millrace(['history'], env)).code).toBe(EXIT.ok);
    await chmod(path, 0o644);
    const open = await millrace(['history'], env);
    expect(open.code).toBe(EXIT.usage);
    expect(open.stderr).toContain(`chmod 600 '${path}'`);
    expect(open.stderr).not.toContain(key);
  });

  it.each([
    [PROJECT_FILE, 'colour: red\n', '"colour"'],
    [PROJECT_FILE, 'url: [\n', 'not valid YAML'],
    [PROJECT_FILE, 'apply: perhaps\n', 'apply'],
    [USER_FILE, 'profiles:\n  work:\n    colour: red\n', '"profiles.work.colour"'],
    [USER_FILE, '- a list\n', 'the file'],
    [CREDENTIALS, '{"profiles":{"default":{"apiKey":"hush","more":1}}}', '"profiles.default.more"'],
    [CREDENTIALS, '{"hush', 'not valid JSON'],
  ])('name %s and what is wrong in it: %j', async (file, text, what) => {
    const { millrace, root } = await place({ [file]: text });
    const { code, stderr } = await millrace(['history']);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(join(root, file));
    expect(stderr).toContain(what);
    expect(stderr).not.toContain('hush');
  });

  it('take MILLRACE_APPLY and MILLRACE_WORKSPACE, and refuse what makes no sense', async () => {
    verifies('cli.settings');
    const { millrace, root } = await place({
      'project/millrace.yaml': 'feature: f\nstreams:\n  a:\n    name: A\n    owns: [big.txt]\n',
      'other/big.txt': 'some words\n'.repeat(3000),
    });
    const tokens = async (env: Record<string, string>) => {
      const { stdout } = await millrace(['plan', '--json'], env);
      return (JSON.parse(stdout) as { totals: { inputTokens: number } }).totals.inputTokens;
    };
    const without = await tokens({});
    const other = await tokens({ MILLRACE_WORKSPACE: join(root, 'other') });
    expect(other - without).toBeGreaterThan(5_000);
    const wrong = await millrace(['plan', '--json'], { MILLRACE_APPLY: 'perhaps' });
    expect(wrong.code).toBe(EXIT.usage);
    expect(errorOf(wrong).message).toMatch(/MILLRACE_APPLY.*ask, auto, never/);
  });
});

describe('global flags', () => {
  it('stand before or after the command', async () => {
    const { millrace } = await place();
    for (const args of [
      ['--json', 'validate'],
      ['validate', '--json'],
    ]) {
      const result = await millrace(args);
      expect(result.code).toBe(EXIT.usage);
      expect(errorOf(result)).toMatchObject({ code: 'MANIFEST_NOT_FOUND' });
    }
  });

  it('are checked: a folder that is not there, a progress that does not exist', async () => {
    const { millrace } = await place();
    const nowhere = await runHere(['validate', '-C', '/does/not/exist', '--json'], {});
    expect(nowhere.code).toBe(EXIT.usage);
    expect(errorOf(nowhere).message).toContain('/does/not/exist');
    const progress = await millrace(['validate', '--progress', 'loud']);
    expect(progress.code).toBe(EXIT.usage);
    expect(progress.stderr).toContain('auto, tty, plain, json, quiet');
  });

  it('--quiet leaves out everything but results and errors', async () => {
    const { millrace } = await place({
      'project/millrace.yaml': 'feature: f\nstreams:\n  a:\n    name: A\n',
    });
    expect((await millrace(['validate'])).stderr).toContain('valid');
    expect(await millrace(['validate', '-q'])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await millrace(['validate', '-q', 'none.yaml'])).stderr).toContain('none.yaml');
  });

  it('never repeat a key that was typed in the wrong place', async () => {
    const key = 'mill_sk_0123456789012345678901234567890';
    for (const args of [
      ['history', `--api-kye=${key}`],
      ['history', 'run_1', key],
      [key],
      ['history', '--limit', key],
      ['help', key],
    ]) {
      for (const json of [[], ['--json']]) {
        const { code, stdout, stderr } = await runHere([...args, ...json], {
          MILLRACE_API_KEY: 'x',
        });
        expect(code).toBe(EXIT.usage);
        expect(stdout + stderr).not.toContain('0123456789');
      }
    }
  });

  it('keep escape codes out of pipes unless colours are asked for', async () => {
    const { millrace } = await place({
      'project/millrace.yaml': 'feature: f\nstreams:\n  a:\n    name: A\n',
    });
    const isColored = async (args: string[], env: Record<string, string>) => {
      const { code, stdout } = await millrace(['plan', ...args], env);
      expect(code).toBe(EXIT.ok);
      return stdout.includes('\u001b[');
    };
    const none = { NO_COLOR: '', FORCE_COLOR: '', CLICOLOR_FORCE: '' };
    expect(await isColored([], none)).toBe(false);
    expect(await isColored([], { ...none, FORCE_COLOR: '1' })).toBe(true);
    expect(await isColored([], { ...none, CLICOLOR_FORCE: '1' })).toBe(true);
    expect(await isColored([], { ...none, FORCE_COLOR: '0' })).toBe(false);
    expect(await isColored([], { ...none, FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
    expect(await isColored(['--no-color'], { ...none, FORCE_COLOR: '1' })).toBe(false);
    expect(await isColored(['--json'], { ...none, FORCE_COLOR: '1' })).toBe(false);
  });
});

describe('help', () => {
  it('shows usage, then examples, then flags', async () => {
    const { code, stdout } = await runCli(['plan', '--help']);
    expect(code).toBe(EXIT.ok);
    const at = [
      'Usage: millrace plan',
      'Examples:',
      '$ millrace plan',
      '--graph',
      'help options',
    ].map((text) => stdout.indexOf(text));
    expect(at).not.toContain(-1);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect((await runHere(['help', 'plan'], {})).stdout).toBe(stdout);
    expect((await runHere(['help', 'job', 'run'], {})).stdout).toContain('--max-tokens');
    // What every command takes is listed in one place.
    expect(stdout).not.toContain('--no-color');
    const options = await runHere(['help', 'options'], {});
    for (const flag of ['--json', '--progress', '-C, --dir', '--no-color']) {
      expect(options.stdout).toContain(flag);
    }
  });

  it('lists the commands in groups, each with the line that it says itself', async () => {
    const { stdout } = await runHere(['--help'], {});
    const heads = [...stdout.matchAll(/^(\S.*):$/gm)].map(([, head]) => head);
    expect(heads).toEqual([
      'Examples',
      'Manifests and runs',
      'Jobs and executions',
      'Keys and webhooks',
      'Account and team',
      'Server',
      'More',
    ]);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const all = await createProgram(() => async () => {});
    for (const command of all.createHelp().visibleCommands(all)) {
      expect(stdout).toMatch(new RegExp(`^ {2}${command.name()} +\\S`, 'm'));
    }
    for (const { name, summary } of [
      ...JOB_NOUNS,
      ...KEY_NOUNS,
      ...ACCOUNT_NOUNS,
      ...SERVER_NOUNS,
      ...MORE_NOUNS,
    ]) {
      const own = all.commands.find((command) => command.name() === name)!.summary();
      expect([name, summary]).toEqual([name, own]);
    }
  });

  it('knows its topics, and nothing wider than a terminal', async () => {
    for (const topic of ['options', 'environment', 'exit-codes', 'formatting', 'manifest']) {
      const { code, stdout } = await runHere(['help', topic], {});
      expect(code).toBe(EXIT.ok);
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    }
    const unknown = await runHere(['help', 'nonsense'], {});
    expect(unknown.code).toBe(EXIT.usage);
    expect(unknown.stderr).toContain('exit-codes');
  });

  it('lists every exit code', async () => {
    verifies('cli.exit-codes');
    const { stdout } = await runHere(['help', 'exit-codes'], {});
    const codes = [...stdout.matchAll(/^ +(\d+) {2}\S/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual([0, 1, 2, 4, 5, 6, 7, 10, 124, 129, 130, 143]);
  });

  it('suggests the command that was probably meant', async () => {
    const { code, stderr } = await runCli(['validte']);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain('validate');
  });
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s cancels the job that is watched, and exits with %i', async (signal, code) => {
    verifies('cli.exit-codes');
    const { key } = await server().createKey();
    const env = cleanEnv({ MILLRACE_URL: server().url, MILLRACE_API_KEY: key });
    const args = ['job', 'run', '--model', 'sim-instant', '--prompt', '[[sim:hang]]'];
    const watching = startNode(MAIN, args, { env });
    const status = async () => {
      const { body } = await server().call('GET', '/api/v1/history', { key });
      return (body['items'] as { status: string }[])[0]?.status;
    };
    await waitUntil(async () => (await status()) === 'in_progress', 'the job to run');
    await watching.kill(signal);
    expect(await watching.ended).toBe(code);
    await waitUntil(async () => (await status()) === 'cancelled', 'the job to be cancelled');
  });
});

describe('a reader that leaves early', () => {
  /** Runs a command whose standard output is closed at once. */
  async function runUnread(args: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [MAIN, ...args], { env: cleanEnv(env) });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    return new Promise<{ code: number | null; stderr: string }>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stderr }));
    });
  }

  it('is no failure', async () => {
    const streams = Array.from({ length: 3000 }, (_, n) => `  s${n}:\n    name: S\n`).join('');
    const { project } = await place({
      'project/millrace.yaml': `feature: f\nstreams:\n${streams}`,
    });
    const args = ['-C', project, 'plan', '-q'];
    expect(await runUnread(args)).toEqual({ code: EXIT.ok, stderr: '' });
    expect(await runUnread([...args, '--json'])).toEqual({ code: EXIT.ok, stderr: '' });
  });

  it('makes the demo stop in order, with its database', async () => {
    const folder = join(base, 'demo');
    const { code, stderr } = await runUnread(['demo', '--port', '0', '--data-dir', folder]);
    expect(stderr).not.toContain('EPIPE');
    expect(code).toBe(EXIT.ok);
    const { clusterDir } = readLayout(folder);
    expect(existsSync(join(clusterDir, 'PG_VERSION'))).toBe(true);
    expect(existsSync(join(clusterDir, 'postmaster.pid'))).toBe(false);
  });
});
