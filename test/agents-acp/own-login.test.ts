// Agents that work with the person's own login, as the command finds, asks for, limits and shows them. The login and the
// agent are made up; there is no vendor.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { MAIN, cleanEnv } from '../support/cli.ts';
import { waitUntil } from '../support/processes.ts';
import { runHere } from '../support/run-here.ts';
import { useServer } from '../support/use-server.ts';

const MODEL = 'claude-sonnet-4-5';
const FILE = '.claude/.credentials.json';
const LOGIN = {
  claudeAiOauth: {
    accessToken: 'at-1',
    refreshToken: 'rt-1',
    expiresAt: 1,
    subscriptionType: 'max',
  },
  mcpOAuth: { server: { accessToken: 'of-something-else' } },
};
const ESTIMATE = '~$0.0420 estimated';

/** Refreshes its login, tries two hosts, and writes down what it sees. */
const AGENT = `#!/usr/bin/env node
const fs = require('node:fs'); const net = require('node:net'); const path = require('node:path');
if (process.argv[2] === '--version') { console.log('2.1.327 (Claude Code)'); process.exit(); }
fs.readFileSync(0);
const file = path.join(process.env.HOME, '${FILE}');
const login = JSON.parse(fs.readFileSync(file, 'utf8'));
const seen = { login: structuredClone(login), args: process.argv.slice(2), home: fs.readdirSync(process.env.HOME),
  keys: Object.keys(process.env).filter((name) => /KEY|TOKEN|BASE_URL|SECRET/.test(name)) };
const proxy = new URL(process.env.HTTPS_PROXY);
for (const what of ['dies', 'hangs'].filter((name) => fs.existsSync('src/' + name))) {
  login.claudeAiOauth.accessToken = 'at-3'; fs.writeFileSync(file, JSON.stringify(login));
  if (what === 'dies') process.kill(process.pid, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
const ask = (host) => new Promise((resolve) => {
  const socket = net.connect(Number(proxy.port), proxy.hostname, () => socket.write('CONNECT ' + host + ':443 HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'));
  socket.on('data', resolve).on('close', resolve).on('error', resolve);
});
(async () => {
  for (const host of ['api.anthropic.com', 'example.com']) await ask(host);
  login.claudeAiOauth.accessToken = 'at-2'; login.claudeAiOauth.expiresAt = 2;
  fs.writeFileSync(file, JSON.stringify(login));
  const isTest = !fs.existsSync('src');
  fs.writeFileSync(isTest ? 'hello.txt' : 'src/a.txt', isTest ? 'hello' : JSON.stringify(seen));
  console.log(JSON.stringify({ type: 'result', subtype: 'success', result: 'Done.', total_cost_usd: 0.042,
    usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 } }));
  process.exit();
})();
`;

/** Leaves its login in several places, and says the cost of its whole session. */
const CONTINUING = `#!/usr/bin/env node
const fs = require('node:fs'); const path = require('node:path');
if (process.argv[2] === '--version') { console.log('2.1.327 (Claude Code)'); process.exit(); }
fs.readFileSync(0);
const session = process.argv.find((word) => word.startsWith('--resume='));
const home = (name) => path.join(process.env.HOME, name);
const seen = fs.readdirSync(home(''), { recursive: true }).sort();
const login = fs.readFileSync(home('${FILE}'), 'utf8').replace('at-1', 'at-1x');
fs.writeFileSync(home('${FILE}'), login);
fs.writeFileSync(home('.claude/memory'), 'x');
fs.writeFileSync(home('backup.json'), login);
fs.writeFileSync(home('notes.txt'), 'my token is ' + JSON.parse(login).claudeAiOauth.accessToken);
fs.writeFileSync('src/a.txt', JSON.stringify({ how: session ? 'continued' : 'new', home: seen }));
console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: 'one' }));
console.log(JSON.stringify({ type: 'result', subtype: 'success', result: 'Done.', total_cost_usd: session ? 0.07 : 0.04,
  usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 } }));
`;

