// What the measures share: a server under measurement with a database of its own, a key, clients.
import { newId } from '../../src/platform/ids.ts';
import { createApiKeyService } from '../../src/services/accounts/api-keys.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import type { CallTimes } from './bench-server.ts';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import type { LoadRequest, LoadResult } from './load-client.ts';
import { tempFolder } from './temp-folder.ts';

export interface Stage {
  server: Child;
  url: string;
  databaseUrl: string;
  key: string;
  db: Db;
  load(options: Omit<LoadRequest, 'host' | 'port'> & { url?: string }): Promise<LoadResult>;
  call(
    method: string,
    path: string,
    body?: object,
    asKey?: string,
  ): Promise<Record<string, unknown>>;
  /** The keys of so many users, the one of `key` among them. */
  keysOf(users: number): Promise<string[]>;
  times(): Promise<CallTimes[]>;
  usage(): Promise<{ cpuMs: number; rss: number }>;
  /** Another node on the same database. */
  addNode(
    role: 'all' | 'api' | 'worker',
    env?: NodeJS.ProcessEnv,
  ): Promise<Child & { url: string }>;
  close(): Promise<void>;
}

export async function setStage(env: NodeJS.ProcessEnv = {}): Promise<Stage> {
  const folder = tempFolder('stage');
  const base = {
    MILLRACE_PORT: '0',
    MILLRACE_DATA_DIR: folder.path,
    DATABASE_URL: '',
    MILLRACE_DRAIN_SECONDS: '0',
  };
  const server = startChild('./bench-server.ts', { ...base, ...env });
  const ready = await server.waitFor<{ url: string; databaseUrl: string }>('ready');
  const client = startChild('./load-client.ts');
  const db = openDb({
    url: ready.databaseUrl,
    poolSize: 2,
    // It fills tables with millions of rows on machines that may stand still meanwhile.
    silenceMs: 120_000,
    queryTimeoutMs: 600_000,
  });
  const signals = createSignals({ originId: newId('sig'), db, onError: () => {} });
  const keys = createApiKeyService({ db, signals, defaultTier: 'enterprise' });
  const createKey = async (user: string) => {
    const email = `${user}@example.com`;
    const rest = { tier: undefined, scopes: undefined, expiresInDays: undefined };
    return (await keys.create({ email, name: 'bench', ...rest })).key;
  };
  const key = await createKey('bench');
  const allKeys = [key];
  const nodes: Child[] = [];

  return {
    server,
    ...ready,
    key,
    db,
    async load({ url = ready.url, ...options }) {
      const { hostname: host, port } = new URL(url);
      return client.ask({ load: { host, port: Number(port), ...options } }, 'result');
    },
    async keysOf(users) {
      while (allKeys.length < users) allKeys.push(await createKey(`bench-${allKeys.length}`));
      return allKeys.slice(0, users);
    },
    async call(method, path, body, asKey = key) {
      const response = await fetch(ready.url + path, {
        method,
        headers: { 'x-api-key': asKey, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return (await response.json()) as Record<string, unknown>;
    },
    times: () => server.ask({ ask: 'times' }, 'times'),
    usage: () => server.ask({ ask: 'usage' }, 'usage'),
    async addNode(role, nodeEnv = {}) {
      const node = startChild('./bench-server.ts', {
        ...base,
        DATABASE_URL: ready.databaseUrl,
        MILLRACE_ROLE: role,
        ...nodeEnv,
      });
      nodes.push(node);
      const { url } = await node.waitFor<{ url: string }>('ready');
      return { ...node, url };
    },
    async close() {
      await db.close();
      await client.stop();
      for (const node of nodes) await node.stop();
      await server.stop();
      folder.remove();
    },
  };
}
