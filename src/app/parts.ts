// What the API and the worker of a node both use: providers, prices, keys, and the ways jobs end.
import type { Config } from '../config/config.ts';
import type { Price } from '../domain/usage/largest-cost.ts';
import type { Tiers } from '../domain/job/tiers.ts';
import { createAdvance } from '../executions/advance.ts';
import { createExecutionCloser } from '../executions/close.ts';
import type { ExecutionCloser } from '../executions/close.ts';
import { systemClock } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import type { MasterKeys } from '../platform/envelope.ts';
import type { Logger, Scrubber } from '../platform/log.ts';
import { NO_TELEMETRY } from '../platform/telemetry.ts';
import type { Telemetry } from '../platform/telemetry.ts';
import { createMetrics } from '../platform/metrics.ts';
import type { Metrics } from '../platform/metrics.ts';
import { useInstalledFacts } from '../providers/installed-facts.ts';
import { loadPrices } from '../providers/prices.ts';
import { createProviders } from '../providers/registry.ts';
import type { Providers } from '../providers/registry.ts';
import { checkMasterKeys } from '../services/provider-keys/secrets.ts';
import { createJobFinalizer } from '../store/jobs/finalize-jobs.ts';
import type { JobFinalizer, PrepareAdvance } from '../store/jobs/finalize-jobs.ts';
import type { TextStore } from '../store/jobs/archived-texts.ts';
import { findQueueLoad } from '../store/jobs/queue-load.ts';
import type { Database } from './database.ts';
import { openTextStore } from './object-store.ts';
import type { Siblings } from './siblings.ts';
import type { Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

export interface AppDeps {
  log: Logger;
  scrubber: Scrubber;
  /** Instead of those that the settings name. */
  providers?: Providers;
  /** In one of several processes of a server. */
  siblings?: Siblings | undefined;
}

export interface Parts extends Pick<Database, 'db' | 'signals' | 'feed' | 'waits' | 'modes'> {
  prepareAdvance: PrepareAdvance;
  finalizer: JobFinalizer;
  closer: ExecutionCloser;
  price: Price;
  tiers: Tiers;
  clock: Clock;
  log: Logger;
  scrubber: Scrubber;
  metrics: Metrics;
  telemetry: Telemetry;
  providers: Providers;
  masterKeys: MasterKeys;
  operatorKeys: ReadonlyMap<string, string>;
  siblings: Siblings | undefined;
  /** Where large texts of archived jobs are; undefined: in the database. */
  texts: TextStore | undefined;
}

/** Nothing of it is loaded where nobody collects. */
async function startTelemetry(
  { otlpEndpoint: endpoint, traceRatio: ratio, role }: Config,
  { registry }: Metrics,
  log: Logger,
): Promise<Telemetry> {
  if (endpoint === undefined) return NO_TELEMETRY;
  const { openTelemetry } = await import('../platform/open-telemetry.ts');
  const measure = () => registry.getMetricsAsJSON();
  return openTelemetry({ endpoint, ratio, role, version: VERSION, measure, log });
}

export async function createParts(
  config: Config,
  deps: AppDeps & { database: Database; masterKeys: MasterKeys },
  teardown: Teardown,
): Promise<Parts> {
  const { log, scrubber, masterKeys } = deps;
  const { db, signals, feed, waits, modes } = deps.database;
  const { tiers } = config;
  useInstalledFacts(config.dataDir);
  const providers =
    deps.providers ??
    createProviders({
      simulator: config.simulator,
      vendors: {
        baseUrls: config.baseUrls,
        prices: loadPrices(config.pricesFile),
        scrub: scrubber.scrub,
      },
    });
  teardown.add('providers', () => providers.close());
  const price: Price = (provider, model, usage, tier) =>
    providers.find(provider)?.costUsd(model, usage, tier) ?? null;
  const onError = (error: unknown) =>
    log.error({ err: error }, 'execution failed because of a bug');
  const prepareAdvance = createAdvance({ db, tiers, price, onError });
  await checkMasterKeys(db, masterKeys);
  const operatorKeys = new Map(Object.entries(config.operatorKeys));
  const masterKeyTexts = config.masterKey?.split(',').map((text) => text.trim()) ?? [];
  const stripeSecrets = config.stripe ? [config.stripe.key, config.stripe.webhookSecret] : [];
  const secrets = [...operatorKeys.values(), ...masterKeyTexts, ...stripeSecrets];
  for (const secret of secrets) scrubber.add(secret);
  const metrics = createMetrics(() => findQueueLoad(db));
  metrics.watchDatabase(db);
  deps.siblings?.onMeasure(() => metrics.process.getMetricsAsJSON());
  const telemetry = await startTelemetry(config, metrics, log);
  teardown.add('telemetry', () => telemetry.close());
  return {
    db,
    signals,
    feed,
    waits,
    modes,
    prepareAdvance,
    finalizer: createJobFinalizer({ db, tiers, signals, prepareAdvance }),
    closer: createExecutionCloser({ db, tiers, signals }),
    price,
    tiers,
    clock: systemClock,
    log,
    scrubber,
    metrics,
    telemetry,
    providers,
    masterKeys,
    operatorKeys,
    siblings: deps.siblings,
    texts: await openTextStore(config, { log, scrubber }),
  };
}
