// /v1/run-requests: runs that are asked for here and made by a runner.
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  ANSWER_KEY_PATTERN,
  RequestAnswer,
  RequestEnd,
  RequestProgress,
  RequestRelease,
  RunRequest,
  RunRequestPage,
  RunRequestQuery,
  RunRequestWait,
  RunRequestWork,
} from '../../contract/run-request-api.ts';
import type { AccessWatch } from '../../services/access-watch.ts';
import type { RunRequestService } from '../../services/runners/run-requests.ts';
import { actorOf, identityOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  BODY_ERRORS,
  IdempotencyHeaders,
  errorResponses,
  json,
} from '../documented.ts';
import { goneSignal } from '../sse.ts';

const tags = ['Run requests'];
const params = z.object({ id: z.string().meta({ description: 'The id of the request' }) });
const answerParams = params.extend({
  key: z
    .string()
    .regex(ANSWER_KEY_PATTERN, 'must be a SHA-256 in hexadecimal digits')
    .meta({ description: 'Of the question' }),
});
const FIND_ERRORS = errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND');
const WRITE_ERRORS = errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT');
const Taken = z.object({ taken: z.literal(true) }).meta({ id: 'TakenNote' });

export function runRequestRoutes(deps: {
  runRequests: RunRequestService;
  accessWatch: AccessWatch;
  /** Aborts when the server stops: nobody is kept waiting then. */
  stopping: AbortSignal;
}): FastifyPluginAsyncZodOpenApi {
  const { runRequests } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/v1/run-requests',
      schema: {
        tags,
        operationId: 'createRunRequest',
        summary: 'Ask for a run',
        description:
          'A runner that has the project makes it, as you: your keys, your budget. It works on a branch of its own unless `inPlace` says otherwise.',
        headers: IdempotencyHeaders,
        body: RunRequestWork,
        response: {
          202: json('The request', RunRequest),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
      handler: async (request, reply) => {
        const key = request.headers['idempotency-key'];
        const made = await runRequests.create(actorOf(request), request.body, key);
        if (made.replayed) reply.header('idempotency-replayed', 'true');
        return reply.code(202).send(made.request);
      },
    });

    app.route({
      method: 'GET',
      url: '/v1/run-requests',
      schema: {
        tags,
        operationId: 'listRunRequests',
        summary: 'List run requests',
        description: 'Of the team, newest first.',
        querystring: RunRequestQuery,
        response: {
          200: json('One page of requests', RunRequestPage),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: (request) => runRequests.list(identityOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/v1/run-requests/:id',
      config: { waits: true },
      schema: {
        tags,
        operationId: 'getRunRequest',
        summary: 'Get a run request',
        description: 'With `wait`, responds when it has ended.',
        params,
        querystring: RunRequestWait,
        response: { 200: json('The request', RunRequest), ...FIND_ERRORS },
      },
      handler: async (request, reply) => {
        const { wait = 0 } = request.query;
        const { id } = request.params;
        const identity = identityOf(request);
        if (wait === 0) return runRequests.find(identity, id);
        const gone = goneSignal(reply, deps.stopping);
        const signal = deps.accessWatch.until(identity, request.accessMoment, gone);
        const found = await runRequests.find(identity, id, { ms: wait * 1000, signal });
        // What was waited for is for those who may still see it.
        if (!signal.aborted || gone.aborted) return found;
        return runRequests.find(await app.recheckAccess(request), id);
      },
    });

    app.route({
      method: 'POST',
      url: '/v1/run-requests/:id/cancel',
      schema: {
        tags,
        operationId: 'cancelRunRequest',
        summary: 'Cancel a run request',
        description:
          'One that waits ends at once; the runner of one that is under way stops its run.',
        params,
        response: { 200: json('The request', RunRequest), ...WRITE_ERRORS },
      },
      handler: (request) => runRequests.cancel(actorOf(request), request.params.id),
    });

    app.route({
      method: 'PUT',
      url: '/v1/run-requests/:id/progress',
      schema: {
        tags,
        operationId: 'reportRunRequest',
        summary: 'Say how far a run request is',
        description: 'For the runner that has taken it.',
        params,
        body: RequestProgress,
        response: { 200: json('It was noted', Taken), ...WRITE_ERRORS },
      },
      handler: async (request) => {
        await runRequests.progress(identityOf(request), request.params.id, request.body);
        return { taken: true as const };
      },
    });

    app.route({
      method: 'PUT',
      url: '/v1/run-requests/:id/end',
      schema: {
        tags,
        operationId: 'endRunRequest',
        summary: 'Say how a run request ended',
        description: 'For the runner that has taken it. Counts once.',
        params,
        body: RequestEnd,
        response: { 200: json('It was noted', Taken), ...WRITE_ERRORS },
      },
      handler: async (request) => {
        await runRequests.end(identityOf(request), request.params.id, request.body);
        return { taken: true as const };
      },
    });

    app.route({
      method: 'PUT',
      url: '/v1/run-requests/:id/release',
      schema: {
        tags,
        operationId: 'releaseRunRequest',
        summary: 'Give a run request back',
        description: 'For a runner that stops: another one takes it.',
        params,
        body: RequestRelease,
        response: { 200: json('It waits again', Taken), ...WRITE_ERRORS },
      },
      handler: async (request) => {
        await runRequests.release(identityOf(request), request.params.id, request.body.fence);
        return { taken: true as const };
      },
    });

    app.route({
      method: 'GET',
      url: '/v1/run-requests/:id/answers/:key',
      schema: {
        tags,
        operationId: 'getRunRequestAnswer',
        summary: 'Get an answer from before',
        description: 'For a run that another runner has begun: what it asks again was answered.',
        params: answerParams,
        response: { 200: json('The answer', RequestAnswer), ...FIND_ERRORS },
      },
      handler: async (request) => {
        const { id, key } = request.params;
        return { answer: await runRequests.findAnswer(identityOf(request), id, key) };
      },
    });

    app.route({
      method: 'PUT',
      url: '/v1/run-requests/:id/answers/:key',
      schema: {
        tags,
        operationId: 'keepRunRequestAnswer',
        summary: 'Keep an answer',
        description:
          'For the run: kept until the request ends, in case another runner takes it over.',
        params: answerParams,
        body: RequestAnswer,
        response: {
          200: json('Whether there was room', z.object({ kept: z.boolean() })),
          ...WRITE_ERRORS,
        },
      },
      handler: async (request) => {
        const { id, key } = request.params;
        const { answer } = request.body;
        return { kept: await runRequests.keepAnswer(identityOf(request), id, key, answer) };
      },
    });
  };
}
