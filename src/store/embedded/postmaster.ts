import { spawn } from 'node:child_process';
import { closeSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../platform/free-port.ts';
import { neutralisePidFile, readPidFile } from './cluster.ts';
import { logHint, logSize, openLog, readLog } from './log-file.ts';
import type { Layout } from './placement.ts';
import { postgresProcess } from './postgres-process.ts';
import { isAlive, isPostmasterOf } from './process-state.ts';
import type { ServiceUser } from './service-user.ts';
import { SETTINGS } from './settings.ts';

export interface Postmaster {
  pid: number;
  port: number;
}

export interface PostmasterOptions {
  layout: Layout;
  binaries: string;
  user: ServiceUser | undefined;
  settings: Readonly<Record<string, string>>;
  /** Called as soon as there is a process, ready or not. */
  onSpawn(pid: number): void;
  log: (message: string) => void;
}

const POLL_MS = 15;
// Recovery after a crash reads back up to max_wal_size, which takes a slow disk its time.
const READY_MS = 300_000;
const ORPHANS_MS = 20_000;
const RETRY_MS = 100;
const FAST_STOP_MS = 30_000;
const QUICK_STOP_MS = 10_000;

/**
 * A postmaster that already runs on the cluster, for example because its server was killed. Waits
 * for one that is starting or stopping; settles with nothing once none is left.
 */
export async function findPostmaster(layout: Layout): Promise<Postmaster | undefined> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    const found = readPidFile(layout.clusterDir);
    if (!found || !isPostmasterOf(found.pid, layout.clusterDir)) return undefined;
    if (found.ready) return { pid: found.pid, port: found.port };
    await delay(POLL_MS);
  }
  throw new Error(
    `Could not start or stop the database in ${layout.clusterDir}; ${logHint(layout)}`,
  );
}

/** Starts one; without a port, on a free one. Only to be called when none runs. */
export async function startPostmaster(
  options: PostmasterOptions,
  fixedPort?: number,
): Promise<Postmaster> {
  clearPidFile(options);
  const { layout } = options;
  const giveUp = Date.now() + ORPHANS_MS;
  while (true) {
    const port = fixedPort ?? (await freePort());
    const logged = logSize(layout);
    const pid = spawnPostmaster(options, port);
    options.onSpawn(pid);
    const outcome = await waitUntilReady(layout, pid);
    if (outcome === 'ready') return { pid, port };
    if (outcome === 'late') await stopPostmaster(pid);
    const reason = readLog(layout).subarray(logged).toString();
    // Another process may have taken the port after it was found free, and backends whose postmaster was
    // killed need a moment to notice; PostgreSQL rightly does not start beside them.
    const passing =
      (fixedPort === undefined && reason.includes('could not bind')) ||
      reason.includes('pre-existing shared memory block');
    if (outcome === 'late' || !passing || Date.now() > giveUp) {
      throw new Error(`The embedded database did not start; ${logHint(layout)}`);
    }
    await delay(RETRY_MS);
  }
}

function clearPidFile({ layout, log }: PostmasterOptions): void {
  const left = readPidFile(layout.clusterDir);
  if (!left) return;
  const path = join(layout.clusterDir, 'postmaster.pid');
  if (!(left.pid > 0)) {
    // Cut off while it was written, before any shared memory existed; PostgreSQL refuses it.
    rmSync(path, { force: true });
  } else if (existsAtAll(left.pid)) {
    log(`${path} names process ${left.pid}, which is not this database; taking it over.`);
    neutralisePidFile(layout.clusterDir);
  }
}

// PostgreSQL asks no more than this, and so takes a zombie for a running postmaster.
function existsAtAll(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

// Detached, so that Ctrl-C in a terminal reaches us alone and the database outlives our drain.
function spawnPostmaster(
  { layout, binaries, user, settings }: PostmasterOptions,
  port: number,
): number {
  const log = openLog(layout);
  try {
    const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const child = spawn(
      join(binaries, 'bin', 'postgres'),
      ['-D', layout.clusterDir, '-p', String(port), ...flags],
      { ...postgresProcess(user), stdio: ['ignore', log, log], detached: true },
    );
    // The caller sees a process that ended; without a listener the event would end us too.
    child.on('error', () => undefined);
    child.unref();
    return child.pid ?? 0;
  } finally {
    closeSync(log);
  }
}

async function waitUntilReady(layout: Layout, pid: number): Promise<'ready' | 'ended' | 'late'> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    if (!isAlive(pid)) return 'ended';
    const file = readPidFile(layout.clusterDir);
    if (file?.pid === pid && file.ready) return 'ready';
    await delay(POLL_MS);
  }
  return 'late';
}

/**
 * A fast shutdown: open transactions are rolled back and a checkpoint is written. If that hangs, an
 * immediate one, which loses nothing that was committed but costs a recovery at the next start.
 */
export async function stopPostmaster(pid: number): Promise<void> {
  for (const [signal, patience] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', QUICK_STOP_MS],
  ] as const) {
    if (!isAlive(pid)) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const deadline = Date.now() + patience;
    while (isAlive(pid) && Date.now() < deadline) await delay(POLL_MS);
  }
  if (isAlive(pid)) throw new Error(`Could not stop the embedded database (pid ${pid}).`);
}
