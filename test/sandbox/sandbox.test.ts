// What callers of a sandbox rely on, in one process.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCopy } from '../../src/sandbox/copy/copy.ts';
import { sandboxEnvironment } from '../../src/sandbox/environment.ts';
import { processNumbers } from '../../src/sandbox/linux/launch.ts';
import { findPrograms } from '../../src/sandbox/linux/programs.ts';
import { isInSystemFolder } from '../../src/sandbox/linux/system-folders.ts';
import { toolFolders } from '../../src/sandbox/tool-folders.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { openWorkplace } from '../../src/sandbox/workplace.ts';
import { NO_SANDBOX } from './world.ts';

let base: string;
let folder: string;
beforeEach(() => {
  base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-sandbox-')));
  folder = join(base, 'project');
  write('project/a.txt', 'a\n');
  write('project/src/b.txt', 'b\n');
  write('project/node_modules/dep/index.js', 'dep\n');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, content: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), content);
}

const source = () => ({
  folder,
  files: ['a.txt', 'src/b.txt'],
  isSecret: () => false,
  dependencies: ['node_modules'],
});

describe.skipIf(NO_SANDBOX !== undefined)('a sandbox', () => {
  it('runs one command at a time in a copy', async () => {
    const sandbox = createSandbox({ stateFolder: join(base, 'state'), home: base });
    try {
      const copy = await sandbox.openCopy(source());
      const request = (script: string) => ({
        command: ['/bin/sh', '-c', script] as const,
        folder: { kind: 'copy', copy } as const,
        environment: sandboxEnvironment({}),
        network: { kind: 'none' } as const,
      });
      const first = await sandbox.start(request('sleep 60'));
      if (copy.method === 'overlay') {
        await expect(sandbox.start(request('true'))).rejects.toThrow('A command is running');
      }
      first.kill();
      expect(await first.ended).toEqual({ kind: 'cancelled' });
      const second = await sandbox.start(request('exit 3'));
      expect(await second.ended).toEqual({ kind: 'exited', exitCode: 3 });
    } finally {
      await sandbox.close();
    }
  });

  it('ends also while it is being started', async () => {
    const sandbox = createSandbox({ stateFolder: join(base, 'state'), home: base });
    try {
      const copy = await sandbox.openCopy(source());
      for (let ms = 0; ms < 60; ms += 4) {
        const run = await sandbox.start({
          command: ['/bin/sleep', '60'],
          folder: { kind: 'copy', copy },
          environment: sandboxEnvironment({}),
          network: { kind: 'none' },
        });
        await delay(ms);
        if (ms % 8 === 0) run.kill();
        else expect(run.killNow()).toBe(true);
        expect(await run.ended).toEqual({ kind: 'cancelled' });
      }
    } finally {
      await sandbox.close();
    }
  });

  it('ends with the signal of its caller', async () => {
    const sandbox = createSandbox({ stateFolder: join(base, 'state'), home: base });
    try {
      const abort = new AbortController();
      const run = await sandbox.start({
        command: ['/bin/sleep', '60'],
        folder: { kind: 'read-only', path: folder },
        environment: sandboxEnvironment({}),
        network: { kind: 'none' },
        signal: abort.signal,
      });
      abort.abort();
      expect(await run.ended).toEqual({ kind: 'cancelled' });
    } finally {
      await sandbox.close();
    }
  });

  it('copies file by file where there is no overlay, and shows dependencies read-only', async () => {
    const found = findPrograms();
    if (found.kind === 'missing') throw new Error('No programs.');
    mkdirSync(join(base, 'state'));
    const workplace = openWorkplace(join(base, 'state'));
    const world = { workplace, programs: found.programs, mountRights: undefined, hasMounts: true };
    const copy = await openCopy(source(), world);
    expect(copy.dependencies).toBe('read-only');
    expect(copy.mounts.overlays).toEqual([]);
    const modules = join(folder, 'node_modules');
    expect(copy.mounts.bindings).toContainEqual({
      source: modules,
      path: modules,
      isReadOnly: true,
    });
    expect((await copy.changes()).changes).toEqual([]);
    writeFileSync(copy.pathOf('a.txt'), 'A\n');
    unlinkSync(copy.pathOf('src/b.txt'));
    writeFileSync(copy.pathOf('c.txt'), 'c\n');
    const { changes } = await copy.changes();
    expect(changes.map(({ path, change }) => `${change} ${path}`)).toEqual([
      'modified a.txt',
      'added c.txt',
      'deleted src/b.txt',
    ]);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a\n');
    workplace.remove();
  });
});

