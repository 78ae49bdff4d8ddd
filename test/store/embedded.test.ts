import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DataFolderInUseError } from '../../src/store/embedded/data-lock.ts';
import { isAlive } from '../../src/store/embedded/process-state.ts';
import { findServiceUser, firstClosedFolder } from '../../src/store/embedded/service-user.ts';
import type { Embedded } from '../../src/store/embedded/supervisor.ts';
import { findRunningEmbedded, startEmbedded } from '../../src/store/embedded/supervisor.ts';
import type { QueryResult } from '../../src/store/postgres/db.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import type { NodeProcess, NodeProcessOptions } from '../support/processes.ts';
import { startNode, waitUntil } from '../support/processes.ts';
import { PATIENT_MS } from '../support/database-mode.ts';

const SERVER = fileURLToPath(new URL('fixtures/embedded-server.ts', import.meta.url));
const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === 'linux';

let template: string;
let root: string;
let dataDir: string;
let cleanups: (() => Promise<unknown>)[];

// Making a cluster takes longer than all the rest; most tests start from a copy of this one.
beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'millrace-embedded-'));
  await chmod(template, 0o711);
  const embedded = await startEmbedded({ dataDir: template });
  await ask(embedded.url, 'create table kept as select 42 as answer');
  await embedded.stop();
});

afterAll(() => rm(template, { recursive: true, force: true }));

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-embedded-'));
  await chmod(root, 0o755);
  dataDir = join(root, 'data');
  cleanups = [];
});

afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  const left = existsSync(dataDir) ? findRunningEmbedded(dataDir)?.pid : undefined;
  if (left !== undefined) process.kill(left, 'SIGKILL');
  await waitUntil(() => left === undefined || !isAlive(left));
  // What a killed start had begun writes for a moment longer.
  await waitUntil(() => processesNaming(root).length === 0, 'the end of what was begun');
  await rm(root, { recursive: true, force: true, maxRetries: 20 });
});

/** Empty when it has ended meanwhile. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function processesNaming(folder: string): string[] {
  if (!isLinux) return [];
  return readdirSync('/proc').filter(
    (name) =>
      /^\d+$/.test(name) && Number(name) !== process.pid && commandLine(name).includes(folder),
  );
}

/** The process that ends the database of a server that was killed. */
function guardOf(server: number): number | undefined {
  const names = processesNaming(join(dataDir, 'postgres-18')).filter((name) => {
    const command = commandLine(name).split('\0');
    return command.includes('millrace-guard') && command.includes(String(server));
  });
  return names.length === 0 ? undefined : Number(names[0]);
}

/** As when a whole group of processes is killed, but for the database, which is in one of its own. */
async function killWithGuard(server: NodeProcess): Promise<void> {
  process.kill(server.pid, 'SIGSTOP');
  const guard = guardOf(server.pid);
  if (guard !== undefined) process.kill(guard, 'SIGKILL');
  await server.kill('SIGKILL');
}

function startFromTemplate(): void {
  // With its owners, which Node's own copy does not keep.
  execFileSync('cp', ['-a', template, dataDir]);
}

async function start(log?: (message: string) => void): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir, ...(log && { log }) });
  cleanups.push(() => embedded.stop());
  return embedded;
}

interface Ready {
  url: string;
  pid: number;
  adopted: boolean;
}

async function startServer(
  options: NodeProcessOptions = {},
): Promise<Ready & { server: NodeProcess }> {
  const server = startNode(SERVER, [dataDir], options);
  cleanups.push(() => server.kill('SIGKILL'));
  const [, json = ''] = await server.waitFor(/^ready (.*)$/m);
  return { ...(JSON.parse(json) as Ready), server };
}

