// /api/v1/history
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  HistoryDetail,
  HistoryPage,
  HistoryQuery,
  RecordRunRequest,
} from '../../contract/history-api.ts';
import type { HistoryService } from '../../services/history.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, errorResponses } from '../documented.ts';

const RunParams = z.object({ id: z.string().meta({ description: 'The run id' }) });
const detail = (description: string) => ({
  description,
  content: { 'application/json': { schema: HistoryDetail } },
});

export function historyRoutes(deps: { history: HistoryService }): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/history',
      schema: {
        tags: ['History'],
        operationId: 'listRuns',
        summary: 'List runs',
        description: 'Newest first.',
        querystring: HistoryQuery,
        response: {
          200: {
            description: 'One page of runs',
            content: { 'application/json': { schema: HistoryPage } },
          },
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => deps.history.list(identityOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/api/v1/history/:id',
      schema: {
        tags: ['History'],
        operationId: 'getRun',
        summary: 'Get a run',
        description: 'Returns the run with its totals and its streams.',
        params: RunParams,
        response: {
          200: detail('The run'),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => deps.history.find(identityOf(request), request.params.id),
    });

    app.route({
      method: 'PUT',
      url: '/api/v1/history/:id',
      schema: {
        tags: ['History'],
        operationId: 'recordRun',
        summary: 'Record a run',
        description:
          'For clients that run streams themselves. Creates the run with its streams, or replaces the one recorded under this id.',
        params: RunParams,
        body: RecordRunRequest,
        response: {
          200: detail('The run was replaced'),
          201: detail('The run was recorded'),
          ...errorResponses(
            'VALIDATION_ERROR',
            ...ACCESS_ERRORS,
            'NOT_FOUND',
            'PAYLOAD_TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
          ),
        },
      },
      handler: async (request, reply) => {
        const { created, ...body } = await deps.history.record(
          identityOf(request),
          request.params.id,
          request.body,
        );
        return reply.code(created ? 201 : 200).send(body);
      },
    });
  };
}
