// The composition root: what a server consists of, in the order in which it starts. Each part adds to
// the teardown what undoes it, so stopping is the same list from its end.
import type { Config } from '../config/config.ts';
import type { Engine } from '../engine/engine.ts';
import type { Membership } from '../engine/membership.ts';
import { tryListening } from '../platform/free-port.ts';
import { keyringFromFolder, keyringFromText } from '../platform/keyring.ts';
import { makeSetupLink } from '../services/accounts/account-links.ts';
import { createHealthService } from '../services/health.ts';
import type { HealthService } from '../services/health.ts';
import { createCalling } from './calling.ts';
import { openDatabase } from './database.ts';
import { joinAsApi } from './gateway.ts';
import type { Calls } from './gateway.ts';
import { createParts } from './parts.ts';
import type { AppDeps } from './parts.ts';
import { hidePassword, prepareDatabase } from './prepare-database.ts';
import type { Siblings } from './siblings.ts';
import { waitForBalancers } from './shutdown-delay.ts';
import { withTeardown } from './teardown.ts';
import type { Teardown } from './teardown.ts';

export interface App {
  /** Where the API answers; undefined for a worker without one. */
  url: string | undefined;
  /** Where a worker without the API answers health checks, if it does. */
  healthUrl: string | undefined;
  databaseUrl: string;
  /** A link to make the first account with; undefined once there is one. */
  makeSetupUrl(): Promise<string | undefined>;
  /** Not ready any more, and takes no new jobs, but still answers requests. */
  beginStop(): void;
  /** Begins to stop unless it has, waits as long as the settings say, and stops. */
  close(): Promise<void>;
}

/** Beside siblings, what they share was prepared before any of them started. */
async function findPrepared(config: Config, deps: AppDeps, teardown: Teardown) {
  if (deps.siblings === undefined) return prepareDatabase(config, deps, teardown);
  const { database } = deps.siblings;
  hidePassword(database.url, deps.scrubber);
  return database;
}

/** Ready when this process is and, beside siblings, when the server as a whole is. */
function wholeHealth(health: HealthService, siblings: Siblings | undefined): HealthService {
  if (siblings === undefined) return health;
  return { ...health, notReady: async () => siblings.notReady() ?? health.notReady() };
}

async function start(config: Config, deps: AppDeps, teardown: Teardown): Promise<App> {
  const hasApi = config.role !== 'worker';
  const hasWorker = config.role !== 'api';
  // Before a database is made or started for nothing: is the port free, are the settings right?
  if (hasApi && config.port !== 0 && !deps.siblings) await tryListening(config.host, config.port);
  const masterKeys =
    config.masterKey === undefined
      ? keyringFromFolder(config.dataDir)
      : keyringFromText(config.masterKey);

  const prepared = await findPrepared(config, deps, teardown);
  const database = await openDatabase(config, prepared, deps, teardown);
  const parts = await createParts(config, { ...deps, database, masterKeys }, teardown);
  const health = wholeHealth(createHealthService(parts), deps.siblings);
  parts.metrics.showReadiness(async () => (await health.notReady()) === undefined);
  let healthUrl: string | undefined;
  if (!hasApi && config.healthPort !== undefined) {
    const { startHealth } = await import('./health.ts');
    const { host, healthPort: port } = config;
    healthUrl = await startHealth({ host, port }, parts, health, teardown);
  }
  let engine: Engine | undefined;
  let membership: Membership | undefined;
  const listener = await database.listen(async (session) => {
    await (engine?.onConnect(session) ?? membership?.holdOn(session));
  });
  const calls: Calls = { gateway: undefined };
  const calling = createCalling(parts, teardown);
  // Each half is loaded where it runs: a process that does one thing need not hold the code of all.
  if (hasWorker) {
    const { startWorker } = await import('./worker.ts');
    const working = { ...parts, calling, calls };
    engine = await startWorker(config, working, { ...database, listener }, teardown);
    await engine.onConnect(listener);
  }
  let url: string | undefined;
  if (hasApi) {
    const { startApi } = await import('./api.ts');
    if (engine === undefined) {
      const joining = { ...database, listener: () => listener };
      membership = await joinAsApi(config, { ...parts, calls }, joining, teardown);
      await membership.holdOn(listener);
    }
    const node = engine?.node ?? membership!;
    const shared = { ...parts, worker: engine?.worker, node, calling, calls };
    url = await startApi(config, shared, health, teardown);
  }
  health.markStarted();
  const beginStop = (): void => {
    health.beginStop();
    void engine?.stopClaiming();
  };
  return {
    url,
    healthUrl,
    databaseUrl: database.url,
    async makeSetupUrl() {
      if (url === undefined) return undefined;
      return (await makeSetupLink(parts.db, config.publicUrl ?? url))?.url;
    },
    beginStop,
    async close() {
      beginStop();
      if (url !== undefined) await waitForBalancers(config, deps.log);
      await teardown.run();
    },
  };
}

export async function startApp(config: Config, deps: AppDeps): Promise<App> {
  return withTeardown(deps.log, (teardown) => start(config, deps, teardown));
}