async function ask<Row>(url: string, text: string): Promise<Row[]> {
  const db = openDb({ url, silenceMs: PATIENT_MS });
  try {
    const result: QueryResult<Row> = await db.query(text);
    return result.rows;
  } finally {
    await db.close();
  }
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

const pidFile = (): string => join(dataDir, 'postgres-18', 'postmaster.pid');

/** Ends server and database as a power cut would, and then puts another number in the pid file. */
async function crashLeaving(pid: number): Promise<void> {
  startFromTemplate();
  const { server, pid: postmaster } = await startServer();
  await killWithGuard(server);
  process.kill(postmaster, 'SIGKILL');
  await waitUntil(() => !isAlive(postmaster));
  const lines = readFileSync(pidFile(), 'utf8').split('\n');
  writeFileSync(pidFile(), [String(pid), ...lines.slice(1)].join('\n'));
}

/** PostgreSQL only minds a pid file whose process belongs to its own user. */
function databaseUser(): { uid?: number; gid?: number } {
  const user = findServiceUser(join(template, 'postgres-18'));
  return user ? { uid: user.uid, gid: user.gid } : {};
}

async function expectKept(url: string): Promise<void> {
  expect(await ask(url, 'select answer from kept')).toEqual([{ answer: 42 }]);
}

describe('a data folder of its own', () => {
  test('is made on the first start, closed to others, durable and independent of the host', async () => {
    const { url, adopted } = await start();
    expect(adopted).toBe(false);
    expect(
      await ask(
        url,
        `select current_setting('fsync') as fsync, current_setting('data_checksums') as checksums,
                current_setting('server_encoding') as encoding, datlocale as locale,
                current_setting('lc_messages') as messages,
                current_setting('listen_addresses') as address
         from pg_database where datname = current_database()`,
      ),
    ).toEqual([
      {
        fsync: 'on',
        checksums: 'on',
        encoding: 'UTF8',
        locale: 'C.UTF-8',
        messages: 'C',
        address: '127.0.0.1',
      },
    ]);
    expect(modeOf(dataDir)).toBe(isRoot ? 0o711 : 0o700);
    expect(modeOf(join(dataDir, 'postgres-18'))).toBe(0o700);
    for (const name of readdirSync(dataDir).filter((each) => each !== 'postgres-18')) {
      // Program files are no secret; they are here when those of the checkout are out of reach.
      const mode = name.startsWith('postgres-bin-') ? 0o755 : 0o600;
      expect([name, modeOf(join(dataDir, name))]).toEqual([name, mode]);
    }
    // Nobody guesses 192 random bits, and each connection would compute every round of the hash.
    expect(
      await ask(url, 'select left(rolpassword, 16) as hash from pg_authid where oid = 10'),
    ).toEqual([{ hash: 'SCRAM-SHA-256$1:' }]);
    const wrong = url.replace(/:[0-9a-f]{48}@/, ':guess@');
    await expect(ask(wrong, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  test('keeps its data over a clean stop, which leaves no process behind', async () => {
    const first = await start();
    await ask(first.url, 'create table kept as select 42 as answer');
    const { pid } = first;
    expect(findRunningEmbedded(dataDir)).toEqual({ url: first.url, pid });
    await first.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(pidFile())).toBe(false);
    expect(findRunningEmbedded(dataDir)).toBeUndefined();
    const second = await start();
    expect(second.adopted).toBe(false);
    await expectKept(second.url);
  });

  test('is refused to a second server, by a message that names the first', async () => {
    startFromTemplate();
    const { server, url } = await startServer();
    const error = await startEmbedded({ dataDir }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DataFolderInUseError);
    expect(String(error)).toContain(
      `The data folder ${dataDir} is in use by another Millrace server (pid ${server.pid}). ` +
        'Stop it, or choose another folder with --data-dir.',
    );
    expect(findRunningEmbedded(dataDir)?.url).toBe(url);
  });

  test('is refused to a second start in the same process until the first has stopped', async () => {
    startFromTemplate();
    const first = await start();
    await expect(startEmbedded({ dataDir })).rejects.toBeInstanceOf(DataFolderInUseError);
    await first.stop();
    await start();
  });

  test('has its database in a process group of its own, which Ctrl-C does not reach', async () => {
    startFromTemplate();
    const { pid } = await start();
    const group = execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' });
    expect(Number(group)).toBe(pid);
  });

  test('has no whole or half database in it when the first start was killed on the way', async () => {
    const server = startNode(SERVER, [dataDir]);
    cleanups.push(() => server.kill('SIGKILL'));
    await waitUntil(
      () => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.includes('.init-')),
    );
    await server.kill('SIGKILL');
    const { url } = await start();
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(dataDir).filter((name) => name.includes('.init-'))).toEqual([]);
  });
});

describe('after a crash', () => {
  test('the database of a killed server is adopted as it runs', async () => {
    startFromTemplate();
    const { server, url, pid } = await startServer();
    await killWithGuard(server);
    expect(findRunningEmbedded(dataDir)).toEqual({ url, pid });
    const next = await start();
    expect(next).toMatchObject({ url, pid, adopted: true });
    await expectKept(next.url);
    await next.stop();
    expect(isAlive(pid)).toBe(false);
  });

  test.runIf(isLinux)('the database ends soon after a server that was killed', async () => {
    startFromTemplate();
    const { server, pid } = await startServer();
    // A guard that is gone is replaced.
    const first = guardOf(server.pid)!;
    process.kill(first, 'SIGKILL');
    await waitUntil(() => ![undefined, first].includes(guardOf(server.pid)));
    await server.kill('SIGKILL');
    await waitUntil(() => !isAlive(pid));
    // By a shutdown, which leaves nothing to recover.
    expect(existsSync(pidFile())).toBe(false);
    const next = await start();
    expect(next.adopted).toBe(false);
    await expectKept(next.url);
  });

  test.runIf(isLinux)('it also ends when the data folder was deleted meanwhile', async () => {
    startFromTemplate();
    const { server, pid } = await startServer();
    const guard = guardOf(server.pid)!;
    process.kill(guard, 'SIGSTOP');
    await server.kill('SIGKILL');
    await rm(dataDir, { recursive: true });
    process.kill(guard, 'SIGCONT');
    await waitUntil(() => !isAlive(pid));
  });

  test.runIf(isLinux)('a database that the next server has taken over is left alone', async () => {
    startFromTemplate();
    const { server, pid } = await startServer();
    const guard = guardOf(server.pid)!;
    process.kill(guard, 'SIGSTOP');
    await server.kill('SIGKILL');
    const next = await start();
    expect(next.adopted).toBe(true);
    process.kill(guard, 'SIGCONT');
    await waitUntil(() => !isAlive(guard));
    expect(isAlive(pid)).toBe(true);
    await expectKept(next.url);
  });

  test('a pid file that names a living stranger is no obstacle, and the stranger lives on', async () => {
    const stranger = spawn('sleep', ['600'], databaseUser());
    cleanups.push(async () => Promise.resolve(stranger.kill('SIGKILL')));
    await crashLeaving(stranger.pid ?? 0);
    expect(findRunningEmbedded(dataDir)).toBeUndefined();
    const messages: string[] = [];
    const { url, adopted } = await start((message) => messages.push(message));
    expect(adopted).toBe(false);
    await expectKept(url);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
    expect(messages.join()).toContain(`names process ${stranger.pid}`);
  });

  test.runIf(isLinux)('a pid file that names a zombie is no obstacle', async () => {
    // The shell turns into a sleep that never asks after the child it started before.
    const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 600'], databaseUser());
    cleanups.push(async () => Promise.resolve(parent.kill('SIGKILL')));
    const zombie = await new Promise<number>((resolve) => {
      parent.stdout.once('data', (text: Buffer) => resolve(Number(text.toString())));
    });
    await waitUntil(() => /\) Z /.test(readFileSync(`/proc/${zombie}/stat`, 'utf8')));
    await crashLeaving(zombie);
    await expectKept((await start()).url);
  });

  test('a pid file of a process that is gone, or one cut off at its start, is no obstacle', async () => {
    await crashLeaving(4_194_000);
    const first = await start();
    await expectKept(first.url);
    await first.stop();
    writeFileSync(pidFile(), '');
    await expectKept((await start()).url);
  });

  test('a database that ends under a running server comes back at the same address', async () => {
    startFromTemplate();
    const embedded = await start();
    const { url, pid } = embedded;
    process.kill(pid, 'SIGKILL');
    await waitUntil(() => embedded.pid !== pid);
    expect(embedded.url).toBe(url);
    await expectKept(url);
  });
});

describe('users', () => {
  test.runIf(isRoot)('an ordinary user gets a folder nobody else can enter', async (context) => {
    const user = { name: 'nobody', uid: 65_534, gid: 65_534 };
    const closed = firstClosedFolder(dirname(SERVER), user);
    if (closed) context.skip(`${closed} is closed to other users`);
    await chown(root, user.uid, user.gid);
    const { server, url, pid } = await startServer({ uid: user.uid, gid: user.gid, cwd: root });
    expect(await ask(url, 'select current_user as name')).toEqual([{ name: 'millrace' }]);
    expect(modeOf(dataDir)).toBe(0o700);
    expect(statSync(join(dataDir, 'postgres-18')).uid).toBe(user.uid);
    await killWithGuard(server);
    // Root may take over later: the cluster goes on as the user who owns it.
    const next = await start();
    expect(next).toMatchObject({ url, pid, adopted: true });
    await next.stop();
    expect(findServiceUser(join(dataDir, 'postgres-18'))?.uid).toBe(user.uid);
  });

  test.runIf(isRoot)("root's database lives elsewhere when its folder is closed", async () => {
    const closed = join(root, 'closed');
    await mkdir(closed, { mode: 0o700 });
    dataDir = join(closed, 'data');
    const messages: string[] = [];
    const first = await start((message) => messages.push(message));
    const home = readFileSync(join(dataDir, 'postgres.location'), 'utf8').trim();
    cleanups.unshift(async () => {
      await rm(home, { recursive: true, force: true });
      await rmdir(dirname(home)).catch(() => undefined);
    });
    await ask(first.url, 'create table kept as select 42 as answer');
    expect(messages.join()).toContain(`the database is stored in ${home}`);
    expect(modeOf(closed)).toBe(0o700);
    expect(findRunningEmbedded(dataDir)?.url).toBe(first.url);
    await first.stop();
    await expectKept((await start()).url);
  });

  test.runIf(isRoot)('a database that its user cannot reach any more is not replaced', async () => {
    const closed = join(root, 'closed');
    await mkdir(closed, { mode: 0o700 });
    dataDir = join(closed, 'data');
    startFromTemplate();
    await expect(startEmbedded({ dataDir })).rejects.toThrow(`chmod o+x ${closed}`);
    await chmod(closed, 0o711);
    await expectKept((await start()).url);
  });
});
