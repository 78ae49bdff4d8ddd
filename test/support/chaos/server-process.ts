// Servers as an operator runs them: processes that can be killed.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../../src/store/embedded/process-state.ts';
import { findRunningEmbedded } from '../../../src/store/embedded/supervisor.ts';
import { soonGivenUp } from '../database-mode.ts';
import { MAIN } from '../cli.ts';
import type { NodeProcess } from '../processes.ts';
import { startNode, waitUntil } from '../processes.ts';

// Starts come by the dozen here; what was compiled for one serves the next.
const COMPILE_CACHE = process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache');

export interface ServerProcess extends NodeProcess {
  /** Resolves when it says that it is ready, with where it answers ('' for a worker). */
  ready(): Promise<string>;
  /** Lines of its log whose message contains the text. */
  logged(text: string): Record<string, unknown>[];
}

export interface ServerOptions {
  role?: 'all' | 'api' | 'worker';
  dataDir?: string;
  databaseUrl?: string;
  slots?: number;
  /** Any free one unless a server is to come back to where it was. */
  port?: number;
  settings?: Record<string, string>;
}

export function launchServer(options: ServerOptions): ServerProcess {
  const port = String(options.port ?? 0);
  const args = ['serve', '--json', '--port', port, '--role', options.role ?? 'all'];
  if (options.dataDir !== undefined) args.push('--data-dir', options.dataDir);
  const child = startNode(MAIN, args, {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      MILLRACE_DRAIN_SECONDS: '0',
      MILLRACE_PROCESSES: '1',
      DATABASE_URL: options.databaseUrl,
      MILLRACE_SLOTS: options.slots?.toString(),
      ...soonGivenUp(),
      ...options.settings,
    },
  });
  return {
    ...child,
    async ready() {
      const [line] = await child.waitFor(/^\{"ready":true.*\}$/m);
      return (JSON.parse(line) as { url: string | null }).url ?? '';
    },
    logged(text) {
      const lines = child.output().split('\n').slice(0, -1);
      return lines
        .filter((line) => line.startsWith('{"level"') && line.includes(text))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

export interface DataFolder {
  path: string;
  /** Of the database that runs in it. */
  databaseUrl(): string;
  killDatabase(): Promise<void>;
  remove(): Promise<void>;
}

export async function createDataFolder(): Promise<DataFolder> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-chaos-'));
  // As root the database runs as another user, who has to get through.
  await chmod(root, 0o711);
  const path = join(root, 'data');

  async function killDatabase(): Promise<void> {
    const running = findRunningEmbedded(path);
    if (!running) return;
    process.kill(running.pid, 'SIGKILL');
    await waitUntil(() => !isAlive(running.pid), 'the end of the database');
  }

  return {
    path,
    databaseUrl() {
      const running = findRunningEmbedded(path);
      if (!running) throw new Error(`No database runs in ${path}.`);
      return running.url;
    },
    killDatabase,
    async remove() {
      await killDatabase();
      // Its backends take a moment to notice, and write until then.
      await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
