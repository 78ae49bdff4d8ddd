// GET /api/v1/models
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { ModelIdsQuery, ModelLimitList } from '../../contract/models-api.ts';
import type { ModelLimitService } from '../../services/model-limits.ts';
import { ACCESS_ERRORS, errorResponses, json } from '../documented.ts';

export function modelRoutes(deps: {
  modelLimits: ModelLimitService;
}): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/models',
      schema: {
        tags: ['Usage'],
        operationId: 'getModelLimits',
        summary: 'Get the limits of models',
        description:
          'How much models take in and give. For a model that this server has no facts about, it asks OpenRouter, or the server that the operator set as `MILLRACE_OPENAI_BASE_URL`.',
        querystring: ModelIdsQuery,
        response: {
          200: json('The limits', ModelLimitList),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: async (request) => ({ items: await deps.modelLimits.list(request.query.models) }),
    });
  };
}
