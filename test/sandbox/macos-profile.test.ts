// The profile for sandbox-exec, judged as its kernel does: rules in their order, and the last one that matches counts. And
// what else macOS needs and can be tried elsewhere: lists of processes, copies at a path of their own.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCopy } from '../../src/sandbox/copy/copy.ts';
import { openRunBase } from '../../src/sandbox/copy/run-base.ts';
import { createCommandProcesses, readRows } from '../../src/sandbox/in-place/processes.ts';
import { quoted, sandboxProfile } from '../../src/sandbox/macos/profile.ts';
import type { ProfileView } from '../../src/sandbox/macos/profile.ts';
import { openWorkplace } from '../../src/sandbox/workplace.ts';

type Form = string | { text: string } | Form[];

/** Of the language no more than profiles of ours use; what is not closed, or comes after the last form, fails. */
function parse(profile: string): Form[] {
  const tokens = [...profile.matchAll(/\s+|[()]|"((?:\\.|[^"\\])*)"|[^\s()"]+/gy)];
  expect(tokens.map(([token]) => token).join('')).toBe(profile);
  const stack: Form[][] = [[]];
  for (const [token, text] of tokens) {
    if (token === '(') stack.push([]);
    else if (token === ')') {
      const form = stack.pop()!;
      stack.at(-1)!.push(form);
    } else if (text !== undefined) stack.at(-1)!.push({ text: text.replaceAll(/\\(.)/g, '$1') });
    else if (token.trim() !== '') stack.at(-1)!.push(token);
  }
  expect(stack).toHaveLength(1);
  return stack[0]!;
}

const matchesOperation = (rule: string, operation: string) =>
  rule === 'default' ||
  rule === operation ||
  (rule.endsWith('*') && operation.startsWith(rule.slice(0, -1)));

function matchesPath(form: Form, path: string): boolean {
  const [kind, value] = form as [string, { text: string }];
  if (kind === 'literal') return path === value.text;
  return kind === 'subpath' && (path === value.text || path.startsWith(`${value.text}/`));
}

function may(profile: string, operation: string, path: string): boolean {
  let answer = false;
  for (const [verb, ...rest] of parse(profile) as [string, ...Form[]][]) {
    if (verb !== 'allow' && verb !== 'deny') continue;
    const operations = rest.filter((one) => typeof one === 'string');
    const filters = rest.filter((one) => typeof one !== 'string');
    if (!operations.some((one) => matchesOperation(one, operation))) continue;
    if (filters.length > 0 && !filters.some((one) => matchesPath(one, path))) continue;
    answer = verb === 'allow';
  }
  return answer;
}

const STATE = '/Users/ada/.local/state/millrace';
const OWN = `${STATE}/sandboxes/1`;
const VIEW: ProfileView = {
  folder: { path: `${OWN}/copy-1/tree`, isReadOnly: false },
  home: `${OWN}/private-1/home`,
  temp: `${OWN}/private-1/temp`,
  readable: ['/Users/ada/.nvm/versions/node/v24'],
  stateFolder: STATE,
  shownOfState: [`${OWN}/repository-1/objects`],
  ports: [4999],
  hasNetwork: true,
};
const READS = ['file-read-data', 'file-read-metadata', 'process-exec', 'file-map-executable'];
const all = (view: ProfileView, operations: readonly string[], path: string) =>
  operations.map((operation) => may(sandboxProfile(view), operation, path));

