// The whole cluster: a database, the nodes, and HAProxy in front of them.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilStopped } from '../../../src/cli/stop-signal.ts';
import { isAlive } from '../../../src/store/embedded/process-state.ts';
import { startEmbedded } from '../../../src/store/embedded/supervisor.ts';
import { waitUntil } from '../../../test/support/processes.ts';
import { keepRunning, logFileOf } from './keep-running.ts';
import {
  BALANCER_URL,
  FIRST_PORT,
  FOLDER,
  HAPROXY_CONFIG,
  NODES,
  STATE_FILE,
} from './layout.ts';
import type { ClusterState } from './layout.ts';
import { startNodes } from './nodes.ts';

/** What the nodes are to use. */
export interface ClusterDatabase {
  url: string;
  directUrl?: string;
}

export interface ClusterOptions {
  /** What it starts is deferred to the end of the cluster at once: it may be asked to stop while it starts. */
  openDatabase?: (undo: AsyncDisposableStack) => Promise<ClusterDatabase>;
  /** Settings of the nodes, beside those that they always have. */
  settings?: Record<string, string>;
}

async function embeddedDatabase(undo: AsyncDisposableStack): Promise<ClusterDatabase> {
  const dataDir = join(FOLDER, 'data');
  const { url, stop } = await startEmbedded({ dataDir });
  undo.defer(stop);
  return { url };
}

export function requireProgram(name: string, packageName: string): void {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' });
  } catch {
    console.error(`${name} is not installed. On Debian: apt-get install ${packageName}`);
    process.exit(2);
  }
}

function masterKey(): string {
  const file = join(FOLDER, 'master-key');
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

async function isBalancing(): Promise<boolean> {
  return fetch(`${BALANCER_URL}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The cluster that another process keeps running, if there is one. */
export function findCluster(): ClusterState | undefined {
  if (!existsSync(STATE_FILE)) return undefined;
  const state = JSON.parse(readFileSync(STATE_FILE, 'utf8')) as ClusterState;
  return isAlive(state.pid) ? state : undefined;
}

async function start(
  undo: AsyncDisposableStack,
  { openDatabase = embeddedDatabase, settings = {} }: ClusterOptions,
): Promise<ClusterState> {
  requireProgram('haproxy', 'haproxy');
  mkdirSync(FOLDER, { recursive: true, mode: 0o711 });
  undo.defer(() => rmSync(STATE_FILE, { force: true }));
  const { url: databaseUrl, directUrl } = await openDatabase(undo);
  const direct = directUrl === undefined ? {} : { directUrl };
  await startNodes(FOLDER, undo, { databaseUrl, ...direct, masterKey: masterKey(), settings });
  const ports = NODES.filter(({ role }) => role === 'api').map(
    ({ port }, index) => [`API_${index + 1}_PORT`, String(port)] as const,
  );
  const balancer = keepRunning(FOLDER, {
    name: 'haproxy',
    command: 'haproxy',
    args: ['-db', '-f', HAPROXY_CONFIG],
    env: {
      PATH: process.env['PATH'],
      CLUSTER_PORT: String(FIRST_PORT),
      ...Object.fromEntries(ports),
    },
  });
  undo.defer(() => balancer.stop());
  await waitUntil(isBalancing, `HAProxy: see ${logFileOf(FOLDER, 'haproxy')}`);
  const state = { pid: process.pid, balancerUrl: BALANCER_URL, databaseUrl: directUrl ?? databaseUrl };
  writeFileSync(STATE_FILE, JSON.stringify(state), { mode: 0o600 });
  return state;
}

/** Starts a cluster that ends with the work, or when it is asked to stop, even in the middle of its start. */
export async function runInCluster(
  work: (cluster: ClusterState) => Promise<number>,
  options: ClusterOptions = {},
): Promise<never> {
  const undo = new AsyncDisposableStack();
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= undo.disposeAsync());
  void untilStopped().then(async () => {
    console.log('Stopping the nodes, HAProxy and the database.');
    await close();
    process.exit(130);
  });
  let exitCode = 1;
  try {
    exitCode = await work(await start(undo, options));
  } catch (error) {
    if (closing === undefined) console.error(error);
  }
  await close();
  process.exit(exitCode);
}

/** In the cluster that is running, or in one that ends with the work. */
export async function withCluster(work: (cluster: ClusterState) => Promise<boolean>): Promise<never> {
  const exitCodeOf = async (cluster: ClusterState) => ((await work(cluster)) ? 0 : 1);
  const running = findCluster();
  if (running === undefined) return runInCluster(exitCodeOf);
  process.exit(await exitCodeOf(running));
}
