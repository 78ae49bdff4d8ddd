// /v1/executions
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  CancelledExecution,
  CreateExecutionRequest,
  CreatedExecution,
  Execution,
  ExecutionPage,
  ExecutionQuery,
  RunPlanRequest,
} from '../../contract/execution-api.ts';
import type { AccessWatch } from '../../services/access-watch.ts';
import type { ExecutionEventService } from '../../services/executions/execution-events.ts';
import type { ExecutionService } from '../../services/executions/executions.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, IdempotencyHeaders, errorResponses } from '../documented.ts';
import { goneSignal, sendEvents } from '../sse.ts';

const ExecutionParams = z.object({ id: z.string().meta({ description: 'The execution id' }) });
const EventHeaders = z.object({
  'last-event-id': z.string().max(100).optional().meta({ description: 'Resume after this event' }),
});
const tags = ['Executions'];
const json = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
});
const BODY_ERRORS = ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;

function sendStarted(
  reply: FastifyReply,
  { execution, replayed }: { execution: CreatedExecution; replayed: boolean },
) {
  if (replayed) reply.header('idempotency-replayed', 'true');
  return reply.code(202).header('location', execution.statusUrl).send(execution);
}

export interface ExecutionRouteDeps {
  executions: ExecutionService;
  executionEvents: ExecutionEventService;
  /** Aborts when the server stops: nobody is kept waiting then. */
  stopping: AbortSignal;
  accessWatch: AccessWatch;
}

export function executionRoutes(deps: ExecutionRouteDeps): FastifyPluginAsyncZodOpenApi {
  const { executions } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/v1/executions',
      schema: {
        tags,
        operationId: 'createExecution',
        summary: 'Create an execution',
        description:
          'The model splits the task into streams, which run in dependency order. Each stream returns an artifact with file changes. With `dryRun`, only the plan is made.',
        headers: IdempotencyHeaders,
        body: CreateExecutionRequest,
        response: {
          202: json('The execution was accepted', CreatedExecution),
          ...errorResponses(
            ...BODY_ERRORS,
            ...ACCESS_ERRORS,
            'QUOTA_EXCEEDED',
            'IDEMPOTENCY_KEY_REUSED',
          ),
        },
      },
      handler: async (request, reply) => {
        const started = await executions.create(identityOf(request), request.body, {
          idempotencyKey: request.headers['idempotency-key'],
          trace: request.span?.context,
        });
        return sendStarted(reply, started);
      },
    });

    app.route({
      method: 'GET',
      url: '/v1/executions',
      schema: {
        tags,
        operationId: 'listExecutions',
        summary: 'List executions',
        description: 'Newest first. Pass `nextCursor` as `before` to get the next page.',
        querystring: ExecutionQuery,
        response: {
          200: json('One page of executions', ExecutionPage),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: (request) => executions.list(identityOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/v1/executions/:id',
      schema: {
        tags,
        operationId: 'getExecution',
        summary: 'Get an execution',
        description:
          'Returns its progress, its steps and, once it has ended, the result with all file changes.',
        params: ExecutionParams,
        response: {
          200: json('The execution', Execution),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request, reply) => {
        const body = await executions.view(identityOf(request), request.params.id);
        return reply.type('application/json; charset=utf-8').send(body);
      },
    });

    app.route({
      method: 'POST',
      url: '/v1/executions/:id/run',
      schema: {
        tags,
        operationId: 'runPlan',
        summary: 'Run the plan of a dry run',
        description:
          'Starts a new execution with the steps of a dry run that has completed. The plan is not made again, so it costs nothing more. Task, files, model and limits are those of the dry run.',
        params: ExecutionParams,
        headers: IdempotencyHeaders,
        body: z.preprocess((body) => body ?? {}, RunPlanRequest),
        response: {
          202: json('The execution was accepted', CreatedExecution),
          ...errorResponses(
            ...BODY_ERRORS,
            ...ACCESS_ERRORS,
            'NOT_FOUND',
            'CONFLICT',
            'QUOTA_EXCEEDED',
            'IDEMPOTENCY_KEY_REUSED',
          ),
        },
      },
      handler: async (request, reply) => {
        const { id } = request.params;
        const started = await executions.runPlan(identityOf(request), id, request.body, {
          idempotencyKey: request.headers['idempotency-key'],
          trace: request.span?.context,
        });
        return sendStarted(reply, started);
      },
    });

    app.route({
      method: 'POST',
      url: '/v1/executions/:id/cancel',
      schema: {
        tags,
        operationId: 'cancelExecution',
        summary: 'Cancel an execution',
        description:
          'Cancels the execution immediately: pending steps are skipped, model calls are stopped, and completed steps are kept. `cancelled` is false if the execution had already ended.',
        params: ExecutionParams,
        response: {
          200: json('The state of the execution', CancelledExecution),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => executions.cancel(identityOf(request), request.params.id),
    });

    app.route({
      method: 'GET',
      url: '/v1/executions/:id/events',
      config: { waits: true },
      schema: {
        tags,
        operationId: 'followExecution',
        summary: 'Stream execution events',
        description:
          'Server-sent events: `status` (progress), `step` (a completed step) and finally `done` with the execution. The stream starts with all past events; send `Last-Event-ID` to resume after a disconnect.',
        params: ExecutionParams,
        headers: EventHeaders,
        response: {
          200: {
            description: 'The events',
            content: { 'text/event-stream': { schema: z.string() } },
          },
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request, reply) => {
        const gone = goneSignal(reply, deps.stopping);
        const signal = deps.accessWatch.until(identityOf(request), request.accessMoment, gone);
        const events = await deps.executionEvents.follow(identityOf(request), request.params.id, {
          lastEventId: request.headers['last-event-id'],
          signal,
        });
        await sendEvents(reply, events, signal);
      },
    });
  };
}
