// GET /api/v1/events, and what command lines report of their runs.
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import { LiveQuery } from '../../contract/live-api.ts';
import {
  CancelledRun,
  ReportRunRequest,
  ReportedManifest,
  ReportedRun,
  RunChanges,
} from '../../contract/run-report-api.ts';
import type { AccessWatch } from '../../services/access-watch.ts';
import type { LiveService } from '../../services/live/live-events.ts';
import type { RunReportService } from '../../services/runs/run-reports.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';
import { goneSignal, sendEvents } from '../sse.ts';

const RunParams = z.object({ id: z.string().meta({ description: 'The run id' }) });
const LiveHeaders = z.object({
  'last-event-id': z.string().max(8000).optional().meta({ description: 'Resume after this event' }),
});

export interface LiveRouteDeps {
  live: LiveService;
  reports: RunReportService;
  /** Aborts when the server stops. */
  stopping: AbortSignal;
  accessWatch: AccessWatch;
}

export function liveRoutes(deps: LiveRouteDeps): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/events',
      config: { waits: true },
      schema: {
        tags: ['Live'],
        operationId: 'followTopics',
        summary: 'Stream events of many things',
        description:
          'Server-sent events of up to 20 topics in one stream, each with `topic` and `data`. `run:ID` sends `events` (what its command line has reported) and `progress`; `job:ID` and `execution:ID` send what their own event streams do; `team` sends `changed` with the ids of what changed. A topic that you cannot follow sends `refused`; for a run that does not exist yet, its events follow when it starts. Send `Last-Event-ID` to resume after a disconnect.',
        querystring: LiveQuery,
        headers: LiveHeaders,
        response: {
          200: {
            description: 'The events',
            content: { 'text/event-stream': { schema: z.string() } },
          },
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: async (request, reply) => {
        const gone = goneSignal(reply, deps.stopping);
        const signal = deps.accessWatch.until(identityOf(request), request.accessMoment, gone);
        const topics = request.query.topics.split(',');
        const events = deps.live.follow(identityOf(request), topics, {
          lastEventId: request.headers['last-event-id'],
          signal,
        });
        await sendEvents(reply, events, signal);
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/runs/:id/events',
      schema: {
        tags: ['Runs'],
        operationId: 'reportRun',
        summary: 'Report the progress of a run',
        description:
          'For programs that run manifests themselves: adds the events that follow the last one the server has, and says whether a user asked to stop the run.',
        params: RunParams,
        body: ReportRunRequest,
        response: {
          200: json('What the server has now', ReportedRun),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS),
        },
      },
      handler: (request) =>
        deps.reports.report(identityOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'GET',
      url: '/api/v1/runs/:id/changes',
      schema: {
        tags: ['Runs'],
        operationId: 'getRunChanges',
        summary: 'Get the changes of a run',
        description: 'The files that each stream changed, as its command line reported them.',
        params: RunParams,
        response: {
          200: json('The changes', RunChanges),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => ({
        streams: await deps.reports.changes(identityOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'GET',
      url: '/api/v1/runs/:id/manifest',
      schema: {
        tags: ['Runs'],
        operationId: 'getRunManifest',
        summary: 'Get the manifest of a run',
        description:
          'The text of its manifest when the run began, as its command line reported it, up to 256 KiB.',
        params: RunParams,
        response: {
          200: json('The manifest', ReportedManifest),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => ({
        manifest: (await deps.reports.manifest(identityOf(request), request.params.id)) ?? null,
      }),
    });

    app.route({
      method: 'POST',
      url: '/api/v1/runs/:id/cancel',
      schema: {
        tags: ['Runs'],
        operationId: 'cancelRun',
        summary: 'Cancel a run',
        description:
          'Asks the command line that runs it to stop, or cancels its open jobs when there is none.',
        params: RunParams,
        response: {
          200: json('Whether anything was stopped', CancelledRun),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => ({
        cancelled: await deps.reports.cancel(identityOf(request), request.params.id),
      }),
    });
  };
}
