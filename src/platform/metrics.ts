// What the service counts about itself, in Prometheus' format.
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
} from 'prom-client';
import { createDatabaseMetrics } from './database-metrics.ts';
import type { WatchedPool } from './database-metrics.ts';
import { createModelMetrics } from './model-metrics.ts';
import type { ModelUse } from './model-metrics.ts';

/** The metrics of one process, as it hands them to another. */
export type MetricsJson = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export interface Metrics {
  /** All of them. */
  registry: Registry;
  /** What this process counts itself: to be added to that of its siblings. */
  process: Registry;
  /** What the database knows: the same wherever it is asked. */
  database: Registry;
  jobsSubmitted: Counter<'outcome'>;
  jobsEnded: Counter<'outcome'>;
  modelRetries: Counter<'kind'>;
  requests: Counter<'method' | 'route' | 'status'>;
  requestSeconds: Histogram<'route'>;
  workersLost: Counter;
  workersFenced: Counter;
  jobsRepeated: Counter;
  modelUsed(use: ModelUse): void;
  watchDatabase(pool: WatchedPool): void;
  /** Of the server as a whole; until it is known, it is not ready. */
  showReadiness(isReady: () => Promise<boolean>): void;
}

/** What the database knows of all jobs. */
export interface QueueDepth {
  running: number;
  pending: number;
  oldestPendingSeconds: number;
}

/** And how many workers there are for them. */
export interface QueueLoad extends QueueDepth {
  /** Pending jobs that a worker with a free slot would start now. */
  claimable: number;
  workers: number;
  /** Of all workers. */
  slots: number;
}

/** `sample` is asked once each time the metrics are read. */
export function createMetrics(sample: () => Promise<QueueLoad>): Metrics {
  const own = new Registry();
  const database = new Registry();
  const registers = [own];
  collectDefaultMetrics({ register: own });
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter<L>({ name: `millrace_${name}`, help, labelNames, registers });

  // The registry collects all gauges at the same time: they share one answer of the database.
  let sampling: Promise<QueueLoad> | undefined;
  const load = () => (sampling ??= sample().finally(() => (sampling = undefined)));
  const gauge = (name: string, help: string, value: (load: QueueLoad) => number) =>
    new Gauge({
      name: `millrace_${name}`,
      help,
      registers: [database],
      async collect() {
        this.set(value(await load()));
      },
    });
  gauge('jobs_running', 'Running jobs on all nodes', ({ running }) => running);
  gauge('jobs_pending', 'Pending jobs on all nodes', ({ pending }) => pending);
  gauge(
    'jobs_oldest_pending_seconds',
    'Age of the oldest pending job',
    ({ oldestPendingSeconds }) => oldestPendingSeconds,
  );
  gauge(
    'jobs_claimable',
    'Pending jobs that a worker with a free slot would start now',
    ({ claimable }) => claimable,
  );
  gauge('workers', 'Worker processes on all nodes', ({ workers }) => workers);
  gauge('worker_slots', 'Jobs that all workers can run at the same time', ({ slots }) => slots);

  let isReady = async () => false;
  const ready = new Gauge({
    name: 'millrace_ready',
    help: 'Whether this server is ready (1) or not (0)',
    registers: [],
    async collect() {
      this.set((await isReady()) ? 1 : 0);
    },
  });
  database.registerMetric(ready);

  const counters = {
    jobsSubmitted: counter('jobs_submitted_total', 'Submitted jobs by outcome', ['outcome']),
    jobsEnded: counter('jobs_ended_total', 'Jobs ended by this node', ['outcome']),
    workersLost: counter('workers_lost_total', 'Workers that this server gave up', []),
    workersFenced: counter(
      'workers_fenced_total',
      'Times that this server stopped its model calls because it could not reach the database',
      [],
    ),
    jobsRepeated: counter(
      'jobs_repeated_total',
      'Jobs started again after an earlier attempt had used tokens',
      [],
    ),
    modelRetries: counter('model_retries_total', 'Retried model calls by cause', ['kind']),
    requests: counter('http_requests_total', 'HTTP requests', ['method', 'route', 'status']),
    requestSeconds: new Histogram({
      name: 'millrace_http_request_seconds',
      help: 'Response time, without long polls and streams',
      labelNames: ['route'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
      registers,
    }),
  };
  return {
    ...counters,
    modelUsed: createModelMetrics(registers),
    watchDatabase: createDatabaseMetrics(registers),
    showReadiness: (ask) => void (isReady = ask),
    process: own,
    database,
    registry: Registry.merge([own, database]),
  };
}

/** One text for several processes of a server: counts are added up, times of event loops averaged. */
export async function addUpMetrics(all: readonly MetricsJson[]): Promise<string> {
  return AggregatorRegistry.aggregate([...all]).metrics();
}
