// The set-up of a checkout, with an npm that does what the test says: it waits until it may go on, and
// then ends well or badly. What it installs is a `node` that tells whether it was started too early.
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProgram, waitUntil } from '../support/processes.ts';
import type { NodeProcess } from '../support/processes.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const LOCK = '.setup-lock';
const STAMP = 'node_modules/.millrace-setup';

const NPM = `#!/bin/sh
echo begin >> npm.log
echo "$*" >> npm-arguments.log
if [ "$1" = ci ]; then rm -rf node_modules; fi
mkdir -p node_modules/.bin
cp installed-node node_modules/.bin/node
mkdir -p node_modules/begun node_modules/whole
echo '{}' > node_modules/whole/package.json
while [ ! -e go ]; do sleep 0.05; done
if [ -e fail ]; then
  rm fail
  echo 'the registry is down' >&2
  exit 1
fi
echo whole > node_modules/state
echo end >> npm.log
`;

const INSTALLED_NODE = `#!/bin/sh
if [ "$1" = --version ]; then
  echo v24.0.0
else
  echo "started with a $(cat "$(dirname "$0")/../state") folder"
fi
`;

let root: string;
let started: NodeProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-setup-'));
  cpSync(join(PROJECT, 'scripts'), join(root, 'scripts'), { recursive: true });
  copyFileSync(join(PROJECT, 'millrace'), join(root, 'millrace'));
  mkdirSync(join(root, 'bin'));
  symlinkSync(process.execPath, join(root, 'bin', 'node'));
  for (const [name, text] of [
    ['bin/npm', NPM],
    ['installed-node', INSTALLED_NODE],
  ] as const) {
    writeFileSync(join(root, name), text);
    chmodSync(join(root, name), 0o755);
  }
  // A folder that was complete before the lockfile changed.
  mkdirSync(join(root, 'node_modules'));
  writeFileSync(join(root, STAMP), 'the hash of another lockfile');
  changeLockfile();
});

afterEach(async () => {
  allow();
  for (const each of started) await each.kill('SIGTERM');
  started = [];
  rmSync(root, { recursive: true, force: true, maxRetries: 20 });
});

function changeLockfile(): void {
  writeFileSync(join(root, 'package-lock.json'), randomBytes(8).toString('hex'));
}

function allow(): void {
  writeFileSync(join(root, 'go'), '');
}

