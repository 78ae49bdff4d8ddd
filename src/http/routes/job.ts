// GET /api/v1/job/:id, its events and its cancel.
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import { CancelResponse, Job, JobQuery } from '../../contract/job-api.ts';
import type { AccessWatch } from '../../services/access-watch.ts';
import type { JobEventService } from '../../services/jobs/job-events.ts';
import type { JobService } from '../../services/jobs/jobs.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, errorResponses } from '../documented.ts';
import { goneSignal, sendEvents } from '../sse.ts';

const JobParams = z.object({ id: z.string().meta({ description: 'The job id' }) });
const errors = errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND');

const EventHeaders = z.object({
  'last-event-id': z.string().max(100).optional().meta({ description: 'Resume after this event' }),
});

export interface JobRouteDeps {
  jobs: JobService;
  events: JobEventService;
  /** Aborts when the server stops: nobody is kept waiting then. */
  stopping: AbortSignal;
  accessWatch: AccessWatch;
}

export function jobRoutes(deps: JobRouteDeps): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/job/:id',
      config: { waits: true },
      schema: {
        tags: ['Jobs'],
        operationId: 'getJob',
        summary: 'Get a job',
        description:
          'Returns the state of the job. With `wait`, the response is sent as soon as the job ends.',
        params: JobParams,
        querystring: JobQuery,
        response: {
          200: { description: 'The job', content: { 'application/json': { schema: Job } } },
          ...errors,
        },
      },
      handler: async (request, reply) => {
        const { view = 'plain', wait = 0 } = request.query;
        const { id } = request.params;
        const identity = identityOf(request);
        const look = (who: Identity, waitMs: number, signal: AbortSignal) =>
          deps.jobs.view(who, id, { view, waitMs, signal });
        const gone = wait > 0 ? goneSignal(reply, deps.stopping) : deps.stopping;
        const signal =
          wait > 0 ? deps.accessWatch.until(identity, request.accessMoment, gone) : gone;
        let body = await look(identity, wait * 1000, signal);
        // What was waited for is for those who may still see it.
        if (signal.aborted && !gone.aborted)
          body = await look(await app.recheckAccess(request), 0, gone);
        return reply.type('application/json; charset=utf-8').send(body as never);
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/job/:id/cancel',
      schema: {
        tags: ['Jobs'],
        operationId: 'cancelJob',
        summary: 'Cancel a job',
        description:
          'Cancels a pending or running job and stops its model call immediately. `cancelled` is false if the job had already ended.',
        params: JobParams,
        response: {
          200: {
            description: 'Whether the job is cancelled',
            content: { 'application/json': { schema: CancelResponse } },
          },
          ...errors,
          ...errorResponses('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'),
        },
      },
      handler: (request) => deps.jobs.cancel(identityOf(request), request.params.id),
    });

    app.route({
      method: 'GET',
      url: '/api/v1/job/:id/events',
      config: { waits: true },
      schema: {
        tags: ['Jobs'],
        operationId: 'followJob',
        summary: 'Stream job events',
        description:
          'Server-sent events: `status`, `text` (with its offset in the output; a new generation starts the text over) and finally `done` with the job. Send `Last-Event-ID` to resume after a disconnect.',
        params: JobParams,
        headers: EventHeaders,
        response: {
          200: {
            description: 'The events',
            content: { 'text/event-stream': { schema: z.string() } },
          },
          ...errors,
        },
      },
      handler: async (request, reply) => {
        const gone = goneSignal(reply, deps.stopping);
        const signal = deps.accessWatch.until(identityOf(request), request.accessMoment, gone);
        const events = await deps.events.follow(identityOf(request), request.params.id, {
          lastEventId: request.headers['last-event-id'],
          signal,
        });
        await sendEvents(reply, events, signal);
      },
    });
  };
}
