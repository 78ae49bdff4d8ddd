// The composition root: builds every layer, and owns the order in which they start and stop.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isLoopback } from './config.ts';
import type { Config } from './config.ts';
import { startEngine } from './engine/engine.ts';
import { createGovernor } from './engine/governor.ts';
import { createJobKeys } from './engine/job-keys.ts';
import type { Engine } from './engine/engine.ts';
import { createWebhookSender } from './engine/webhook-sender.ts';
import type { Price } from './domain/execution/budget.ts';
import { createHealthServer } from './http/health-server.ts';
import { createServer } from './http/server.ts';
import { systemClock } from './platform/clock.ts';
import type { Clock } from './platform/clock.ts';
import type { MasterKeys } from './platform/envelope.ts';
import { tryListening } from './platform/free-port.ts';
import { createGuardedClient } from './platform/guarded-request.ts';
import { newId } from './platform/ids.ts';
import { keyringFromFolder, keyringFromText } from './platform/keyring.ts';
import type { Logger, Scrubber } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import type { Metrics } from './platform/metrics.ts';
import { publishServerMark } from './platform/server-mark.ts';
import type { PublishedMark } from './platform/server-mark.ts';
import { publicResolver, systemResolver } from './platform/target-resolver.ts';
import { loadPrices } from './providers/prices.ts';
import { createProviders } from './providers/registry.ts';
import type { Providers } from './providers/registry.ts';
import { createExecutionEventService } from './services/execution-events.ts';
import { createExecutionService } from './services/executions.ts';
import { createHealthService } from './services/health.ts';
import type { HealthService } from './services/health.ts';
import { createHistoryService } from './services/history.ts';
import { createAccess } from './services/access.ts';
import { createIdentityService } from './services/identity.ts';
import { createJobEventService } from './services/job-events.ts';
import { createJobService } from './services/jobs.ts';
import { createJobWatch } from './services/job-watch.ts';
import { createLimitService } from './services/limits.ts';
import { createProviderKeyService } from './services/provider-keys.ts';
import { checkMasterKeys } from './services/secrets.ts';
import { createWebhookService } from './services/webhooks.ts';
import type { Db } from './store/postgres/db.ts';
import { startEmbedded } from './store/embedded/supervisor.ts';
import { createJobEnder } from './store/jobs/end-jobs.ts';
import type { JobEnder } from './store/jobs/end-jobs.ts';
import { isUnavailable } from './store/postgres/errors.ts';
import { createAdvance } from './executions/advance.ts';
import { createExecutionCloser } from './executions/close.ts';
import type { ExecutionCloser } from './executions/close.ts';
import { createExecutionStarter } from './executions/start.ts';
import { findQueueDepth } from './store/jobs/jobs.ts';
import { openListener } from './store/postgres/listen.ts';
import { migrate } from './store/postgres/migrate.ts';
import { openDb } from './store/postgres/postgres.ts';
import { openQueue } from './store/jobs/queue.ts';
import type { Queue } from './store/jobs/queue.ts';
import { SIGNAL_CHANNELS, createSignals } from './store/postgres/signals.ts';
import type { Signals } from './store/postgres/signals.ts';
import { createSubmitter } from './store/jobs/submit-jobs.ts';
import { createTextFeed } from './store/jobs/text-feed.ts';
import type { TextFeed } from './store/jobs/text-feed.ts';

/** Well below the time after which others give a silent node up. */
const BEAT_TIMEOUT_MS = 3000;

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../sql/', import.meta.url));

export const VERSION = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;

export interface AppDeps {
  log: Logger;
  scrubber: Scrubber;
  /** Instead of those that the settings name. */
  providers?: Providers;
  /** It ends with the command that started it: others on this machine must not come to rely on it. */
  isPrivate?: boolean;
}

export interface App {
  /** Where the API answers; undefined for a worker without one. */
  url: string | undefined;
  /** Where a worker without the API tells of its health, if it does. */
  healthUrl: string | undefined;
  databaseUrl: string;
  close(): Promise<void>;
}

/** Undoes what was started, last first, even when one of the steps fails. */
function createTeardown(log: Logger) {
  const steps: { name: string; run: () => Promise<void> | void }[] = [];
  return {
    add: (name: string, run: () => Promise<void> | void) => void steps.unshift({ name, run }),
    async run() {
      for (const step of steps.splice(0)) {
        try {
          await step.run();
        } catch (error) {
          log.error({ err: error, step: step.name }, 'a step of stopping failed');
        }
      }
    },
  };
}
type Teardown = ReturnType<typeof createTeardown>;

