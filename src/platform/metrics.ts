// What the service counts about itself, in Prometheus' format.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export interface Metrics {
  registry: Registry;
  jobsSubmitted: Counter<'outcome'>;
  jobsEnded: Counter<'outcome'>;
  modelRetries: Counter<'kind'>;
  requests: Counter<'method' | 'route' | 'status'>;
  requestSeconds: Histogram<'route'>;
  runningJobs: Gauge;
  queuedJobs: Gauge;
  oldestQueuedSeconds: Gauge;
}

/** `sample` is asked for the gauges each time the metrics are read. */
export function createMetrics(
  sample: () => Promise<{ running: number; pending: number; oldestPendingSeconds: number }>,
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter<L>({ name: `millrace_${name}`, help, labelNames, registers });
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `millrace_${name}`, help, registers });
  const metrics: Metrics = {
    registry,
    jobsSubmitted: counter('jobs_submitted_total', 'Submits by outcome', ['outcome']),
    jobsEnded: counter('jobs_ended_total', 'Jobs that this node ended', ['outcome']),
    modelRetries: counter('model_retries_total', 'Repeated model calls by cause', ['kind']),
    requests: counter('http_requests_total', 'Answered requests', ['method', 'route', 'status']),
    requestSeconds: new Histogram({
      name: 'millrace_http_request_seconds',
      help: 'Time to answer, long-polls and streams excepted',
      labelNames: ['route'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
      registers,
    }),
    runningJobs: gauge('jobs_running', 'Jobs that run now, on all nodes'),
    queuedJobs: gauge('jobs_pending', 'Jobs that wait, on all nodes'),
    oldestQueuedSeconds: gauge('jobs_oldest_pending_seconds', 'Age of the oldest waiting job'),
  };
  const read = registry.metrics.bind(registry);
  registry.metrics = async () => {
    const depth = await sample();
    metrics.runningJobs.set(depth.running);
    metrics.queuedJobs.set(depth.pending);
    metrics.oldestQueuedSeconds.set(depth.oldestPendingSeconds);
    return read();
  };
  return metrics;
}
