import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeConfigFile } from '../../src/cli/commands/mcp-install/config-file.ts';
import { givenSettings } from '../../src/cli/commands/mcp-install/given-settings.ts';
import { HOSTS, HOST_NAMES } from '../../src/cli/commands/mcp-install/hosts.ts';
import type { Host } from '../../src/cli/commands/mcp-install/hosts.ts';
import { launchOf } from '../../src/cli/commands/mcp-install/launch.ts';
import { remoteEntry } from '../../src/cli/commands/mcp-install/remote-entry.ts';
import { codeBlocksOf } from '../docs/code-blocks.ts';
import { fromRoot } from '../pins/tree.ts';
import { runHere } from '../support/run-here.ts';
import { startInPty } from '../terminal/pty.ts';

let base: string;
let home: string;
let project: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-hosts-')));
  [home, project] = [join(base, 'home'), join(base, 'project')];
  mkdirSync(home);
  mkdirSync(join(project, '.git'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const read = (path: string) => readFileSync(path, 'utf8');
const mcp = (args: string[], env: Record<string, string> = {}, folder = project) =>
  runHere(
    ['mcp', ...args],
    {
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      CODEX_HOME: '',
      COPILOT_HOME: '',
      ...env,
    },
    folder,
  );
const LAUNCH = { command: fromRoot('millrace'), args: ['mcp'] };

describe('each assistant gets its own words in its own file', () => {
  const claude = {
    type: 'stdio',
    ...LAUNCH,
    env: { MILLRACE_API_KEY: '${MILLRACE_API_KEY:-}', MILLRACE_URL: '${MILLRACE_URL:-}' },
  };
  const cursor = { ...LAUNCH, env: { MILLRACE_WORKSPACE: '${workspaceFolder}' } };
  const vscode = { type: 'stdio', ...cursor };
  const gemini = { ...LAUNCH, timeout: 600_000 };
  const command = [LAUNCH.command, ...LAUNCH.args];
  const opencode = { type: 'local', command, enabled: true, timeout: 30_000 };
  const copilot = { type: 'local', ...LAUNCH, env: {}, tools: ['*'] };
  it.each([
    ['claude', 'project/.mcp.json', { mcpServers: { millrace: claude } }],
    ['claude --scope user', 'home/.claude.json', { mcpServers: { millrace: claude } }],
    ['cursor', 'project/.cursor/mcp.json', { mcpServers: { millrace: cursor } }],
    ['cursor --scope user', 'home/.cursor/mcp.json', { mcpServers: { millrace: cursor } }],
    ['vscode', 'project/.vscode/mcp.json', { servers: { millrace: vscode } }],
    ['gemini', 'project/.gemini/settings.json', { mcpServers: { millrace: gemini } }],
    ['gemini --scope user', 'home/.gemini/settings.json', { mcpServers: { millrace: gemini } }],
    ['opencode', 'project/opencode.json', { mcp: { millrace: opencode } }],
    [
      'opencode --scope user',
      'home/.config/opencode/opencode.json',
      { mcp: { millrace: opencode } },
    ],
    ['copilot', 'home/.copilot/mcp-config.json', { mcpServers: { millrace: copilot } }],
    ['copilot --scope project', 'project/.github/mcp.json', { mcpServers: { millrace: copilot } }],
    ['vscode --name mill', 'project/.vscode/mcp.json', { servers: { mill: vscode } }],
  ])('%s', async (words, path, expected) => {
    const args = ['install', ...words.split(' '), '--yes'];
    const result = await mcp(args);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Added mill/) });
    expect(JSON.parse(read(join(base, path)))).toEqual(expected);
    expect(result.stderr).toContain('+      "command"');
    expect(statSync(join(base, path)).mode & 0o777).toBe(path.startsWith('home') ? 0o600 : 0o644);

    const again = await mcp([...args, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ action: 'unchanged', path: join(base, path) });
    const removed = await mcp(['uninstall', ...args.slice(1), '--json']);
    expect(JSON.parse(removed.stdout)).toMatchObject({ action: 'removed' });
    expect(read(join(base, path))).not.toContain('millrace');
    const absent = await mcp(['uninstall', ...args.slice(1)]);
    expect(absent).toMatchObject({ code: 0, stderr: expect.stringContaining('is not in') });
  });

  it('codex', async () => {
    const path = join(home, '.codex/config.toml');
    write(path, '# mine\nmodel = "o"\n');
    expect((await mcp(['install', 'codex', '--yes'])).code).toBe(0);
    expect(read(path)).toBe(
      `# mine\nmodel = "o"\n\n[mcp_servers.millrace]\ncommand = "${LAUNCH.command}"\nargs = ["mcp"]\n` +
        'env_vars = ["MILLRACE_API_KEY", "MILLRACE_URL"]\nrequired = true\nstartup_timeout_sec = 30\ntool_timeout_sec = 900\n',
    );
    expect((await mcp(['uninstall', 'codex', '--yes'])).code).toBe(0);
    expect(read(path)).toBe('# mine\nmodel = "o"\n');
    const other = await mcp(['install', 'codex', '--scope', 'project', '--yes']);
    expect(other.stdout).toContain(join(project, '.codex/config.toml'));
  });
});

