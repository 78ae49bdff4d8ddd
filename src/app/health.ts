// Health, version and metrics of a node: part of the API, or on a port of their own for a worker.
import type { Config } from '../config.ts';
import { createHealthServer } from '../http/health-server.ts';
import { newId } from '../platform/ids.ts';
import type { HealthService } from '../services/health.ts';
import { isUnavailable } from '../store/postgres/errors.ts';
import type { Parts } from './parts.ts';
import type { Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

export function operationsOf({ metrics }: Parts, health: HealthService) {
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

export async function startHealth(
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
