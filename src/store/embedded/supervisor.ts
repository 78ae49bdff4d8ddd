import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { findNativeFolder, usableBinaries } from './binaries.ts';
import { ensureCluster, readPassword, readPidFile, SUPERUSER } from './cluster.ts';
import { lockDataFolder } from './data-lock.ts';
import { startGuard } from './guard.ts';
import type { Guard } from './guard.ts';
import type { Layout } from './placement.ts';
import { checkMajorVersion, makeDataFolder, placeCluster, readLayout } from './placement.ts';
import type { Postmaster, PostmasterOptions } from './postmaster.ts';
import { findPostmaster, startPostmaster, stopPostmaster } from './postmaster.ts';
import { isAlive, isPostmasterOf } from './process-state.ts';
import { findServiceUser } from './service-user.ts';

export interface EmbeddedOptions {
  dataDir: string;
  log?(message: string): void;
  /** Over the defaults, as in postgresql.conf; an adopted postmaster keeps the ones it has. */
  settings?: Readonly<Record<string, string>>;
}

export interface Embedded {
  url: string;
  /** The postmaster's; it changes when the database had to be started again. */
  readonly pid: number;
  /** It was already running, left behind by a server that was killed. */
  adopted: boolean;
  stop(): Promise<void>;
}

const WATCH_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/** Starts (or adopts) the data folder's own PostgreSQL and keeps it up until stopped. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const log = (message: string): void => options.log?.(message);
  makeDataFolder(options.dataDir);
  const lock = lockDataFolder(readLayout(options.dataDir).dataDir);
  let guard: Guard | undefined;
  try {
    const { password, ...prepared } = await prepare(options, log);
    guard = startGuard(prepared.layout);
    const start = { ...prepared, onSpawn: guard.watch };
    const running = await findPostmaster(start.layout);
    if (running) {
      log(`Using the database that is already running (pid ${running.pid}).`);
      guard.watch(running.pid);
    }
    const watch = watchPostmaster(running ?? (await startPostmaster(start)), start);
    return {
      url: urlFor(password, watch.port),
      get pid() {
        return watch.pid();
      },
      adopted: running !== undefined,
      async stop() {
        try {
          await watch.stop();
          guard?.release();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    guard?.release();
    lock.release();
    throw error;
  }
}

async function prepare(
  options: EmbeddedOptions,
  log: (message: string) => void,
): Promise<Omit<PostmasterOptions, 'onSpawn'> & { password: string }> {
  const found = readLayout(options.dataDir);
  checkMajorVersion(found);
  const user = findServiceUser(found.clusterDir);
  const layout = placeCluster(found, user, log);
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const nativeDir = findNativeFolder(platform, process.arch);
  const binaries = await usableBinaries({ nativeDir, home: layout.home, user, log });
  if (!existsSync(layout.clusterDir)) log(`Creating a database in ${layout.clusterDir}.`);
  const password = await ensureCluster(layout, { binaries, user });
  return { layout, binaries, user, settings: options.settings ?? {}, log, password };
}

interface Watch {
  port: number;
  pid(): number;
  stop(): Promise<void>;
}

/** Starts the database again, on the same port, when it ends by itself. */
function watchPostmaster(first: Postmaster, options: PostmasterOptions): Watch {
  const stopping = new AbortController();
  const pause = (ms: number): Promise<unknown> =>
    delay(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
  let pid = first.pid;

  async function keepRunning(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      await pause(failures === 0 ? WATCH_MS : Math.min(LONGEST_PAUSE_MS, 100 * 2 ** failures));
      if (stopping.signal.aborted || isAlive(pid)) continue;
      options.log(`The database (pid ${pid}) stopped; restarting it.`);
      try {
        ({ pid } = await startPostmaster(options, first.port));
        failures = 0;
      } catch (error) {
        failures += 1;
        options.log(error instanceof Error ? error.message : String(error));
      }
    }
  }

  const watching = keepRunning();
  return {
    port: first.port,
    pid: () => pid,
    async stop() {
      stopping.abort();
      await watching;
      await stopPostmaster(pid);
    },
  };
}

/** The database of a server that runs beside this process, for commands that only need to ask it. */
export function findRunningEmbedded(dataDir: string): { url: string; pid: number } | undefined {
  const layout: Layout = readLayout(dataDir);
  const file = readPidFile(layout.clusterDir);
  if (!file?.ready || !isPostmasterOf(file.pid, layout.clusterDir)) return undefined;
  return { url: urlFor(readPassword(layout), file.port), pid: file.pid };
}

/** Whether a database was ever made for the folder. Throws when it is one that cannot be opened. */
export function hasCluster(dataDir: string): boolean {
  const layout = readLayout(dataDir);
  checkMajorVersion(layout);
  return existsSync(layout.clusterDir);
}

function urlFor(password: string, port: number): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
}