it('installed again, an entry keeps what its host and its user have stored there', async () => {
  const path = join(home, '.codex/config.toml');
  await mcp(['install', 'codex', '--yes', '--url', 'https://old.example.com']);
  // As Codex writes it when a user always allows a tool, and as docs/assistants.md says.
  const stored =
    '\n[mcp_servers.millrace.tools.millrace_execute]\napproval_mode = "approve"\n' +
    '\n[mcp_servers.other]\ncommand = "x"\n';
  const further = 'MILLRACE_SOFT_DEADLINE_MS = "600000"\n';
  const before = read(path)
    .replace('required = true', 'required = false\nenabled_tools = ["millrace_status"]')
    .replace(/(MILLRACE_URL = .*\n)/, `$1${further}`);
  write(path, before + stored);
  expect((await mcp(['install', 'codex', '--yes'])).stdout).toMatch(/^Updated/);
  const after = read(path);
  for (const kept of [
    'approval_mode = "approve"',
    further,
    'enabled_tools = ["millrace_status"]',
  ]) {
    expect(after).toContain(kept);
  }
  expect(after).toContain('[mcp_servers.millrace.tools.millrace_execute]\n');
  expect(after).toContain('[mcp_servers.other]\ncommand = "x"\n');
  expect(after).toContain('required = true');
  expect(after).not.toContain('old.example.com');
  const again = await mcp(['install', 'codex', '--yes', '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ action: 'unchanged' });
  // One of the other kind leaves nothing behind that would start a process.
  await mcp(['install', 'codex', '--yes', '--remote', '--url', 'https://new.example.com']);
  expect(read(path)).toContain('approval_mode = "approve"');
  expect(read(path)).not.toMatch(/command = "(?!x)|SOFT_DEADLINE/);

  const settings = join(project, '.gemini/settings.json');
  write(
    settings,
    '{"mcpServers": {"millrace": {"command": "old", "trust": true, "env": {"A": "b"}}}}',
  );
  await mcp(['install', 'gemini', '--yes']);
  expect(JSON.parse(read(settings))).toEqual({
    mcpServers: { millrace: { ...LAUNCH, env: { A: 'b' }, timeout: 600_000, trust: true } },
  });
  const config = join(project, 'opencode.json');
  write(config, '{"mcp": {"millrace": {"type": "local", "command": ["old"], "enabled": false}}}');
  await mcp(['install', 'opencode', '--yes']);
  expect(JSON.parse(read(config))).toMatchObject({ mcp: { millrace: { enabled: false } } });
});

it('the server and team that were named go into the entry; a key never does', async () => {
  const env = { MILLRACE_API_KEY: 'mill_sk_secret' };
  const named = ['--url', 'https://millrace.example.com', '--team', 'platform'];
  for (const host of HOST_NAMES) {
    const result = await mcp(['install', host, '--yes', ...named], env);
    expect(result.code).toBe(0);
    const path = /^Added millrace in (.*)\.$/m.exec(result.stdout)![1]!;
    expect(read(path)).toContain('https://millrace.example.com');
    expect(read(path)).toContain('platform');
    expect(read(path)).not.toContain('mill_sk');
  }
  expect(read(join(project, '.cursor/mcp.json'))).toContain('"${env:MILLRACE_API_KEY}"');
  const chosen = ['--workspace', '.', '--apply', 'auto', '--model', 'sim-fast'];
  const { stdout } = await mcp(['install', 'vscode', '--print', ...chosen]);
  expect(JSON.parse(stdout)).toMatchObject({
    servers: {
      millrace: {
        args: ['mcp', '--model', 'sim-fast'],
        env: { MILLRACE_WORKSPACE: project, MILLRACE_APPLY: 'auto' },
      },
    },
  });
  for (const bad of [
    ['--workspace', 'nowhere'],
    ['--apply', 'maybe'],
    ['--api-key', 'mill_sk_secret'],
    ['--url', 'https://me:pass@example.com'],
    ['--url', 'nonsense'],
    ['--name', 'a b'],
    ['--name', '__proto__'],
  ]) {
    const result = await mcp(['install', 'claude', '--yes', '--scope', 'user', ...bad]);
    expect(result.code).toBe(2);
    expect(result.stderr + result.stdout).not.toMatch(/mill_sk_secret|:pass/);
  }
  expect(existsSync(join(home, '.claude.json'))).toBe(false);
  // Flags of `mcp` itself are seen here, too.
  expect(givenSettings({ dataDir: '/data' })).toEqual({ MILLRACE_DATA_DIR: '/data' });
  expect(() => givenSettings({ databaseUrl: 'postgres://a:b@c/d' })).toThrow('not written');
});

describe('the tools of a server', () => {
  const url = 'https://millrace.example.com/mcp';
  const headers = (key: string) => ({ Authorization: `Bearer ${key}`, 'X-Team-Id': 'team_1' });
  const codex = {
    url,
    bearer_token_env_var: 'MILLRACE_API_KEY',
    required: true,
    tool_timeout_sec: 900,
    http_headers: { 'X-Team-Id': 'team_1' },
  };
  it.each([
    ['claude', { type: 'http', url, headers: headers('${MILLRACE_API_KEY}') }],
    ['cursor', { url, headers: headers('${env:MILLRACE_API_KEY}') }],
    ['vscode', { type: 'http', url, headers: headers('${env:MILLRACE_API_KEY}') }],
    ['codex', codex],
    ['gemini', { httpUrl: url, headers: headers('$MILLRACE_API_KEY'), timeout: 600_000 }],
    [
      'opencode',
      {
        type: 'remote',
        url,
        headers: headers('{env:MILLRACE_API_KEY}'),
        oauth: false,
        enabled: true,
      },
    ],
    ['copilot', { type: 'http', url, headers: headers('${MILLRACE_API_KEY}'), tools: ['*'] }],
  ])('%s gets the address and the name of the key, never the key', async (host, entry) => {
    const args = ['install', host, '--remote', '--team', 'team_1', '--yes', '--json'];
    const named = [...args, '--url', 'https://millrace.example.com/'];
    const result = await mcp(named, { MILLRACE_API_KEY: 'mill_sk_secret' });
    expect(JSON.parse(result.stdout)).toMatchObject({ action: 'added', entry });
    const { path } = JSON.parse(result.stdout) as { path: string };
    expect(read(path)).toContain(url);
    expect(read(path)).not.toContain('mill_sk_secret');
  });

  it('need an address, and have no project', async () => {
    const unnamed = await mcp(['install', 'claude', '--remote', '--yes']);
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('--url') });
    const args = ['install', 'claude', '--remote', '--url', url, '--apply', 'auto'];
    const local = await mcp(args);
    expect(local).toMatchObject({ code: 2, stderr: expect.stringContaining('--apply') });
    expect(existsSync(join(project, '.mcp.json'))).toBe(false);
  });
});

it('what else is in the file stays byte for byte, and only the entry is replaced', async () => {
  const path = join(project, '.vscode/mcp.json');
  const around = (entry: string) =>
    `\ufeff{\r\n\t// ours\r\n\t"inputs": [ ],\r\n\t"servers": {\r\n\t\t"a": {"command":"x"}, // one${entry}\r\n\t},\r\n}`;
  write(path, around('\r\n\t\t"millrace": {"command": "old", "env": {"K": "mill_sk_abc"}},'));
  chmodSync(path, 0o640);
  const result = await mcp(['install', 'vscode', '--yes']);
  expect(result.stdout).toBe(`Updated millrace in ${path}.\n`);
  // The old entry may hold a key.
  expect(result.stderr).toContain('-\t\t"millrace": {"command": "old"');
  expect(result.stderr).not.toContain('mill_sk_abc');
  expect(read(path).replaceAll(/\r\n\t\t"millrace": \{[^]*\r\n\t\t\},/g, '')).toBe(around(''));
  expect(statSync(path).mode & 0o777).toBe(0o640);
  await mcp(['uninstall', 'vscode', '--yes']);
  expect(read(path)).toBe(around(''));
  await mcp(['install', 'vscode', '--yes']);
  expect(read(path)).toContain('"a": {"command":"x"}, // one\r\n\t\t"millrace": {\r\n\t\t\t"type"');
});

it('nothing is written without a yes, or with --print', async () => {
  const asked = await mcp(['install', 'claude']);
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  write(join(project, '.cursor/mcp.json'), 'broken');
  const printed = await mcp(['install', 'cursor', '--print']);
  expect(JSON.parse(printed.stdout)).toHaveProperty('mcpServers.millrace');
  const toml = await mcp(['install', 'codex', '--print']);
  expect(toml.stdout).toMatch(/^\[mcp_servers\.millrace\]\ncommand = /);
  expect(existsSync(join(project, '.mcp.json'))).toBe(false);
  expect(readdirSync(home)).toEqual([]);
});

it('a file that is broken is refused with the place, and left alone', async () => {
  const cases: [host: string, path: string, text: string | Buffer, message: string][] = [
    ['claude', '.mcp.json', '{\n  "a": [1 2]\n}', '.mcp.json:2:11: '],
    ['claude', '.mcp.json', '[]', '.mcp.json:1:1: expected an object'],
    ['claude', '.mcp.json', '{"mcpServers": null}', '.mcp.json:1:16: "mcpServers" is not an obj'],
    ['claude', '.mcp.json', '{"mcpServers":{},\n"mcpServers":{}}', '.mcp.json:2:1: '],
    ['claude', '.mcp.json', '['.repeat(50_000), '.mcp.json:1:1: nested too deeply'],
    ['cursor', '.cursor/mcp.json', Buffer.from([0x7b, 0xff, 0x7d]), 'not UTF-8'],
    ['codex', '.codex/config.toml', 'a = 1\nb = [1,\n\n[c]', 'config.toml:4:2: '],
    ['codex', '.codex/config.toml', 'a = 1\na = 2\n', 'config.toml:2:1: '],
    ['codex', '.codex/config.toml', 'x = 1\nmcp_servers = { a = {} }', 'config.toml:2:1: '],
    ['codex', '.codex/config.toml', '[[mcp_servers]]\n', 'config.toml:1:1: '],
  ];
  for (const [host, name, text, message] of cases) {
    const path = join(project, name);
    write(path, text);
    for (const verb of ['install', 'uninstall']) {
      const result = await mcp([verb, host, '--scope', 'project', '--yes']);
      expect(result, name).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toContain(message);
    }
    expect(readFileSync(path)).toEqual(Buffer.from(text));
    expect(readdirSync(dirname(path)).filter((each) => each.endsWith('.tmp'))).toEqual([]);
  }
});

it('a link is followed in the home folder; in a project it must not lead out', async () => {
  const real = join(base, 'dotfiles/claude.json');
  write(real, '{}');
  symlinkSync(real, join(home, '.claude.json'));
  expect((await mcp(['install', 'claude', '--scope', 'user', '--yes'])).code).toBe(0);
  expect(lstatSync(join(home, '.claude.json')).isSymbolicLink()).toBe(true);
  expect(read(real)).toContain('millrace');

  write(join(home, 'private.json'), '{}');
  symlinkSync(join(home, 'private.json'), join(project, '.mcp.json'));
  symlinkSync(home, join(project, '.cursor'));
  symlinkSync(join(base, 'nowhere'), join(project, '.vscode'));
  for (const host of ['claude', 'cursor', 'vscode']) {
    const result = await mcp(['install', host, '--yes']);
    expect(result, host).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a link to'),
    });
  }
  expect(read(join(home, 'private.json'))).toBe('{}');
  expect(readdirSync(home).toSorted()).toEqual(['.claude.json', 'private.json']);
  expect(existsSync(join(base, 'nowhere'))).toBe(false);
});