describe.skipIf(process.platform === 'win32')('folders of tools', () => {
  const shown = (...entries: string[]) =>
    toolFolders({
      searchPath: entries.map((entry) => join(base, entry)).join(':'),
      home: base,
      kept: [folder, join(base, 'state')],
      isOfSystem: isInSystemFolder,
    });
  const paths = (...entries: string[]) =>
    shown(...entries).folders.map(({ path }) => path.slice(base.length + 1));

  it('are an installation with its libraries, a manager as a whole, and else the programs alone', () => {
    write('.nvm/versions/node/v24/bin/node', '');
    write('.nvm/versions/node/v24/lib/node_modules/npm/cli.js', '');
    write('.pyenv/shims/python', '');
    write('.pyenv/.git/config', '');
    write('.local/bin/tool', '');
    write('.local/lib/python/secret', '');
    write('bin/own', '');
    write('other/bin/run', '');
    write('other/lib/x', '');
    write('other/.git/config', '');
    expect(paths('.nvm/versions/node/v24/bin')).toEqual(['.nvm/versions/node/v24']);
    expect(paths('.pyenv/shims')).toEqual(['.pyenv']);
    expect(paths('.local/bin')).toEqual(['.local/bin']);
    expect(paths('bin')).toEqual(['bin']);
    expect(paths('other/bin')).toEqual(['other/bin']);
  });

  it('have what a program in them is a link to, and no more of its folder', () => {
    write('.local/share/agent/versions/1/agent', '');
    write('.local/share/agent/login.json', '');
    mkdirSync(join(base, '.local/bin'), { recursive: true });
    symlinkSync('../share/agent/versions/1/agent', join(base, '.local/bin/agent'));
    expect(paths('.local/bin')).toEqual(['.local/bin', '.local/share/agent/versions/1/agent']);
  });

  it('of Rust come with the toolchains, without the credentials', () => {
    write('.cargo/bin/cargo', '');
    write('.cargo/credentials.toml', '');
    write('.rustup/toolchains/stable/bin/cargo', '');
    expect(paths('.cargo/bin')).toEqual(['.cargo/bin', '.rustup']);
    expect(shown('.cargo/bin').environment).toEqual({ RUSTUP_HOME: join(base, '.rustup') });
  });

  it('are never the project, our state, or a folder above them', () => {
    write('state/bin/x', '');
    write('project/node_modules/.bin/x', '');
    expect(paths('', 'project/node_modules/.bin', 'state/bin', 'missing')).toEqual([]);
  });
});

it('the environment is a list of what is let through', () => {
  const env = { PATH: '/bin', LC_ALL: 'C', API_KEY: 'x', LD_PRELOAD: 'x', NODE_OPTIONS: 'x' };
  const added = { CI: '1', LD_PRELOAD: 'x', BASH_ENV: 'x', MY_FLAG: 'y' };
  expect(sandboxEnvironment(env, added)).toEqual({
    PATH: '/bin',
    LC_ALL: 'C',
    CI: '1',
    MY_FLAG: 'y',
  });
});

it.each([
  ['6.13.9', 0],
  ['5.15.0-91-generic', 0],
  ['6.14.0', 820],
  ['7.0.1-arch1', 820],
])('the numbers of processes are bounded on Linux %s', (kernel, numbers) => {
  expect(processNumbers(512, kernel)).toBe(numbers);
});