const server = useServer();
let base: string;
const login = () => join(base, FILE);
const at = (...path: string[]) => join(base, 'project', ...path);
beforeEach(() => {
  base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-own-login-')));
  for (const folder of ['project', 'bin', 'config', '.claude', 'project/src'])
    mkdirSync(join(base, folder));
  writeFileSync(join(base, 'bin', 'claude'), AGENT);
  chmodSync(join(base, 'bin', 'claude'), 0o755);
  writeFileSync(join(base, '.claude', 'settings.json'), '{}');
  writeFileSync(at('src', 'b.txt'), 'b');
  writeFileSync(login(), JSON.stringify(LOGIN), { mode: 0o600 });
  settings('claude: {auth: own}');
});
afterEach(() => rmSync(base, { recursive: true, force: true, maxRetries: 20 }));

const settings = (agents: string) =>
  writeFileSync(join(base, 'config', 'config.yaml'), `agents:\n  ${agents}\n`);

function manifest(more: object = {}, model = MODEL): void {
  const stream = { name: 'A', owns: ['src/'], plan: 'Write.', ...more };
  const text = JSON.stringify({ feature: 'f', agent: 'claude', model, streams: { a: stream } });
  writeFileSync(at('millrace.yaml'), text);
}

const sandboxes = () => join(base, 'state', 'millrace', 'sandboxes');

