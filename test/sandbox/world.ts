// A home with secrets, a project in it, a neighbour, and a process that uses sandboxes there.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Difference } from '../../src/sandbox/copy/difference.ts';
import type { Limits } from '../../src/sandbox/limits.ts';
import { findPrograms } from '../../src/sandbox/linux/programs.ts';
import type { PathDoor } from '../../src/sandbox/network/path-door.ts';
import type { RefusedHost } from '../../src/sandbox/network/policy.ts';
import type { Ending } from '../../src/sandbox/sandbox.ts';

export const NO_SANDBOX =
  process.platform !== 'linux' || findPrograms().kind === 'missing'
    ? 'No bubblewrap on this machine: the tests of the sandbox are skipped.'
    : undefined;
if (NO_SANDBOX !== undefined) console.warn(NO_SANDBOX);

const NOBODY = 65534;
const own = process.getuid?.() ?? 0;
/** As whom the tests run: an ordinary user in any case. */
export const USERS: readonly (readonly [string, number])[] =
  own === 0
    ? [
        ['root', 0],
        ['an ordinary user', NOBODY],
      ]
    : [['an ordinary user', own]];

export interface DriverSettings {
  uid: number;
  stateFolder: string;
  home: string;
  project: string;
  files: string[];
  tools: string;
  node: string;
  names: Record<string, string[]>;
  allowPrivate: boolean;
  ports: number[];
  door?: PathDoor;
}

export interface Ask {
  /** Name of a copy that several of them use. */
  copy?: string;
  use?: 'read-only' | 'original';
  script?: string;
  command?: [string, ...string[]];
  hosts?: string[];
  limits?: Partial<Limits>;
}

export interface Reply extends Difference {
  ending: Ending;
  stdout: string;
  stderr: string;
  method: string;
  dependencies: string;
  refused: RefusedHost[];
}

export const SECRET = 'the-secret-of-the-person';

const FILES: Record<string, string> = {
  'home/.ssh/id_ed25519': SECRET,
  'home/neighbour/secret.txt': SECRET,
  'home/state/master.key': SECRET,
  'home/a project, 1:2/a.txt': 'a\n',
  'home/a project, 1:2/.env': SECRET,
  'home/a project, 1:2/dist/ignored.txt': SECRET,
  'home/a project, 1:2/src/b.txt': 'b\n',
  'home/a project, 1:2/src/run.sh': '#!/bin/sh\necho ran\n',
  'home/a project, 1:2/src/deep/c.txt': 'c\n',
  'home/a project, 1:2/node_modules/dep/index.js': 'dep\n',
  'home/a project, 1:2/.git/config': SECRET,
};

export interface World {
  base: string;
  home: string;
  project: string;
  child: ChildProcess;
  ask(ask: Ask): Promise<Reply>;
  close(): Promise<void>;
}

/** The temp folder of the suite, or another one where it is below a folder that is closed to other users. */
function openFolder(): string {
  const isOpen = (path: string): boolean =>
    (lstatSync(path).mode & 0o001) !== 0 && (path === '/' || isOpen(dirname(path)));
  return [tmpdir(), '/tmp', '/dev/shm'].find(isOpen) ?? tmpdir();
}

/** Below a folder of our own, which the user of the test owns. */
export function makeHome(uid: number): { base: string; settings: DriverSettings } {
  const base = mkdtempSync(join(openFolder(), 'millrace-sandbox-'));
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), content);
  }
  chmodSync(join(base, 'home/a project, 1:2/src/run.sh'), 0o755);
  symlinkSync('../neighbour/secret.txt', join(base, 'home/a project, 1:2/out'));
  const tools = join(base, 'home/tools');
  mkdirSync(tools);
  // The Node of the checkout may be below a folder that is closed to other users.
  copyFileSync(process.execPath, join(tools, 'node'), constants.COPYFILE_FICLONE);
  chmodSync(join(tools, 'node'), 0o755);
  giveTo(base, uid);
  const settings: DriverSettings = {
    uid,
    stateFolder: join(base, 'home/state'),
    home: join(base, 'home'),
    project: join(base, 'home/a project, 1:2'),
    files: ['a.txt', '.env', 'out', 'src/b.txt', 'src/run.sh', 'src/deep/c.txt'],
    tools,
    node: join(tools, 'node'),
    names: {},
    allowPrivate: false,
    ports: [80, 443],
  };
  return { base, settings };
}

function giveTo(path: string, uid: number): void {
  if (uid === own) return;
  if (lstatSync(path).isSymbolicLink()) return;
  chownSync(path, uid, uid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveTo(join(path, name), uid);
}

const DRIVER = fileURLToPath(new URL('./driver.ts', import.meta.url));

export function openWorld(uid: number, more: Partial<DriverSettings> = {}): World {
  const { base, settings } = makeHome(uid);
  const leaked = openSync(base, 'r');
  const child = spawn(process.execPath, [DRIVER, JSON.stringify({ ...settings, ...more })], {
    // The last is a folder that its parent left open to it, as a careless shell does. (Node closes low numbers itself.)
    stdio: ['pipe', 'pipe', 'pipe', ...Array<'ignore'>(60).fill('ignore'), leaked],
    env: { ...process.env, SECRET_TOKEN: SECRET },
  });
  closeSync(leaked);
  let errors = '';
  child.stderr!.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    base,
    home: settings.home,
    project: settings.project,
    child,
    async ask(ask) {
      child.stdin!.write(`${JSON.stringify(ask)}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`The driver ended: ${errors}`);
      const reply = JSON.parse(value) as Reply & { error?: string };
      if (reply.error !== undefined) throw new Error(reply.error);
      return reply;
    },
    async close() {
      child.stdin!.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      const left = existsSync(join(settings.stateFolder, 'sandboxes'))
        ? readdirSync(join(settings.stateFolder, 'sandboxes'))
        : [];
      rmSync(base, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`Left in the state folder: ${left.join(', ')}`);
    },
  };
}
