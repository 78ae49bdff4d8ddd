// Commands of a manifest in the sandbox, without a run around them.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCommandSandbox } from '../../src/orchestrator/commands/command-sandbox.ts';
import type {
  CommandSandbox,
  CommandSandboxOptions,
} from '../../src/orchestrator/commands/command-sandbox.ts';
import { isOk, runCommand } from '../../src/orchestrator/commands/run-command.ts';
import type { CommandContext } from '../../src/orchestrator/commands/run-command.ts';
import { createRunSandbox } from '../../src/orchestrator/commands/run-sandbox.ts';
import type { RunSandbox } from '../../src/orchestrator/commands/run-sandbox.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';

const MIB = 1024 ** 2;
const SECRET = 'the-secret-of-the-person';

let base: string;
let root: string;
let runSandbox: RunSandbox | undefined;
let sandbox: CommandSandbox | undefined;
beforeEach(() => {
  base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-commands-')));
  root = join(base, 'home/project');
  write('a.txt', 'a\n');
  write('.env', SECRET);
  write('../.ssh/key', SECRET);
  write('.gitignore', 'node_modules\ndist\n');
  write('node_modules/dep/index.js', 'dep\n');
});
afterEach(async () => {
  await runSandbox?.close();
  sandbox = undefined;
  const left = existsSync(join(base, 'state')) ? readdirSync(join(base, 'state/sandboxes')) : [];
  rmSync(base, { recursive: true, force: true });
  expect(left).toEqual([]);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function open(more: Partial<CommandSandboxOptions> = {}): CommandSandbox {
  runSandbox = createRunSandbox(root, {
    stateHome: join(base, 'state'),
    home: join(base, 'home'),
    ...more,
  });
  sandbox = createCommandSandbox(runSandbox, { hosts: [], ...more });
  return sandbox;
}

function context(more: Partial<CommandContext> = {}): CommandContext {
  return {
    root,
    sandbox: sandbox ?? open(),
    env: { ...process.env, SECRET_TOKEN: SECRET, MILLRACE_STREAM: 'api', MILLRACE_PORT_BASE: '41' },
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    scrub: (text) => text,
    ...more,
  };
}

const setup = (command: string) => runCommand(command, context({ keepsDependencies: true }));
const verify = (command: string, more: Partial<CommandContext> = {}) =>
  runCommand(command, context(more));

describe.skipIf(NO_SANDBOX !== undefined)('a command in the sandbox', () => {
  it('sees the project as it is now, and of the user and the environment no more than it needs', async () => {
    write('new.txt', 'new\n');
    const seen = await verify(
      'pwd; cat a.txt new.txt; echo err >&2; cat .env ../.ssh/key; env | grep -c SECRET; echo $MILLRACE_STREAM $MILLRACE_PORT_BASE; $MILLRACE_NODE -p 6*7; git log --format=%s',
    );
    expect(seen).toMatchObject({ exitCode: 0, sandboxed: true, timedOut: false });
    expect(seen.output).toMatch(
      new RegExp(`^${root}\na\nnew\nerr\ncat: .*\ncat: .*\n0\napi 41\n42\nBase\n$`),
    );
    expect(seen.output).not.toContain(SECRET);
    write('a.txt', 'A\n');
    rmSync(join(root, 'new.txt'));
    expect((await verify('cat a.txt; ls')).output).toBe('A\na.txt\nnode_modules\n');
  });

  it('changes nothing that outlives it, but for dependencies that a setup installs', async () => {
    await verify(
      'echo x >a.txt; mkdir dist; echo x >dist/built; echo x >node_modules/dep/index.js',
    );
    expect((await verify('cat a.txt node_modules/dep/index.js; ls')).output).toBe(
      'a\ndep\na.txt\nnode_modules\n',
    );
    expect(
      isOk(
        await setup(
          'echo own >node_modules/own.js; rm -r node_modules/dep; mkdir -p .venv/bin dist; echo venv >.venv/bin/python; echo x >dist/x; echo x >>a.txt',
        ),
      ),
    ).toBe(true);
    const after = 'ls -A . node_modules; cat .venv/bin/python a.txt';
    const expected =
      '.:\n.git\n.gitignore\n.venv\na.txt\nnode_modules\n\nnode_modules:\nown.js\nvenv\na\n';
    expect((await verify(after)).output).toBe(expected);
    await verify('echo dropped >node_modules/own.js; rm -r .venv/bin');
    expect((await verify(after)).output).toBe(expected);
    expect((await setup('cat node_modules/own.js; echo more >.venv/more')).output).toBe('own\n');
    expect((await verify('cat .venv/more .venv/bin/python')).output).toBe('more\nvenv\n');
    expect(readFileSync(join(root, 'node_modules/dep/index.js'), 'utf8')).toBe('dep\n');
    expect(readdirSync(root).sort()).toEqual(['.env', '.gitignore', 'a.txt', 'node_modules']);
  });

  it('has its dependencies as they were when it started, whatever a setup installs meanwhile', async () => {
    const slow = verify('until [ -e node_modules/go ]; do sleep 0.05; done; ls node_modules', {
      timeoutMs: 2000,
    });
    expect(isOk(await setup('mkdir node_modules/go'))).toBe(true);
    expect(await slow).toMatchObject({ timedOut: true });
    expect((await verify('ls node_modules')).output).toBe('dep\ngo\n');
  });

  it('fails with its own status, by its time, and by a stop', async () => {
    expect(await verify('exit 3')).toMatchObject({ exitCode: 3 });
    const late = await verify('sleep 600 & setsid sleep 600; wait', { timeoutMs: 300 });
    expect(late).toMatchObject({ timedOut: true, exitCode: null });
    const abort = new AbortController();
    const stopped = verify('sleep 600', { signal: abort.signal });
    await delay(100);
    abort.abort();
    expect(await stopped).toMatchObject({ cancelled: true });
  });

  it.each([
    [
      'memory',
      { memoryBytes: 64 * MIB },
      'x=$(head -c 200000000 /dev/zero | tr "\\\\0" x); sleep 30',
    ],
    ['processes', { processes: 12 }, 'for i in $(seq 30); do sleep 30 & done; wait'],
    ['disk', { diskBytes: 8 * MIB }, 'head -c 40000000 /dev/zero >big; sleep 30'],
  ])('fails when it passes the limit of %s, which is named', async (_name, limits, command) => {
    open({ limits });
    const result = await verify(command);
    expect(isOk(result)).toBe(false);
    expect(result.limit).toMatch(/^It (?:used|started|wrote) more than /);
    expect(result.output).toContain(result.limit);
  });

  describe('with a network', () => {
    let server: Server;
    let port: number;
    beforeEach(async () => {
      server = createServer((_request, response) => response.end('hello'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      port = (server.address() as AddressInfo).port;
    });
    afterEach(() => server.close());

    const get = (host: string) =>
      `$MILLRACE_NODE -e 'fetch("http://${host}:${port}/").then((r) => r.text()).then(console.log, (e) => console.log("failed"))'`;

    it('reaches the hosts it may, and what it was refused is in its output', async () => {
      open({
        hosts: ['allowed.example.com'],
        reach: { resolve: async () => ['127.0.0.1'], allowPrivate: true, ports: [port] },
      });
      const { output } = await verify(`${get('allowed.example.com')}; ${get('other.example.com')}`);
      expect(output).toMatch(/^hello\n/);
      expect(output).toContain('tried to reach other.example.com, and was refused: commandNetwork');
      expect(output).not.toContain('tried to reach allowed');
    });

    it('reaches nothing unless hosts are named, and what it tried is in its output', async () => {
      const { output } = await verify(get('other.example.com'));
      expect(output).toContain('tried to reach other.example.com');
    });
  });
});