it('a file that another program changed meanwhile is left alone', async () => {
  const path = join(home, '.claude.json');
  write(path, 'theirs');
  for (const text of [undefined, 'before']) {
    const writing = writeConfigFile({ path, real: path, text }, 'user', 'ours');
    await expect(writing).rejects.toMatchObject({ code: 'FILE_CHANGED' });
  }
  expect(read(path)).toBe('theirs');
  expect(readdirSync(home)).toEqual(['.claude.json']);
});

it('an entry of the other scope is named, not removed', async () => {
  await mcp(['install', 'claude', '--scope', 'user', '--yes']);
  const result = await mcp(['uninstall', 'claude', '--yes']);
  expect(result.code).toBe(0);
  expect(result.stderr).toContain('mcp uninstall claude --scope user');
  expect(read(join(home, '.claude.json'))).toContain('millrace');
});

it('the file of a project is at its root, wherever the command is called', async () => {
  const below = join(project, 'packages/app');
  mkdirSync(below, { recursive: true });
  expect((await mcp(['install', 'claude', '--yes'], {}, below)).code).toBe(0);
  expect(existsSync(join(project, '.mcp.json'))).toBe(true);
  expect(existsSync(join(below, '.mcp.json'))).toBe(false);
});

it('the question shows what will be written, and no means no', async () => {
  const settings = { HOME: home };
  const size = { columns: 100, rows: 40 };
  const run = startInPty({ folder: project, settings }, ['mcp', 'install', 'claude'], size);
  try {
    await run.waitFor(/\+ +"command"[^]*Add millrace to [^]*\.mcp\.json\? \[y\/N\]/);
    run.type('n\r');
    expect(await run.ended).toBe(2);
    expect(existsSync(join(project, '.mcp.json'))).toBe(false);
  } finally {
    run.kill();
  }
});

