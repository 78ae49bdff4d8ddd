// Everything that runs during a chaos run: a PostgreSQL of its own, two API nodes, two workers, a receiver of webhooks.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { startEmbedded } from '../src/store/embedded/supervisor.ts';
import type { Embedded } from '../src/store/embedded/supervisor.ts';
import type { Db } from '../src/store/postgres/db.ts';
import { openDb } from '../src/store/postgres/postgres.ts';
import { startReceiver } from '../test/webhooks/receiver.ts';
import type { Receiver } from '../test/webhooks/receiver.ts';
import type { Journal } from './journal.ts';
import { createNode } from './node.ts';
import type { ChaosNode } from './node.ts';

export const MODES = {
  'notify+lock': { MILLRACE_DATABASE_SIGNALS: 'notify', MILLRACE_DATABASE_LIVENESS: 'lock' },
  'poll+lease': { MILLRACE_DATABASE_SIGNALS: 'poll', MILLRACE_DATABASE_LIVENESS: 'lease' },
} as const;
export type Mode = keyof typeof MODES;

export interface World {
  database: Embedded;
  /** Straight, past the proxies. */
  db: Db;
  nodes: readonly ChaosNode[];
  receiver: Receiver;
  /** An API node that answers, if there is one. */
  apiUrl(pick: <T>(list: readonly T[]) => T): string | undefined;
  /** Processes that ended by themselves. */
  surprises: string[];
  /** When the database was killed: limits of requests start afresh then. */
  databaseKills: number[];
  close(): Promise<void>;
}

export async function buildWorld(mode: Mode, journal: Journal): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-chaos-'));
  // As root the database runs as another user, who has to get through.
  await chmod(folder, 0o711);
  const log = (message: string) => journal.note('database', { message });
  const database = await startEmbedded({ dataDir: join(folder, 'data'), log });
  const receiver = await startReceiver();
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
    const role = name.startsWith('api') ? 'api' : 'worker';
    const port = await freePort();
    nodes.push(
      await createNode({ name, role, databaseUrl: database.url, port, settings, onSurprise }),
    );
  }
  // One after another: the first makes the tables.
  for (const node of nodes) await node.start();
  const db = openDb({ url: database.url, poolSize: 2 });
  return {
    database,
    db,
    nodes,
    receiver,
    surprises,
    databaseKills: [],
    apiUrl(pick) {
      const urls = nodes.flatMap((node) => node.url() ?? []);
      return urls.length === 0 ? undefined : pick(urls);
    },
    async close() {
      for (const node of nodes) await node.close();
      await db.close();
      await receiver.close();
      await database.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
