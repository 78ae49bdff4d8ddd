// The composition root: what a server consists of, in the order in which it starts. Each part adds to
// the teardown what undoes it, so stopping is the same list from its end.
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { tryListening } from '../platform/free-port.ts';
import { keyringFromFolder, keyringFromText } from '../platform/keyring.ts';
import { makeSetupLink } from '../services/account-links.ts';
import { createHealthService } from '../services/health.ts';
import { startApi } from './api.ts';
import { openDatabase } from './database.ts';
import { startHealth } from './health.ts';
import { createParts } from './parts.ts';
import type { AppDeps } from './parts.ts';
import { createTeardown } from './teardown.ts';
import type { Teardown } from './teardown.ts';
import { startWorker } from './worker.ts';

export interface App {
  /** Where the API answers; undefined for a worker without one. */
  url: string | undefined;
  /** Where a worker without the API answers health checks, if it does. */
  healthUrl: string | undefined;
  databaseUrl: string;
  /** A link to make the first account with; undefined once there is one. */
  makeSetupUrl(): Promise<string | undefined>;
  close(): Promise<void>;
}

async function start(config: Config, deps: AppDeps, teardown: Teardown): Promise<App> {
  const hasApi = config.role !== 'worker';
  const hasWorker = config.role !== 'api';
  // Before a database is made or started for nothing: is the port free, are the settings right?
  if (hasApi && config.port !== 0) await tryListening(config.host, config.port);
  const masterKeys =
    config.masterKey === undefined
      ? keyringFromFolder(config.dataDir)
      : keyringFromText(config.masterKey);

  const database = await openDatabase(config, deps, teardown);
  const parts = await createParts(config, { ...deps, database, masterKeys }, teardown);
  let engine: Engine | undefined;
  const listener = await database.listen(async (session) => {
    await engine?.onListenerConnect(session);
  });
  if (hasWorker) {
    engine = await startWorker(config, parts, { ...database, listener }, teardown);
    await engine.onListenerConnect(listener);
  }
  const health = createHealthService(parts);
  const url = hasApi ? await startApi(config, parts, health, teardown) : undefined;
  const healthUrl = hasApi ? undefined : await startHealth(config, parts, health, teardown);
  return {
    url,
    healthUrl,
    databaseUrl: database.url,
    async makeSetupUrl() {
      if (url === undefined) return undefined;
      return (await makeSetupLink(parts.db, config.publicUrl ?? url))?.url;
    },
    async close() {
      health.beginStop();
      await teardown.run();
    },
  };
}

export async function startApp(config: Config, deps: AppDeps): Promise<App> {
  const teardown = createTeardown(deps.log);
  try {
    return await start(config, deps, teardown);
  } catch (error) {
    await teardown.run();
    throw error;
  }
}
