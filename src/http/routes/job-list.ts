// GET /api/v1/jobs, and what was asked of one of them.
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import { JobListQuery, JobPage, JobRequest } from '../../contract/job-list-api.ts';
import type { JobListService } from '../../services/jobs/job-list.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, errorResponses, json } from '../documented.ts';

const JobParams = z.object({ id: z.string().meta({ description: 'The job id' }) });

export function jobListRoutes(deps: { jobList: JobListService }): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/jobs',
      schema: {
        tags: ['Jobs'],
        operationId: 'listJobs',
        summary: 'List jobs',
        description:
          'The jobs of your team, newest first. Pass `nextCursor` as `before` to get the next page.',
        querystring: JobListQuery,
        response: {
          200: json('One page of jobs', JobPage),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: (request) => deps.jobList.list(identityOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/api/v1/job/:id/request',
      schema: {
        tags: ['Jobs'],
        operationId: 'getJobRequest',
        summary: 'Get the request of a job',
        description: 'The prompt and the options that the job was submitted with.',
        params: JobParams,
        response: {
          200: json('The request', JobRequest),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => deps.jobList.request(identityOf(request), request.params.id),
    });
  };
}
