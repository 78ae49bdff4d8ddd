// GET /api/v1/admin/system
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { SystemState } from '../../contract/system-api.ts';
import type { SystemService } from '../../services/system.ts';
import { actorOf } from '../access.ts';
import { ACCESS_ERRORS, errorResponses, json } from '../documented.ts';

export function systemRoutes(deps: { system: SystemService }): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/admin/system',
      schema: {
        tags: ['Server administration'],
        operationId: 'getSystemState',
        summary: 'Get the state of the server',
        description:
          'For server administrators: the nodes, the queue and what jobs wait for, webhooks that are still to be sent, and the database.',
        response: {
          200: json('The state of the server', SystemState),
          ...errorResponses(...ACCESS_ERRORS),
        },
      },
      handler: (request) => deps.system.state(actorOf(request)),
    });
  };
}
