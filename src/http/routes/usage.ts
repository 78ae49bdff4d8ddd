// /v1/usage
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import { CurrentUsage, UsageHistory, UsageQuery } from '../../contract/usage-api.ts';
import type { UsageService } from '../../services/usage/usage.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, errorResponses, json } from '../documented.ts';

/** By the first type that is named: browsers name many, and get JSON. */
const asksForCsv = (accept = '') => accept.trim().toLowerCase().startsWith('text/csv');

export function usageRoutes(deps: { usage: UsageService }): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/v1/usage/current',
      schema: {
        tags: ['Usage'],
        operationId: 'getCurrentUsage',
        summary: 'Get usage this month',
        description: 'What the team has used this month (UTC), its quota and its budget.',
        response: {
          200: json('Usage this month', CurrentUsage),
          ...errorResponses(...ACCESS_ERRORS),
        },
      },
      handler: (request) => deps.usage.current(identityOf(request), request.rate!.limit),
    });

    app.route({
      method: 'GET',
      url: '/v1/usage/history',
      schema: {
        tags: ['Usage'],
        operationId: 'getUsageHistory',
        summary: 'Get usage of a month',
        description:
          'What the team used in a month (UTC): by day, model, member and API key, as JSON or CSV.',
        querystring: UsageQuery,
        response: {
          200: {
            description: 'Usage of the month',
            content: {
              'application/json': { schema: UsageHistory },
              'text/csv': { schema: z.string() },
            },
          },
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: async (request, reply) => {
        const { month, format } = request.query;
        const identity = identityOf(request);
        reply.header('vary', 'accept');
        const isCsv = format === undefined ? asksForCsv(request.headers.accept) : format === 'csv';
        if (!isCsv) return deps.usage.history(identity, month);
        const csv = await deps.usage.csv(identity, month);
        return reply
          .type('text/csv; charset=utf-8; header=present')
          .header('content-disposition', `attachment; filename="usage-${csv.month}.csv"`)
          .send(csv.text);
      },
    });
  };
}