function npmLog(): string[] {
  const file = join(root, 'npm.log');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

function start(...command: [string, ...string[]]): NodeProcess {
  const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` };
  const [program, ...args] = command;
  const child = startProgram(program, args, { cwd: root, env });
  started.push(child);
  return child;
}

const command = () => start('sh', 'millrace');
const setUp = (...args: string[]) => start(process.execPath, 'scripts/setup.mjs', ...args);

/** What npm was asked to do, call by call, without how it should report. */
function npmCalls(): string[] {
  const text = readFileSync(join(root, 'npm-arguments.log'), 'utf8').trim();
  return text.split('\n').map((line) => line.replace(/ --no-audit.*/, ''));
}

async function npmStarted(times = 1): Promise<void> {
  await waitUntil(() => npmLog().filter((line) => line === 'begin').length >= times, 'npm');
}

/** Until it waits, or does what it must not. */
async function waits(second: NodeProcess): Promise<void> {
  const begun = npmLog().length;
  await waitUntil(() => /Waiting/.test(second.output()) || npmLog().length > begun, 'the wait');
  expect(second.output()).toMatch(/^Waiting for another setup to finish \(process \d+\)\n$/);
}

/** The file of the process that sets up, and what is in it. */
function readLock() {
  const [name = ''] = readdirSync(join(root, LOCK));
  const holder = JSON.parse(readFileSync(join(root, LOCK, name), 'utf8')) as Record<
    string,
    unknown
  >;
  return { name, holder };
}

/** A lock that nobody gives back. */
function leaveLock(name: string, holder: Record<string, unknown>): string {
  mkdirSync(join(root, LOCK));
  writeFileSync(join(root, LOCK, name), JSON.stringify(holder));
  return join(root, LOCK, name);
}

test('of commands that start at once, one sets up and the others wait for it', async () => {
  const first = command();
  await npmStarted();
  expect(existsSync(join(root, STAMP))).toBe(false);
  const second = command();
  await waits(second);
  allow();
  expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
  expect(first.output()).toMatch(/^Setting up: .*\n(?: {2}\d+ s\n)*started with a whole folder\n$/);
  expect(second.output()).toMatch(/^Waiting .*\nstarted with a whole folder\n$/);
  expect(npmLog()).toEqual(['begin', 'end']);
  expect(readdirSync(root).filter((name) => name.startsWith(LOCK))).toEqual([]);
  // And from now on there is nothing to do, also after a checkout that touched the lockfile.
  writeFileSync(
    join(root, 'package-lock.json'),
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  );
  const third = command();
  expect(await third.ended).toBe(0);
  expect(third.output()).toBe('started with a whole folder\n');
});

test('says how far it is while npm says nothing', async () => {
  const packages = {
    '': {},
    'node_modules/begun': {},
    'node_modules/whole': {},
    'node_modules/other-machine': { os: ['nowhere'] },
    'node_modules/for-development': { dev: true },
  };
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
  const first = command();
  await waitUntil(() => / {2}\d+ s, 1 of 2 packages\n/.test(first.output()), 'a line');
  allow();
  expect(await first.ended).toBe(0);
});

test('what is for development comes when it is needed, beside what a server may be using', async () => {
  allow();
  expect(await command().ended).toBe(0);
  expect(npmCalls()).toEqual(['ci --omit=dev']);
  writeFileSync(join(root, 'node_modules', 'in-use'), '');
  expect(await setUp('--all').ended).toBe(0);
  expect(npmCalls()).toEqual(['ci --omit=dev', 'install --no-save --include=dev']);
  expect(existsSync(join(root, 'node_modules', 'in-use'))).toBe(true);
  // Then nothing is left to do, whatever is asked for.
  expect(await setUp('--all').ended).toBe(0);
  expect(await command().ended).toBe(0);
  expect(npmCalls()).toHaveLength(2);
});

test('everything is installed at once where nothing was, and nothing is added to what is stale', async () => {
  allow();
  expect(await setUp('--all').ended).toBe(0);
  expect(await command().ended).toBe(0);
  expect(npmCalls()).toEqual(['ci --include=dev']);
  changeLockfile();
  expect(await command().ended).toBe(0);
  changeLockfile();
  expect(await setUp('--all').ended).toBe(0);
  expect(npmCalls().slice(1)).toEqual(['ci --omit=dev', 'ci --include=dev']);
});

test('when adding what is for development is cut off, the next one starts over', async () => {
  allow();
  expect(await setUp().ended).toBe(0);
  rmSync(join(root, 'go'));
  const first = setUp('--all');
  await npmStarted(2);
  await first.kill('SIGINT');
  expect(await first.ended).toBe(130);
  allow();
  expect(await setUp('--all').ended).toBe(0);
  expect(npmCalls().at(-1)).toBe('ci --include=dev');
});

test('when the set-up of one fails, the next one tries itself', async () => {
  writeFileSync(join(root, 'fail'), '');
  const first = command();
  await npmStarted();
  const second = command();
  await waits(second);
  allow();
  expect(await first.ended).toBe(1);
  expect(first.output()).toMatch(/the registry is down\n\nSetup failed: `npm ci` did not finish\./);
  expect(first.output()).not.toContain('started');
  expect(await second.ended).toBe(0);
  expect(second.output()).toContain('started with a whole folder');
  expect(npmLog()).toEqual(['begin', 'begin', 'end']);
});

test('when the set-up is killed but its npm is not, the next one waits for npm and repeats it', async () => {
  const first = command();
  await npmStarted();
  process.kill(Number(readLock().holder['pid']), 'SIGKILL');
  expect(await first.ended).toBe(1);
  expect(first.output()).toMatch(/Setup failed: it was stopped\. Try again\.\n$/);
  const second = command();
  await waits(second);
  allow();
  expect(await second.ended).toBe(0);
  expect(second.output()).toContain('started with a whole folder');
  expect(npmLog()).toEqual(['begin', 'end', 'begin', 'end']);
});

test('Ctrl-C stops npm too, and the next one starts over', async () => {
  const first = setUp();
  await npmStarted();
  await first.kill('SIGINT');
  expect(await first.ended).toBe(130);
  const second = command();
  await npmStarted(2);
  expect(npmLog()).toEqual(['begin', 'begin']);
  allow();
  expect(await second.ended).toBe(0);
  expect(second.output()).toContain('started with a whole folder');
  expect(npmLog()).toEqual(['begin', 'begin', 'end']);
});

test('a lockfile that changes during the set-up is set up for as well', async () => {
  const first = command();
  await npmStarted();
  changeLockfile();
  allow();
  expect(await first.ended).toBe(0);
  expect(npmLog()).toEqual(['begin', 'end', 'begin', 'end']);
});

test('the lock of a process that is gone is taken over, also when its id is used again', async () => {
  const first = setUp();
  await npmStarted();
  const { name, holder } = readLock();
  allow();
  expect(await first.ended).toBe(0);
  for (const pid of [holder['pid'], process.pid]) {
    leaveLock(name, { ...holder, pid });
    changeLockfile();
    const next = setUp();
    expect(await next.ended).toBe(0);
    expect(next.output()).toMatch(
      /^Setting up: installing dependencies \(this happens once\)\n(?: {2}\d+ s\n)*$/,
    );
    expect(existsSync(join(root, LOCK))).toBe(false);
  }
});

test('the lock of another machine is taken over when nothing touches it any more', async () => {
  const { watchLock } = (await import(
    pathToFileURL(join(PROJECT, 'scripts', 'setup-lock.mjs')).href
  )) as { watchLock(folder: string, patienceMs: number): () => string | undefined };
  const file = leaveLock('4711-left', { pid: process.pid, start: 'x', machine: 'elsewhere' });
  const patient = watchLock(join(root, LOCK), 600_000);
  expect(patient()).toBe('4711');
  const holderOf = watchLock(join(root, LOCK), 0);
  expect(holderOf()).toBe(undefined);
  expect(existsSync(file)).toBe(false);
  expect(patient()).toBe(undefined);
});

test('what was installed by hand is not installed again, unless a part of it is missing', async () => {
  const whole = { version: '1.0.0' };
  const tool = { version: '2.0.0', dev: true };
  const foreign = { version: '1.0.0', os: ['no-such-system'] };
  const lockfile = (packages: object) => JSON.stringify({ packages });
  writeFileSync(
    join(root, 'package-lock.json'),
    lockfile({
      '': {},
      'node_modules/whole': whole,
      'node_modules/tool': tool,
      'node_modules/foreign': foreign,
    }),
  );
  const npmWrote = (packages: object) =>
    writeFileSync(join(root, 'node_modules/.package-lock.json'), lockfile(packages));
  mkdirSync(join(root, 'node_modules/.bin'));
  copyFileSync(join(root, 'installed-node'), join(root, 'node_modules/.bin/node'));
  writeFileSync(join(root, 'node_modules/state'), 'whole');
  npmWrote({ 'node_modules/whole': whole });
  const ran = command();
  expect(await ran.ended).toBe(0);
  expect(ran.output()).toBe('started with a whole folder\n');
  expect(npmLog()).toEqual([]);

  allow();
  expect(await setUp('--all').ended).toBe(0);
  expect(npmLog()).toEqual(['begin', 'end']);

  rmSync(join(root, STAMP));
  npmWrote({ 'node_modules/whole': { version: '0.9.0' }, 'node_modules/tool': tool });
  expect(await setUp('--all').ended).toBe(0);
  expect(npmLog()).toEqual(['begin', 'end', 'begin', 'end']);
});
