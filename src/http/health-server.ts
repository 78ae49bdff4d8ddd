// What a worker without the API answers: whether it lives, whether it can work, and its figures.
import { fastify } from 'fastify';
import type { FastifyInstance } from 'fastify';
import { sendError, toServiceError } from './errors.ts';
import { installGracefulClose } from './graceful-close.ts';
import { installNotFound } from './not-found.ts';
import { healthRoutes } from './routes/operations.ts';
import type { OperationsDeps } from './routes/operations.ts';

export async function createHealthServer(
  deps: OperationsDeps & {
    newRequestId(): string;
    isUnavailable(error: unknown): boolean;
  },
): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    genReqId: deps.newRequestId,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 },
    requestTimeout: 30_000,
    return503OnClosing: false,
  });
  app.setErrorHandler((error, _request, reply) =>
    sendError(reply, toServiceError(error, deps.isUnavailable)),
  );
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  installGracefulClose(app, deps.health.isStopping);
  installNotFound(app);
  await app.register(healthRoutes(deps));
  await app.ready();
  return app;
}
