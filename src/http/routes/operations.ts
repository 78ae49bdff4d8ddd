// For operators and their tools: liveness, readiness, metrics, the API's description.
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { ServiceError } from '../../contract/errors.ts';
import type { HealthService } from '../../services/health.ts';

export interface OperationsDeps {
  health: HealthService;
  version: string;
  /** Proves to a command on this machine that this is the server of its data folder; a worker is none. */
  prove?(challenge: string): string | undefined;
  metricsText(): Promise<{ type: string; text: string }>;
}

const hidden = { hide: true };

/** What reports on the process; a worker without the API has these, too. */
export function healthRoutes(deps: OperationsDeps): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.get('/healthz', { schema: hidden }, async ({ query }, reply) => {
      const { challenge } = query as { challenge?: unknown };
      const proof = typeof challenge === 'string' ? deps.prove?.(challenge) : undefined;
      // Without a proof it is left out.
      return reply.send(JSON.stringify({ status: 'ok', version: deps.version, proof }));
    });
    app.get('/readyz', { schema: hidden }, async (_request, reply) => {
      const problem = await deps.health.notReady();
      if (problem !== undefined) {
        const message = `Not ready: ${problem}.`;
        throw new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 1 });
      }
      return reply.send(JSON.stringify({ status: 'ready' }));
    });
    app.get('/metrics', { schema: hidden }, async (_request, reply) => {
      const { type, text } = await deps.metricsText();
      return reply.type(type).send(text);
    });
    // For autoscalers that read JSON.
    app.get('/metrics/queue', { schema: hidden }, async (_request, reply) =>
      reply
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(await deps.health.queueLoad())),
    );
  };
}

export function operationsRoutes(deps: OperationsDeps): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    await app.register(healthRoutes(deps));
    // The description does not change while the server runs.
    let document: string | undefined;
    app.get('/openapi.json', { schema: hidden }, async (_request, reply) => {
      document ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').send(document);
    });
  };
}
