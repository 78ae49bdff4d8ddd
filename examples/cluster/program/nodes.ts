// The nodes of Millrace: how they are started, and whether they are ready.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../../../test/support/processes.ts';
import { keepRunning, logFileOf, pidFileOf } from './keep-running.ts';
import type { Kept } from './keep-running.ts';
import { BALANCER_URL, NODES, ROOT } from './layout.ts';
import type { NodePlan } from './layout.ts';

export interface NodeSettings {
  databaseUrl: string;
  /** Past a pooler, if there is one. */
  directUrl?: string;
  masterKey: string;
  settings?: Record<string, string>;
}

function environment(node: NodePlan, settings: NodeSettings): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  const port = node.role === 'api' ? 'MILLRACE_PORT' : 'MILLRACE_HEALTH_PORT';
  return {
    PATH,
    HOME,
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/millrace'),
    DATABASE_URL: settings.databaseUrl,
    DATABASE_DIRECT_URL: settings.directUrl ?? '',
    MILLRACE_MASTER_KEY: settings.masterKey,
    MILLRACE_ROLE: node.role,
    [port]: String(node.port),
    MILLRACE_PUBLIC_URL: BALANCER_URL,
    MILLRACE_TRUSTED_PROXIES: '127.0.0.1',
    MILLRACE_PROCESSES: '1',
    MILLRACE_SLOTS: '32',
    // Four times as long as HAProxy takes to notice.
    MILLRACE_SHUTDOWN_DELAY_SECONDS: process.env['MILLRACE_SHUTDOWN_DELAY_SECONDS'] ?? '2',
    MILLRACE_DRAIN_SECONDS: '20',
    MILLRACE_DATABASE_SILENCE_SECONDS: process.env['MILLRACE_DATABASE_SILENCE_SECONDS'] ?? '8',
    ...settings.settings,
  };
}

export function pidOf(folder: string, name: string): number {
  return Number(readFileSync(pidFileOf(folder, name), 'utf8'));
}

export async function isReady({ port }: NodePlan): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

/** One after the other: the first makes the tables. Stopped all at once. */
export async function startNodes(
  folder: string,
  undo: AsyncDisposableStack,
  settings: NodeSettings,
): Promise<void> {
  const kept: Kept[] = [];
  undo.defer(async () => void (await Promise.all(kept.map((node) => node.stop()))));
  for (const node of NODES) {
    const args = [join(ROOT, 'src/main.ts'), 'serve', '--json'];
    const env = environment(node, settings);
    kept.push(keepRunning(folder, { name: node.name, command: process.execPath, args, env }));
    await waitUntil(
      () => isReady(node),
      `${node.name} to be ready: see ${logFileOf(folder, node.name)}`,
    );
  }
}
