// Which control group a command gets, in trees of files that look like those of the kernel.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sandboxEnvironment } from '../../src/sandbox/environment.ts';
import {
  createCgroup,
  findParent,
  inCgroup,
  removeAbandonedGroups,
} from '../../src/sandbox/linux/cgroup.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { NO_SANDBOX } from './world.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function group(path: string, enabled: string): string {
  const folder = join(root, path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'cgroup.subtree_control'), `${enabled}\n`);
  writeFileSync(join(folder, 'cgroup.procs'), '');
  return folder;
}

const SESSION = 'user.slice/user-1000.slice/user@1000.service';
const OWN = `0::/${SESSION}/app.slice/term.scope\n`;

function session(enabled = 'cpu memory pids'): void {
  writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory pids\n');
  for (const path of ['', 'user.slice', SESSION]) group(path, 'memory pids');
  group(`${SESSION}/app.slice`, enabled);
  group(`${SESSION}/app.slice/term.scope`, '');
}

describe('groups are created', () => {
  it('beside our own, where the session of the user has both controllers', () => {
    session();
    expect(findParent({ root, own: OWN })).toBe(join(root, SESSION, 'app.slice'));
  });

  it('further up where a group has only one of them', () => {
    session('memory');
    expect(findParent({ root, own: OWN })).toBe(join(root, SESSION));
  });

  it('nowhere with version 1, with a group outside of our view, or at the root of a container', () => {
    expect(findParent({ root, own: OWN })).toBeUndefined();
    session();
    expect(findParent({ root, own: '8:pids:/\n1:name=systemd:/\n' })).toBeUndefined();
    expect(findParent({ root, own: '0::/../../other\n' })).toBeUndefined();
    expect(findParent({ root, own: '0::/\n' })).toBeUndefined();
    expect(findParent({ root, own: '' })).toBeUndefined();
  });

  it.skipIf(process.getuid?.() === 0)('nowhere that the user may not write', () => {
    session();
    for (const path of ['', 'user.slice', SESSION, `${SESSION}/app.slice`]) {
      chmodSync(join(root, path, 'cgroup.procs'), 0o444);
    }
    expect(findParent({ root, own: OWN })).toBeUndefined();
  });
});

describe('a group', () => {
  const open = () => createCgroup(root, { memoryBytes: 4096, processes: 7 })!;
  const folderOf = (one: { processes: string }) => join(one.processes, '..');

  it('has the limits, and says which of them the kernel held', () => {
    const one = open();
    const folder = folderOf(one);
    expect(readFileSync(join(folder, 'memory.max'), 'utf8')).toBe('4096');
    expect(readFileSync(join(folder, 'pids.max'), 'utf8')).toBe('7');
    expect(readFileSync(join(folder, 'memory.oom.group'), 'utf8')).toBe('1');
    expect(one.passed()).toBeUndefined();
    writeFileSync(join(folder, 'pids.events'), 'max 0\n');
    writeFileSync(join(folder, 'memory.events'), 'low 0\nhigh 0\nmax 9\noom 2\noom_kill 0\n');
    expect(one.passed()).toBeUndefined();
    writeFileSync(join(folder, 'pids.events'), 'max 3\n');
    expect(one.passed()).toBe('processes');
    writeFileSync(join(folder, 'memory.events'), 'oom 2\noom_kill 1\noom_group_kill 1\n');
    expect(one.passed()).toBe('memory');
  });

  it('is entered before the program starts, which does not start without', () => {
    const one = open();
    const run = (...line: string[]) => {
      const [file = '', ...words] = inCgroup('/bin/sh', one, line);
      return spawnSync(file, words, { encoding: 'utf8' });
    };
    expect(run('/bin/echo', 'a b', 'c').stdout).toBe('a b c\n');
    expect(readFileSync(one.processes, 'utf8')).toBe('0\n');
    rmSync(folderOf(one), { recursive: true });
    expect(run('/bin/echo', 'x')).toMatchObject({ status: 1, stdout: '' });
  });

  it('that cannot be created is none', () => {
    expect(createCgroup(join(root, 'missing'), { memoryBytes: 1, processes: 1 })).toBeUndefined();
  });

  it('of a process that is gone is removed, others are not', () => {
    const gone = spawnSync('true').pid;
    for (const name of [`millrace-${gone}-1`, `millrace-${process.pid}-99`, 'other.scope']) {
      mkdirSync(join(root, name));
    }
    removeAbandonedGroups(root);
    expect(readdirSync(root)).toEqual([`millrace-${process.pid}-99`, 'other.scope']);
    expect(existsSync(join(root, 'other.scope'))).toBe(true);
  });
});

describe.skipIf(NO_SANDBOX !== undefined)('a command in a sandbox', () => {
  it('runs in a group of its own, and ends when the kernel has held a limit', async () => {
    session();
    const stateFolder = join(root, 'state');
    const cgroupTree = { root, own: OWN };
    const sandbox = createSandbox({ stateFolder, home: root, cgroupTree });
    try {
      const run = await sandbox.start({
        command: ['/bin/sh', '-c', 'echo ready; sleep 60'],
        folder: {
          kind: 'read-only',
          path: realpathSync.native(mkdtempSync(join(root, 'project-'))),
        },
        environment: sandboxEnvironment({}),
        network: { kind: 'none' },
      });
      await once(run.stdout, 'data');
      const parent = join(root, SESSION, 'app.slice');
      // The first was the trial: a folder of plain files is not removed as a group is.
      const own = readdirSync(parent)
        .filter((name) => name.startsWith('millrace-'))
        .sort()
        .at(-1)!;
      expect(readFileSync(join(parent, own, 'cgroup.procs'), 'utf8')).toBe('0\n');
      expect(readFileSync(join(parent, own, 'memory.max'), 'utf8')).toBe(String(4 * 1024 ** 3));
      writeFileSync(join(parent, own, 'memory.events'), 'oom_kill 1\n');
      expect(await run.ended).toMatchObject({ kind: 'limit', limit: 'memory' });
    } finally {
      await sandbox.close();
    }
  });
});
