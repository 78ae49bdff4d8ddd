// Everything that runs during a chaos run: a PostgreSQL of its own, two API nodes, two workers, a receiver of webhooks.
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../src/platform/free-port.ts';
import { startEmbedded } from '../src/store/embedded/supervisor.ts';
import type { Embedded } from '../src/store/embedded/supervisor.ts';
import type { Db } from '../src/store/postgres/db.ts';
import { openDb } from '../src/store/postgres/postgres.ts';
import { startReceiver } from '../test/webhooks/receiver.ts';
import type { Receiver } from '../test/webhooks/receiver.ts';
import type { Journal } from './journal.ts';
import { MAY_MOUNT, mountDisk } from './disk.ts';
import type { Disk } from './disk.ts';
import { MAY_SPLIT, createNetwork } from './network.ts';
import { createNode } from './node.ts';
import type { ChaosNode } from './node.ts';

export const MODES = {
  'notify+lock': { MILLRACE_DATABASE_SIGNALS: 'notify', MILLRACE_DATABASE_LIVENESS: 'lock' },
  'poll+lease': { MILLRACE_DATABASE_SIGNALS: 'poll', MILLRACE_DATABASE_LIVENESS: 'lease' },
} as const;
export type Mode = keyof typeof MODES;

export interface World {
  database: Embedded;
  /** What the database is on, where one can be had that may be filled. */
  disk: Disk | undefined;
  /** Straight, past the proxies. */
  db: Db;
  nodes: readonly ChaosNode[];
  receiver: Receiver;
  /** An API node that answers, if there is one. */
  apiUrl(pick: <T>(list: readonly T[]) => T): string | undefined;
  /** Processes that ended by themselves. */
  surprises: string[];
  /** While the database may have crashed: limits of requests start afresh then. */
  crashes: { from: number; to: number }[];
  close(): Promise<void>;
}

export async function buildWorld(mode: Mode, journal: Journal): Promise<World> {
  // Name spaces, disks and databases outlive a process: whatever fails, all of them go.
  const undo = new AsyncDisposableStack();
  let closing: Promise<void> | undefined;
  // Asked for twice when it is stopped in the middle: both wait for the end of it.
  const close = () => (closing ??= undo.disposeAsync());
  const stop = () => void close().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, stop);
    undo.defer(() => void process.off(signal, stop));
  }
  try {
    return { ...(await build(mode, journal, undo)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(
  mode: Mode,
  journal: Journal,
  undo: AsyncDisposableStack,
): Promise<Omit<World, 'close'>> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-chaos-'));
  undo.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  // As root the database runs as another user, who has to get through.
  await chmod(folder, 0o711);
  const data = join(folder, 'data');
  await mkdir(data);
  const disk = MAY_MOUNT ? await mountDisk(data) : undefined;
  undo.defer(async () => disk?.unmount());
  const network = MAY_SPLIT ? await createNetwork() : undefined;
  undo.defer(async () => network?.remove());
  const log = (message: string) => journal.note('database', { message });
  const database = await startEmbedded({ dataDir: join(data, 'millrace'), log });
  undo.defer(() => database.stop());
  const receiver = await startReceiver(network?.host);
  undo.defer(() => receiver.close());
  const surprises: string[] = [];
  const settings = {
    ...MODES[mode],
    MILLRACE_SLOTS: '24',
    MILLRACE_ALLOW_PRIVATE_TARGETS: 'on',
    MILLRACE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const onSurprise = (what: string): void => {
    surprises.push(what);
    journal.note('surprise', { what });
  };
  const nodes: ChaosNode[] = [];
  for (const name of ['api-1', 'api-2', 'worker-1', 'worker-2']) {
    const node = await createNode({
      name,
      role: name.startsWith('api') ? 'api' : 'worker',
      databaseUrl: database.url,
      port: await freePort(),
      settings,
      // One that serves nobody from outside, but delivers webhooks and calls models.
      network: name === 'worker-2' ? network : undefined,
      onSurprise,
    });
    undo.defer(() => node.close());
    nodes.push(node);
  }
  // One after another: the first makes the tables.
  for (const node of nodes) await node.start();
  const db = openDb({ url: database.url, poolSize: 2, silenceMs: 120_000 });
  undo.defer(() => db.close());
  return {
    database,
    disk,
    db,
    nodes,
    receiver,
    surprises,
    crashes: [],
    apiUrl(pick) {
      const urls = nodes.flatMap((node) => node.url() ?? []);
      return urls.length === 0 ? undefined : pick(urls);
    },
  };
}
