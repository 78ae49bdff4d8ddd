// Health, version and metrics of a node: part of the API, or on a port of their own for a worker.
import { createHealthServer } from '../http/health-server.ts';
import { newId } from '../platform/ids.ts';
import { addUpMetrics } from '../platform/metrics.ts';
import type { HealthService } from '../services/health.ts';
import { isUnavailable } from '../store/postgres/errors.ts';
import type { Parts } from './parts.ts';
import type { Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

/** Processes that listen on the same port each get a share of the connections from the kernel. */
export function listenOptions({ siblings }: Parts): { reusePort?: true } {
  return siblings?.sharesPort ? { reusePort: true } : {};
}

async function metricsText({ metrics, siblings }: Parts): Promise<string> {
  if (siblings === undefined) return metrics.registry.metrics();
  const processes = siblings.measureAll();
  return addUpMetrics([await metrics.database.getMetricsAsJSON(), ...(await processes)]);
}

export function operationsOf(parts: Parts, health: HealthService) {
  return {
    health,
    version: VERSION,
    newRequestId: () => newId('req'),
    isUnavailable,
    metricsText: async () => ({
      type: parts.metrics.registry.contentType,
      text: await metricsText(parts),
    }),
  };
}

export async function startHealth(
  address: { host: string; port: number },
  parts: Parts,
  health: HealthService,
  teardown: Teardown,
): Promise<string> {
  const app = await createHealthServer(operationsOf(parts, health));
  // A process that still stops is alive: one that watches it must not take it for dead and kill it.
  teardown.addLast('health', () => app.close());
  return app.listen({ ...address, ...listenOptions(parts) });
}