function environment(key: string): Record<string, string> {
  const path = [join(base, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
  return {
    HOME: base,
    XDG_STATE_HOME: join(base, 'state'),
    PATH: path.join(delimiter),
    MILLRACE_CONFIG_DIR: join(base, 'config'),
    MILLRACE_URL: server().url,
    MILLRACE_API_KEY: key,
    ANTHROPIC_API_KEY: 'sk-ant-of-the-person',
  };
}

async function millrace(...args: string[]) {
  const { key } = await server().createKey();
  return runHere(['-C', at(), ...args], environment(key));
}

const eventsOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const errorIn = ({ stdout }: { stdout: string }) =>
  (JSON.parse(stdout) as { error: { code: string; message: string; hint: string } }).error;

describe.skipIf(NO_SANDBOX !== undefined)('an agent with the login of the person', () => {
  it('works with a copy of that file, reaches its vendor, and costs what it says', async () => {
    manifest();
    const ran = await millrace('run', '--yes', '--json', '--max-attempts', '1');
    expect(ran.code, ran.stdout + ran.stderr).toBe(EXIT.ok);
    const seen = JSON.parse(readFileSync(at('src/a.txt'), 'utf8')) as Record<string, unknown>;
    expect(seen).toMatchObject({
      login: { claudeAiOauth: LOGIN.claudeAiOauth },
      home: ['.claude'],
      keys: [],
    });
    expect(seen['login']).not.toHaveProperty('mcpOAuth');
    expect(seen['args']).not.toContain('--bare');
    // What it refreshed is the person's now.
    const { claudeAiOauth, mcpOAuth } = LOGIN;
    const refreshed = { ...claudeAiOauth, accessToken: 'at-2', expiresAt: 2 };
    expect(JSON.parse(readFileSync(login(), 'utf8'))).toEqual({
      claudeAiOauth: refreshed,
      mcpOAuth,
    });
    const events = eventsOf(ran.stdout);
    const refused = events.filter(({ type }) => type === 'agent.refused');
    expect(refused).toEqual([expect.objectContaining({ what: 'host', subject: 'example.com' })]);
    expect(events.find(({ type }) => type === 'stream.answer')).toMatchObject({
      tokens: { input: 10, output: 5 },
      costUsd: 0,
      estimatedUsd: 0.042,
    });
    expect(events.at(-1)).toMatchObject({ totals: { costUsd: 0, estimatedUsd: 0.042 } });
    // Nothing went through the server.
    const { key } = await server().createKey();
    const { body } = await server().call('GET', '/api/v1/jobs?kind=call', { key });
    expect(body['items']).toEqual([]);
    for (const view of ['status', 'logs', 'watch', 'runs'])
      expect((await millrace(view)).stdout, view).toContain(ESTIMATE);
    expect(readdirSync(sandboxes())).toEqual([]);
  });

  it('continues its session with no login in what is kept of it', async () => {
    writeFileSync(join(base, 'bin', 'claude'), CONTINUING);
    manifest({ verify: ['grep -q "continued" src/a.txt'] });
    const ran = await millrace('run', '--yes', '--json', '--max-attempts', '2');
    expect(ran.code, ran.stdout + ran.stderr).toBe(EXIT.ok);
    const seen = JSON.parse(readFileSync(at('src/a.txt'), 'utf8')) as { home: string[] };
    expect(seen.home).toEqual(['.claude', '.claude/.credentials.json', '.claude/memory']);
    // The first attempt refreshed the login, and the second one has that.
    expect(JSON.parse(readFileSync(login(), 'utf8'))).toMatchObject({
      claudeAiOauth: { accessToken: 'at-1xx', refreshToken: 'rt-1' },
    });
    const answers = eventsOf(ran.stdout).filter(({ type }) => type === 'stream.answer');
    const usd = answers.map(({ estimatedUsd }) => Number(estimatedUsd).toFixed(2));
    expect(usd).toEqual(['0.04', '0.03']);
  });

  it('is lent nothing through a link that it left in its home', async () => {
    const victim = join(base, 'victim');
    mkdirSync(victim);
    const leaves = `fs.rmSync(home('.claude'), { recursive: true }); fs.symlinkSync('${victim}', home('.claude')); fs.writeFileSync('other.txt', '');`;
    const refused = CONTINUING.replace(
      "console.log(JSON.stringify({ type: 'system'",
      `if (!session) { ${leaves} } else fs.rmSync('other.txt');\n$&`,
    );
    writeFileSync(join(base, 'bin', 'claude'), refused);
    manifest();
    const ran = await millrace('run', '--yes', '--json', '--max-attempts', '1');
    expect(ran.code, ran.stdout + ran.stderr).toBe(EXIT.ok);
    expect(ran.stdout).toContain('"what":"file","subject":"other.txt"');
    expect(readFileSync(at('src/a.txt'), 'utf8')).toContain('continued');
    expect(readdirSync(victim)).toEqual([]);
    expect(readFileSync(login(), 'utf8')).toContain('at-1x');
  });

  it('gives back what it refreshed however it ends, and says that there is no estimate', async () => {
    manifest();
    writeFileSync(at('src', 'dies'), '');
    const ran = await millrace('run', '--yes', '--max-attempts', '1');
    expect(ran.code).toBe(EXIT.failed);
    expect(ran.stdout).toContain('$0.0000 + own login, no estimate');
    expect(readFileSync(login(), 'utf8')).toContain('at-3');
    expect(readdirSync(sandboxes())).toEqual([]);
  });

  it('leaves no login behind when the command was killed, and resumes', async () => {
    manifest();
    writeFileSync(at('src', 'hangs'), '');
    const { key } = await server().createKey();
    const child = spawn(process.execPath, [MAIN, '-C', at(), 'run', '--yes'], {
      env: cleanEnv(environment(key)),
      stdio: 'ignore',
    });
    const lent = () =>
      existsSync(sandboxes())
        ? globSync('*/home-*/.claude/.credentials.json', { cwd: sandboxes() })
        : [];
    await waitUntil(() =>
      lent().some((path) => readFileSync(join(sandboxes(), path), 'utf8').includes('at-3')),
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(at('src', 'hangs'));
    const resumed = await millrace('run', '--yes', '--json');
    expect(resumed.code, resumed.stderr).toBe(EXIT.ok);
    const answers = eventsOf(resumed.stdout).filter(({ type }) => type === 'stream.answer');
    expect(answers.map(({ estimatedUsd }) => estimatedUsd)).toEqual([null, 0.042]);
    expect(readdirSync(sandboxes())).toEqual([]);
  });

  it('is agreed to once for a project, and named', async () => {
    manifest();
    const asked = await millrace('run', '--json');
    expect(asked.code).toBe(EXIT.usage);
    const { code, message } = errorIn(asked);
    expect(code).toBe('COMMANDS_NOT_APPROVED');
    expect(message).toContain(
      `claude works with your own login (${login()}), reaches api.anthropic.com`,
    );
    expect(existsSync(at('src/a.txt'))).toBe(false);
    expect((await millrace('run', '--yes')).stdout).toContain(ESTIMATE);
    rmSync(at('src/a.txt'));
    const again = await millrace('run', '--from', 'a');
    expect(again.code, again.stderr).toBe(EXIT.ok);
    expect(existsSync(at('src/a.txt'))).toBe(true);
  });

  it.each<[string, RegExp, { flags?: string[]; more?: object; model?: string }]>([
    ['a budget', /cannot limit what that costs \(--max-cost\)/, { flags: ['--max-cost', '5'] }],
    ['a limit of the stream', /costs \(maxCostUsd\)/, { more: { maxCostUsd: 2 } }],
    ['hosts', /only its vendor/, { more: { network: ['docs.example.com'] } }],
    ['a simulated model', /cannot ask sim-instant/, { model: 'sim-instant' }],
  ])(
    'is refused with %s, before anything is spent',
    async (_what, message, { flags = [], more, model }) => {
      manifest(more, model);
      const refused = await millrace('run', '--yes', '--json', ...flags);
      expect(refused.code).toBe(EXIT.usage);
      expect(errorIn(refused).message).toMatch(message);
      expect(JSON.parse(readFileSync(login(), 'utf8'))).toEqual(LOGIN);
      if (flags.length > 0) return;
      const { stdout } = await millrace('plan', '--json');
      const { warnings } = JSON.parse(stdout) as { warnings: { message: string }[] };
      expect(warnings.map((each) => each.message).join('\n')).toMatch(message);
    },
  );

  it('is refused without a login, and a plan names no limit for it', async () => {
    manifest();
    const planned = await millrace('plan');
    expect(planned.stdout).toContain('your own login');
    expect(planned.stdout).not.toContain('$5');
    writeFileSync(login(), JSON.stringify({ primaryApiKey: 'sk-ant-x' }));
    const refused = await millrace('run', '--yes', '--json');
    expect(refused.code).toBe(EXIT.usage);
    expect(errorIn(refused)).toMatchObject({
      code: 'AGENT_LOGIN',
      message: expect.stringContaining(login()),
      hint: expect.stringContaining('claude /login'),
    });
  });

  it('is listed, and tested only with a model and consent', async () => {
    const { stdout } = await millrace('agents', 'list', '--json');
    const { items } = JSON.parse(stdout) as { items: { name: string; auth: string | null }[] };
    const own = items.filter(({ auth }) => auth === 'own').map(({ name }) => name);
    expect(own).toEqual(['claude']);
    const simulated = await millrace('agents', 'test', 'claude');
    expect([simulated.code, simulated.stderr]).toEqual([
      EXIT.usage,
      expect.stringContaining('asks no simulated model'),
    ]);
    const silent = await millrace('agents', 'test', 'claude', '--model', MODEL);
    expect([silent.code, silent.stderr]).toEqual([EXIT.usage, expect.stringContaining('--yes')]);
    const tested = await millrace('agents', 'test', 'claude', '--model', MODEL, '--yes');
    expect([tested.code, tested.stdout], tested.stderr).toEqual([
      EXIT.ok,
      expect.stringContaining(ESTIMATE),
    ]);
  });
});