it('the command fits how Millrace is installed', () => {
  const main = join(base, 'lib/node_modules/millrace/dist/main.js');
  write(main, '');
  const globally = join(base, 'bin');
  const byNpm = join(base, 'node_modules/.bin');
  for (const folder of [globally, byNpm]) {
    mkdirSync(folder, { recursive: true });
    symlinkSync(main, join(folder, 'millrace'));
  }
  const installed = (path: string) => launchOf({ launcher: undefined, main, path });
  const byFile = { command: process.execPath, args: [main, 'mcp'] };
  expect(installed(`/nowhere:${globally}`)).toEqual({ command: 'millrace', args: ['mcp'] });
  expect(installed(byNpm)).toEqual(byFile);
  expect(installed('')).toEqual(byFile);
  // Another one comes first.
  write(join(base, 'other/millrace'), '');
  expect(installed(`${join(base, 'other')}:${globally}`)).toEqual(byFile);
  expect(launchOf({ launcher: '/src/millrace', main, path: globally })).toEqual({
    command: '/src/millrace',
    args: ['mcp'],
  });
});

it('the documents show the entries as they are written', () => {
  const file = 'docs/assistants.md';
  const blocks = codeBlocksOf(file, read(fromRoot(file))).filter(({ language }) =>
    ['json', 'toml'].includes(language),
  );
  const launch = launchOf({ launcher: undefined, main: undefined, path: '' });
  const url = 'https://millrace.example.com';
  const expected = [
    ...HOST_NAMES.map((name) => HOSTS[name].entry({ launch, given: {}, env: {} })),
    ...HOST_NAMES.map((name) => remoteEntry(name, {}, { MILLRACE_URL: url })),
  ];
  const shown = blocks.map(({ text }, at) => {
    const { format, container }: Host = HOSTS[HOST_NAMES[at % HOST_NAMES.length]!];
    return format.find(text, [container, 'millrace']);
  });
  expect(shown).toEqual(expected);
});
