// /api/v1/runs/:id/shares and /api/v1/shared: links with which anybody may look at one run
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import { wholeNumber } from '../../contract/fields.ts';
import { RunChanges } from '../../contract/run-report-api.ts';
import {
  CreatedRunShare,
  RevokedRunShare,
  RunShareList,
  ShareHeaders,
  ShareRunRequest,
  SharedRun,
} from '../../contract/run-shares-api.ts';
import type { RunShareService } from '../../services/runs/run-shares.ts';
import { actorOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  BODY_ERRORS,
  IdempotencyHeaders,
  errorResponses,
  json,
} from '../documented.ts';

const tags = ['Runs'];
/** Anybody may call these who has a link. */
const security: [] = [];
const RunParams = z.object({ id: z.string().meta({ description: 'The run id' }) });
const ShareParams = RunParams.extend({
  shareId: z.string().meta({ description: 'The id of the link' }),
});
const SharedParams = z.object({ id: z.string().meta({ description: 'The id of the link' }) });
const SharedQuery = z.object({
  after: wholeNumber({ min: 0, max: 2_000_000_000, initial: 0 }).meta({
    description: 'Only events after this `seq`',
    type: 'integer',
    default: 0,
  }),
});
const VISIT_ERRORS = ['VALIDATION_ERROR', 'NOT_FOUND', 'RATE_LIMITED'] as const;

export function runShareRoutes(deps: { shares: RunShareService }): FastifyPluginAsyncZodOpenApi {
  const { shares } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/api/v1/runs/:id/shares',
      schema: {
        tags,
        operationId: 'shareRun',
        summary: 'Share a run',
        description:
          'Creates a link with which anybody can look at this run until it expires. It never shows prompts, answers, commands or their output.',
        params: RunParams,
        headers: IdempotencyHeaders,
        // No body means the defaults.
        body: z.preprocess((body) => body ?? {}, ShareRunRequest),
        response: {
          201: json('The link', CreatedRunShare),
          ...errorResponses(
            ...BODY_ERRORS,
            ...ACCESS_ERRORS,
            'NOT_FOUND',
            'CONFLICT',
            'IDEMPOTENCY_KEY_REUSED',
          ),
        },
      },
      handler: async (request, reply) => {
        const { share, replayed } = await shares.create(
          actorOf(request),
          request.params.id,
          request.body,
          request.headers['idempotency-key'],
        );
        if (replayed) reply.header('idempotency-replayed', 'true');
        return reply.code(201).send(share);
      },
    });

    app.route({
      method: 'GET',
      url: '/api/v1/runs/:id/shares',
      schema: {
        tags,
        operationId: 'listRunShares',
        summary: 'List the links to a run',
        description: 'Those that still work, newest first, without their secrets.',
        params: RunParams,
        response: {
          200: json('The links', RunShareList),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => ({
        items: await shares.list(actorOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/api/v1/runs/:id/shares/:shareId',
      schema: {
        tags,
        operationId: 'revokeRunShare',
        summary: 'Revoke a link to a run',
        description: 'The link stops working at once.',
        params: ShareParams,
        response: {
          200: json('The link was revoked', RevokedRunShare),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => {
        const { id, shareId } = request.params;
        await shares.revoke(actorOf(request), id, shareId);
        return { revoked: true as const };
      },
    });

    app.route({
      method: 'GET',
      url: '/api/v1/shared/:id',
      schema: {
        tags,
        operationId: 'getSharedRun',
        summary: 'Look at a shared run',
        description: 'What a link shows of its run. Needs no account.',
        security,
        params: SharedParams,
        querystring: SharedQuery,
        headers: ShareHeaders,
        response: { 200: json('The run', SharedRun), ...errorResponses(...VISIT_ERRORS) },
      },
      handler: async (request, reply) => {
        const visit = visitOf(request.params.id, request.headers['x-share-token'], request.ip);
        reply.headers(UNLISTED);
        return shares.look(visit, request.query.after);
      },
    });

    app.route({
      method: 'GET',
      url: '/api/v1/shared/:id/changes',
      schema: {
        tags,
        operationId: 'getSharedRunChanges',
        summary: 'Get the changes of a shared run',
        description: 'For links that were made with `includeChanges`.',
        security,
        params: SharedParams,
        headers: ShareHeaders,
        response: {
          200: json('The changes', RunChanges),
          ...errorResponses(...VISIT_ERRORS, 'FORBIDDEN'),
        },
      },
      handler: async (request, reply) => {
        const visit = visitOf(request.params.id, request.headers['x-share-token'], request.ip);
        reply.headers(UNLISTED);
        return { streams: await shares.changes(visit) };
      },
    });
  };
}

const UNLISTED = { 'x-robots-tag': 'noindex' };

function visitOf(shareId: string, token: string, address: string) {
  return { shareId, token, address };
}