async function findDatabase(config: Config, deps: AppDeps, teardown: Teardown) {
  if (config.databaseUrl !== undefined) {
    return { url: config.databaseUrl, directUrl: config.databaseDirectUrl ?? config.databaseUrl };
  }
  const embedded = await startEmbedded({
    dataDir: config.dataDir,
    log: (message) => deps.log.info(message),
  });
  teardown.add('embedded database', () => embedded.stop());
  return { url: embedded.url, directUrl: embedded.url };
}

export async function startApp(config: Config, deps: AppDeps): Promise<App> {
  const teardown = createTeardown(deps.log);
  try {
    return await build(config, deps, teardown);
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

async function build(config: Config, deps: AppDeps, teardown: Teardown): Promise<App> {
  const { log } = deps;
  const clock = systemClock;
  // Before a database is made or started for nothing. Who listens in between is told below.
  if (config.role !== 'worker' && config.port !== 0) await tryListening(config.host, config.port);
  // Also here: a wrong setting is told before anything has started.
  const masterKeys =
    config.masterKey === undefined
      ? keyringFromFolder(config.dataDir)
      : keyringFromText(config.masterKey);
  const { url, directUrl } = await findDatabase(config, deps, teardown);
  const password = new URL(url).password;
  if (password !== '') deps.scrubber.add(decodeURIComponent(password));

  await migrate({ url: directUrl, folder: MIGRATIONS_FOLDER, log: (text) => log.info(text) });
  const onError = (error: unknown) => log.warn({ err: error }, 'database trouble');
  const db = openDb({
    url,
    poolSize: config.databasePoolSize,
    prepared: config.databasePrepare,
    onError,
  });
  teardown.add('database', () => db.close());

  const queue = await openQueue({ db, supervise: config.role !== 'api', onError });
  teardown.add('queue', () => queue.close());

  const signals = createSignals({ originId: newId('sig'), db, onError });
  teardown.add('signals', () => signals.flush());
  const feed = createTextFeed({ db, signals, onError });
  teardown.add('text feed', () => feed.close());
  const metrics = createMetrics(() => findQueueDepth(db));
  const providers =
    deps.providers ??
    createProviders({
      simulator: config.simulator,
      vendors: {
        baseUrls: config.baseUrls,
        prices: loadPrices(config.pricesFile),
        scrub: deps.scrubber.scrub,
      },
    });
  teardown.add('providers', () => providers.close());
  const price: Price = (provider, model, usage) =>
    providers.find(provider)?.costUsd(model, usage) ?? null;
  const ender = createJobEnder({
    db,
    queue,
    signals,
    prepareAdvance: createAdvance({
      db,
      queue,
      price,
      onError: (error) => log.error({ err: error }, 'a bug ended an execution'),
    }),
  });
  await checkMasterKeys(db, masterKeys);
  const operatorKeys = new Map(Object.entries(config.operatorKeys));
  const masterKeyTexts = config.masterKey?.split(',').map((text) => text.trim()) ?? [];
  for (const secret of [...operatorKeys.values(), ...masterKeyTexts]) deps.scrubber.add(secret);

  let engine: Engine | undefined;
  const listener = await openListener({
    url: directUrl,
    channels: SIGNAL_CHANNELS,
    onNotification: signals.receive,
    onConnect: async (session) => {
      await engine?.onListenerConnect(session);
    },
    onError,
  });
  teardown.add('listener', () => listener.close());
  const parts: Parts = {
    db,
    queue,
    signals,
    ender,
    closer: createExecutionCloser({ db, queue, signals }),
    price,
    feed,
    clock,
    log,
    scrubber: deps.scrubber,
    metrics,
    providers,
    masterKeys,
    operatorKeys,
    isPrivate: deps.isPrivate === true,
  };
  if (config.role !== 'api') {
    const beatDb = openDb({
      url,
      poolSize: 2,
      prepared: config.databasePrepare,
      connectTimeoutMs: BEAT_TIMEOUT_MS,
      queryTimeoutMs: BEAT_TIMEOUT_MS,
      onError,
    });
    teardown.add('beat connections', () => beatDb.close());
    const governor = createGovernor(parts);
    teardown.add('governor', () => governor.close());
    const keyless = providers.ids().filter((id) => providers.find(id)?.needsKey === false);
    const client = createGuardedClient({
      ...config.webhookTimes,
      allowPrivate: config.allowPrivateTargets,
      resolve: config.allowPrivateTargets ? systemResolver : publicResolver(),
    });
    teardown.add('webhook connections', () => client.close());
    engine = await startEngine({
      ...parts,
      webhookSender: createWebhookSender({
        ...parts,
        client,
        random: Math.random,
        times: config.webhookTimes,
        userAgent: `Millrace/${VERSION}`,
      }),
      beatDb,
      governor,
      processingLimitMs: config.processingSeconds * 1000,
      keys: createJobKeys({ ...parts, keyless: new Set(keyless) }),
      role: config.role,
      version: VERSION,
      slots: config.slots,
      listener: () => listener,
    });
    const { drain } = engine;
    teardown.add('engine', () => drain(config.drainSeconds * 1000));
    await engine.onListenerConnect(listener);
  }

  const health = createHealthService({ db });
  const isWorker = config.role === 'worker';
  const http = isWorker ? undefined : await startHttp(config, parts, health, teardown);
  const healthUrl = isWorker ? await startHealth(config, parts, health, teardown) : undefined;
  return {
    url: http,
    healthUrl,
    databaseUrl: url,
    async close() {
      health.beginStop();
      await teardown.run();
    },
  };
}

interface Parts {
  db: Db;
  queue: Queue;
  signals: Signals;
  ender: JobEnder;
  closer: ExecutionCloser;
  price: Price;
  feed: TextFeed;
  clock: Clock;
  log: Logger;
  scrubber: Scrubber;
  metrics: Metrics;
  providers: Providers;
  masterKeys: MasterKeys;
  operatorKeys: ReadonlyMap<string, string>;
  isPrivate: boolean;
}

function operationsOf({ metrics }: Parts, health: HealthService) {
  return {
    health,
    version: VERSION,
    newRequestId: () => newId('req'),
    isUnavailable,
    metricsText: async () => ({
      type: metrics.registry.contentType,
      text: await metrics.registry.metrics(),
    }),
  };
}

async function startHealth(
  config: Config,
  parts: Parts,
  health: HealthService,
  teardown: Teardown,
): Promise<string | undefined> {
  if (config.healthPort === undefined) return undefined;
  const app = await createHealthServer(operationsOf(parts, health));
  teardown.add('health', () => app.close());
  return app.listen({ host: config.host, port: config.healthPort });
}

async function startHttp(
  config: Config,
  parts: Parts,
  health: HealthService,
  teardown: Teardown,
): Promise<string> {
  const { signals } = parts;
  const identities = createIdentityService(parts);
  teardown.add('identities', () => identities.close());
  const watch = createJobWatch(signals);
  teardown.add('watch', () => watch.close());
  const submitting = {
    ...parts,
    access: createAccess(parts),
    submitter: createSubmitter({ ...parts, startExecution: createExecutionStarter(parts) }),
    providers: new Map(parts.providers.ids().map((id) => [id, parts.providers.find(id)!])),
    defaultProvider: config.defaultProvider,
  };
  const targets = {
    allowPrivate: config.allowPrivateTargets,
    // On one's own machine there is nobody between who could read along.
    allowHttp: config.allowPrivateTargets || isLoopback(config.host),
  };
  const jobs = createJobService({ ...submitting, watch });
  const executions = createExecutionService({
    ...submitting,
    defaultModel: config.defaultModel,
    targetRules: targets,
  });
  let mark: PublishedMark | undefined;
  const app = await createServer({
    ...parts,
    prove: (challenge) => mark?.prove(challenge),
    identities,
    jobs,
    limits: createLimitService(parts),
    events: createJobEventService({ ...parts, watch, jobs }),
    history: createHistoryService(submitting),
    keys: createProviderKeyService({ ...parts, checkKey: parts.providers.checkKey }),
    webhooks: createWebhookService({ ...submitting, targets }),
    executions,
    executionEvents: createExecutionEventService({ ...parts, watch, executions }),
    enterpriseRequestsPerMinute: config.enterpriseRequestsPerMinute,
    corsOrigins: config.corsOrigins ?? [],
    ...operationsOf(parts, health),
  });
  teardown.add('http', () => app.close());
  const url = await app.listen({ host: config.host, port: config.port });
  // The folder belongs to one server only while its embedded database does.
  if (config.databaseUrl === undefined && !parts.isPrivate) {
    mark = await publishServerMark(config.dataDir, url);
    teardown.add('mark', mark.remove);
  }
  return url;
}
