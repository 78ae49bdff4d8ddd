// GET /api/v1/prices
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { ModelIdsQuery } from '../../contract/models-api.ts';
import { ModelPrices } from '../../contract/prices-api.ts';
import type { PriceService } from '../../services/prices.ts';
import { ACCESS_ERRORS, errorResponses, json } from '../documented.ts';

export function priceRoutes(deps: { prices: PriceService }): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/prices',
      schema: {
        tags: ['Usage'],
        operationId: 'getPrices',
        summary: 'Get the prices of models',
        description:
          'As this server counts them, with the prices that its operator has set. For short prompts: some models charge more per token for long ones.',
        querystring: ModelIdsQuery,
        response: {
          200: json('The prices', ModelPrices),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: async (request) => ({ items: deps.prices.list(request.query.models) }),
    });
  };
}
