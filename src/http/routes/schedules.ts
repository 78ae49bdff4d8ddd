// /v1/schedules
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  CreateScheduleRequest,
  DeletedSchedule,
  FiringQuery,
  Schedule,
  ScheduleFiring,
  ScheduleFirings,
  ScheduleList,
  UpdateScheduleRequest,
} from '../../contract/schedule-api.ts';
import type { ScheduleService } from '../../services/schedules/schedules.ts';
import { actorOf, identityOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  BODY_ERRORS,
  IdempotencyHeaders,
  errorResponses,
  json,
} from '../documented.ts';

const ScheduleParams = z.object({ id: z.string().meta({ description: 'The schedule id' }) });
const tags = ['Schedules'];

export function scheduleRoutes(deps: { schedules: ScheduleService }): FastifyPluginAsyncZodOpenApi {
  const { schedules } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/v1/schedules',
      schema: {
        tags,
        operationId: 'createSchedule',
        summary: 'Create a schedule',
        description:
          'Asks for a run at the times of a cron pattern, or every so many seconds. Its runs act and pay as you.',
        headers: IdempotencyHeaders,
        body: CreateScheduleRequest,
        response: {
          201: json('The schedule, with its next times', Schedule),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
      handler: async (request, reply) => {
        const { schedule, replayed } = await schedules.create(
          actorOf(request),
          request.body,
          request.headers['idempotency-key'],
        );
        if (replayed) reply.header('idempotency-replayed', 'true');
        return reply.code(201).send(schedule);
      },
    });

    app.route({
      method: 'GET',
      url: '/v1/schedules',
      schema: {
        tags,
        operationId: 'listSchedules',
        summary: 'List schedules',
        description: 'Newest first, each with its next times and what its last time came to.',
        response: {
          200: json('The schedules of the team', ScheduleList),
          ...errorResponses(...ACCESS_ERRORS),
        },
      },
      handler: async (request) => ({ items: await schedules.list(identityOf(request)) }),
    });

    app.route({
      method: 'GET',
      url: '/v1/schedules/:id',
      schema: {
        tags,
        operationId: 'getSchedule',
        summary: 'Get a schedule',
        description: 'With its rules, its next times and what its last time came to.',
        params: ScheduleParams,
        response: {
          200: json('The schedule', Schedule),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => schedules.find(identityOf(request), request.params.id),
    });

    app.route({
      method: 'PATCH',
      url: '/v1/schedules/:id',
      schema: {
        tags,
        operationId: 'updateSchedule',
        summary: 'Update a schedule',
        description:
          'Changes, pauses or resumes a schedule. Omitted fields stay unchanged. Who changes `work` or resumes it becomes its owner.',
        params: ScheduleParams,
        body: UpdateScheduleRequest,
        response: {
          200: json('The updated schedule', Schedule),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => schedules.update(actorOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'DELETE',
      url: '/v1/schedules/:id',
      schema: {
        tags,
        operationId: 'deleteSchedule',
        summary: 'Delete a schedule',
        description: 'Also deletes its log. Runs that it has asked for continue.',
        params: ScheduleParams,
        response: {
          200: json('The schedule was deleted', DeletedSchedule),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => schedules.remove(actorOf(request), request.params.id),
    });

    app.route({
      method: 'POST',
      url: '/v1/schedules/:id/run-now',
      schema: {
        tags,
        operationId: 'runScheduleNow',
        summary: 'Run a schedule now',
        description:
          'Asks for its run once, as you, also while it is paused. Its budget and its rule about earlier runs hold.',
        params: ScheduleParams,
        response: {
          202: json('What was started', ScheduleFiring),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: async (request, reply) =>
        reply.code(202).send(await schedules.runNow(actorOf(request), request.params.id)),
    });

    app.route({
      method: 'GET',
      url: '/v1/schedules/:id/firings',
      schema: {
        tags,
        operationId: 'listScheduleFirings',
        summary: 'List firings',
        description: 'Newest first: what each time came to. The last 100 are kept.',
        params: ScheduleParams,
        querystring: FiringQuery,
        response: {
          200: json('The latest firings', ScheduleFirings),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => ({
        items: await schedules.firings(identityOf(request), request.params.id, request.query.limit),
      }),
    });
  };
}
