// POST /api/v1/execute
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { ExecuteRequest, ExecuteResponse, MAX_WAIT_SECONDS } from '../../contract/job-api.ts';
import type { JobService } from '../../services/jobs/jobs.ts';
import { identityOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  IdempotencyHeaders,
  ProviderKeyHeader,
  errorResponses,
} from '../documented.ts';

export function executeRoute(deps: { jobs: JobService }): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/api/v1/execute',
      schema: {
        tags: ['Jobs'],
        operationId: 'execute',
        summary: 'Create a job',
        description:
          'Queues a prompt and returns the job id. The job is stored durably before the response is sent.',
        headers: IdempotencyHeaders.extend(ProviderKeyHeader),
        body: ExecuteRequest,
        response: {
          202: {
            description: 'The job was accepted',
            content: { 'application/json': { schema: ExecuteResponse } },
          },
          ...errorResponses(
            'VALIDATION_ERROR',
            ...ACCESS_ERRORS,
            'QUOTA_EXCEEDED',
            'PAYLOAD_TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
            'IDEMPOTENCY_KEY_REUSED',
          ),
        },
      },
      handler: async (request, reply) => {
        const { jobId, replayed } = await deps.jobs.submit(identityOf(request), request.body, {
          idempotencyKey: request.headers['idempotency-key'],
          providerKey: request.headers['x-provider-key'],
          trace: request.span?.context,
        });
        if (replayed) reply.header('idempotency-replayed', 'true');
        reply.header('location', `/api/v1/job/${jobId}`);
        // Clients learn from it that they may wait instead of polling.
        reply.header('millrace-long-poll', String(MAX_WAIT_SECONDS));
        return reply.code(202).send({ jobId });
      },
    });
  };
}