describe('a profile', () => {
  it('shows the copy, the private folders, the system and tools', () => {
    const { folder, home, temp } = VIEW;
    for (const path of [folder.path, `${folder.path}/src/a.ts`, `${home}/x`, `${temp}/x`]) {
      expect(all(VIEW, [...READS, 'file-write-create'], path)).toEqual([
        true,
        true,
        true,
        true,
        true,
      ]);
    }
    for (const path of [
      '/usr/bin/git',
      '/bin/sh',
      '/private/var/select/sh',
      '/opt/homebrew/bin/python3',
      '/Users/ada/.nvm/versions/node/v24/bin/node',
    ]) {
      expect([path, ...all(VIEW, [...READS, 'file-write-data'], path)]).toEqual([
        path,
        true,
        true,
        true,
        true,
        false,
      ]);
    }
    expect(all(VIEW, ['file-read-data', 'file-write-data'], VIEW.shownOfState[0]!)).toEqual([
      true,
      false,
    ]);
  });

  it('shows nothing of the home, of other projects and of our state', () => {
    for (const path of [
      '/Users/ada',
      '/Users/ada/.ssh/id_ed25519',
      '/Users/ada/.nvm/other',
      '/Users/ada/project/.env',
      '/Users/ada/Library/Keychains/login.keychain-db',
      '/Users/bob/x',
      '/private/tmp/other',
      '/private/var/folders/ab/x',
      '/private/etc/master.passwd',
      '/private/etc/ssh/ssh_host_ed25519_key',
      '/opt/homebrew/var/postgresql/x',
      '/Volumes/Backup/x',
      '/dev/tty',
      '/dev/disk0',
      `${STATE}/master.key`,
      `${OWN}/copy-2/tree/a`,
      `${folderNamedAlike()}/a`,
    ]) {
      const seen = all(VIEW, ['file-read-data', 'process-exec', 'file-write-data'], path);
      expect([path, ...seen]).toEqual([path, false, false, false]);
    }
    // The way to what is shown can be walked, not listed; beside it nothing is there.
    expect(all(VIEW, ['file-read-metadata'], '/Users/ada')).toEqual([true]);
    expect(all(VIEW, ['file-read-metadata'], '/Users/ada/.ssh')).toEqual([false]);
    for (const link of ['/tmp', '/var', '/etc', '/private']) {
      expect([link, ...all(VIEW, ['file-read-metadata', 'file-write-create'], link)]).toEqual([
        link,
        true,
        false,
      ]);
    }
  });

  it('hides our state in a folder that has it inside, and keeps a read-only one so', () => {
    const folder = { path: '/Users/ada', isReadOnly: true };
    const view = { ...VIEW, folder };
    expect(all(view, ['file-read-data', 'file-write-data'], '/Users/ada/a.txt')).toEqual([
      true,
      false,
    ]);
    expect(all(view, READS.slice(0, 3), `${STATE}/master.key`)).toEqual([false, false, false]);
    expect(all(view, ['file-read-data', 'file-write-data'], `${view.home}/x`)).toEqual([
      true,
      true,
    ]);
    const writable = { ...view, folder: { ...folder, isReadOnly: false } };
    expect(all(writable, ['file-write-data'], '/Users/ada/a.txt')).toEqual([true]);
    expect(all(writable, ['file-write-data'], `${STATE}/master.key`)).toEqual([false]);
  });

  it('opens the ports of its doors and nothing else of the network, and few services', () => {
    const rules = parse(sandboxProfile(VIEW)) as Form[][];
    const network = rules.filter((rule) =>
      rule.some((one) => typeof one === 'string' && one.startsWith('network')),
    );
    expect(network).toEqual([
      ['allow', 'network-outbound', ['remote', 'ip', { text: 'localhost:4999' }]],
    ]);
    const closed = sandboxProfile({ ...VIEW, ports: [], hasNetwork: false });
    expect(closed).not.toMatch(/network|trustd/);
    expect(rules.slice(0, 2)).toEqual([
      ['version', '1'],
      ['deny', 'default'],
    ]);
    expect(sandboxProfile(VIEW)).not.toMatch(
      /securityd|SecurityServer|pasteboard|appleevents|launchd|WindowServer/i,
    );
    for (const operation of ['mach-register', 'iokit-open', 'appleevent-send', 'pseudo-tty']) {
      expect([operation, may(closed, operation, '/')]).toEqual([operation, false]);
    }
    expect(rules).toContainEqual(['allow', 'signal', ['target', 'same-sandbox']]);
  });

  it.each([
    ['quotes', 'a "b")(allow default'],
    ['a backslash at the end', 'a\\'],
    ['a backslash before a quote', 'a\\") (allow file-read*'],
    ['other writing', 'Überfluß 日本語 🌊'],
    ['what a pattern would mean', '(a|b)*.#"[x]'],
    ['a comment', 'a ; (allow default)'],
  ])('takes a path with %s as it is', (_, name) => {
    const path = `${OWN}/${name}`;
    const view = { ...VIEW, folder: { path, isReadOnly: false } };
    const rules = parse(sandboxProfile(view)) as Form[][];
    expect(rules).toHaveLength(parse(sandboxProfile(VIEW)).length);
    expect(all(view, ['file-read-data', 'file-write-data'], `${path}/x`)).toEqual([true, true]);
    expect(all(view, ['file-read-data'], '/Users/ada/.ssh/id_ed25519')).toEqual([false]);
  });

  it.each(['a\nb', 'a\0b', '\r', '\x7f'])('refuses a path with %j', (path) => {
    expect(() => quoted(path)).toThrow('control characters');
  });
});

