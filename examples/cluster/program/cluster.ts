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

export interface Cluster extends ClusterState {
  stop(): Promise<void>;
}

/** What the nodes are to use, and how it ends. */
export interface ClusterDatabase {
  url: string;
  directUrl?: string;
  stop(): Promise<void>;
}

async function embeddedDatabase(): Promise<ClusterDatabase> {
  const dataDir = join(FOLDER, 'data');
  const { url, stop } = await startEmbedded({ dataDir });
  return { url, stop };
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

export async function startCluster(
  openDatabase: () => Promise<ClusterDatabase> = embeddedDatabase,
): Promise<Cluster> {
  requireProgram('haproxy', 'haproxy');
  mkdirSync(FOLDER, { recursive: true, mode: 0o711 });
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).toReversed()) await step();
    rmSync(STATE_FILE, { force: true });
  };
  try {
    const database = await openDatabase();
    undo.push(database.stop);
    const { url: databaseUrl, directUrl } = database;
    const direct = directUrl === undefined ? {} : { directUrl };
    const nodes = await startNodes(FOLDER, { databaseUrl, ...direct, masterKey: masterKey() });
    undo.push(async () => void (await Promise.all(nodes.map((node) => node.stop()))));
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
    undo.push(() => balancer.stop());
    await waitUntil(isBalancing, `HAProxy: see ${logFileOf(FOLDER, 'haproxy')}`);
    const state = { pid: process.pid, balancerUrl: BALANCER_URL, databaseUrl: directUrl ?? databaseUrl };
    writeFileSync(STATE_FILE, JSON.stringify(state), { mode: 0o600 });
    return { ...state, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** In the cluster that is running, or in one that ends with the work. */
export async function withCluster(
  work: (cluster: ClusterState) => Promise<boolean>,
  openDatabase?: () => Promise<ClusterDatabase>,
): Promise<never> {
  const running = findCluster();
  const own = running === undefined ? await startCluster(openDatabase) : undefined;
  void untilStopped().then(async () => {
    await own?.stop();
    process.exit(130);
  });
  let isWell = false;
  try {
    isWell = await work(running ?? own!);
  } catch (error) {
    console.error(error);
  }
  await own?.stop();
  process.exit(isWell ? 0 : 1);
}