/** Not below the copy, though its path begins with the same letters. */
function folderNamedAlike(): string {
  return `${VIEW.folder.path}-other`;
}

it('finds what a command started, also what left its group, and no process that has its number later', () => {
  const row = (pid: number, parent: number, group: number, startedAt = 'Thu') =>
    `${pid} ${parent} ${group} S 1024 1:02.03 ${startedAt}`;
  let output = [
    row(1, 0, 1),
    row(13, 12, 13),
    row(12, 10, 10),
    row(10, 5, 10),
    '9 5 9 Z 0 0:00.00 Thu',
  ].join('\n');
  const processes = createCommandProcesses(10, () => readRows(output));
  const pids = () =>
    processes
      .list()
      .map(({ pid }) => pid)
      .toSorted((a, b) => a - b);
  expect(pids()).toEqual([10, 12, 13]);
  expect(processes.list()[0]!.memoryBytes).toBe(1024 * 1024);
  expect(processes.list()[0]!.ticks).toBe(6203);
  // Its parents have ended; it is a child of the first process of the system now.
  output = [row(1, 0, 1), row(13, 1, 13)].join('\n');
  expect(pids()).toEqual([13]);
  output = [row(1, 0, 1), row(13, 1, 13, 'Fri'), row(10, 1, 77, 'Fri')].join('\n');
  expect(pids()).toEqual([]);
});

describe('a copy where nothing can be mounted', () => {
  let base: string;
  beforeEach(() => {
    base = realpathSync.native(mkdtempSync(join(tmpdir(), 'millrace-sandbox-')));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('has its dependencies and its repository inside, and they are no changes', async () => {
    const folder = join(base, 'project');
    mkdirSync(join(folder, 'node_modules/dep'), { recursive: true });
    writeFileSync(join(folder, 'a.txt'), 'a\n');
    writeFileSync(join(folder, 'node_modules/dep/index.js'), 'dep\n');
    mkdirSync(join(base, 'state'));
    const workplace = openWorkplace(join(base, 'state'));
    const world = { workplace, programs: undefined, mountRights: undefined, hasMounts: false };
    const source = { folder, files: ['a.txt'], isSecret: () => false };
    const runBase = await openRunBase(source, workplace, Promise.resolve(world));
    const copy = await openCopy({ ...source, base: runBase }, world);
    expect(copy.runsIn).not.toBe(folder);
    expect(copy.mounts.overlays).toEqual([]);
    expect(readFileSync(join(copy.runsIn, 'node_modules/dep/index.js'), 'utf8')).toBe('dep\n');
    if (runBase.repository !== undefined) {
      const git = (...args: string[]) =>
        execFileSync('git', args, { cwd: copy.runsIn, encoding: 'utf8' }).trim();
      expect(git('log', '--format=%s')).toBe('Base');
      expect(git('ls-files')).toBe('a.txt');
    }
    writeFileSync(join(copy.runsIn, 'node_modules/dep/index.js'), 'other\n');
    writeFileSync(join(copy.runsIn, 'b.txt'), 'b\n');
    const { changes, repositories } = await copy.changes();
    expect(changes.map(({ path, change }) => `${change} ${path}`)).toEqual(['added b.txt']);
    expect(repositories).toEqual([]);
    expect(readFileSync(join(folder, 'node_modules/dep/index.js'), 'utf8')).toBe('dep\n');
    copy.remove();
    expect(existsSync(copy.runsIn)).toBe(false);
    workplace.remove();
  });
});
