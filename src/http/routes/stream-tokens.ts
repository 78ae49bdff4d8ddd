// /v1/stream-tokens and /v1/runs/:id/caps: what the agents of a run may call, and what the run may cost.
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  EndedStreamToken,
  RenewedStreamToken,
  RunCaps,
  RunCapsRequest,
  StreamToken,
  StreamTokenRequest,
} from '../../contract/stream-token-api.ts';
import type { RunCapService } from '../../services/runs/run-caps.ts';
import type { StreamTokenService } from '../../services/runs/stream-tokens.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';

const tags = ['Runs'];
const RunParams = z.object({ id: z.string().meta({ description: 'The run id' }) });
const TokenParams = z.object({ id: z.string().meta({ description: 'The id of the token' }) });

export function streamTokenRoutes(deps: {
  streamTokens: StreamTokenService;
  runCaps: RunCapService;
}): FastifyPluginAsyncZodOpenApi {
  const { streamTokens, runCaps } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/v1/stream-tokens',
      schema: {
        tags,
        operationId: 'createStreamToken',
        summary: 'Create a token for the agent of a stream',
        description:
          'The token can call the model endpoint (`/model/...`), with these models, and nothing else. It expires after 60 seconds unless it is renewed.',
        body: StreamTokenRequest,
        response: {
          201: json('The token', StreamToken),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT'),
        },
      },
      handler: async (request, reply) =>
        reply.code(201).send(await streamTokens.create(identityOf(request), request.body)),
    });

    app.route({
      method: 'POST',
      url: '/v1/stream-tokens/:id/renew',
      schema: {
        tags,
        operationId: 'renewStreamToken',
        summary: 'Renew a token of a stream',
        description: 'For another 60 seconds.',
        params: TokenParams,
        response: {
          200: json('The token', RenewedStreamToken),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: (request) => streamTokens.renew(identityOf(request), request.params.id),
    });

    app.route({
      method: 'DELETE',
      url: '/v1/stream-tokens/:id',
      schema: {
        tags,
        operationId: 'endStreamToken',
        summary: 'End a token of a stream',
        description: 'The token stops working. Calls that are being answered continue.',
        params: TokenParams,
        response: {
          200: json('The token has ended', EndedStreamToken),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => {
        const usage = await streamTokens.end(identityOf(request), request.params.id);
        return { ended: true as const, usage };
      },
    });

    app.route({
      method: 'PUT',
      url: '/v1/runs/:id/caps',
      schema: {
        tags,
        operationId: 'setRunCaps',
        summary: 'Limit what a run may cost',
        description:
          'Every job and every model call of the run reserves what it may cost at most, and is refused if that does not fit. Limits that are not named stay as they are.',
        params: RunParams,
        body: RunCapsRequest,
        response: {
          200: json('The limits', RunCaps),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS),
        },
      },
      handler: (request) => runCaps.set(identityOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'GET',
      url: '/v1/runs/:id/caps',
      schema: {
        tags,
        operationId: 'getRunCaps',
        summary: 'Get the limits of a run',
        description: 'With what is spent and reserved of them.',
        params: RunParams,
        response: {
          200: json('The limits', RunCaps),
          ...errorResponses(...ACCESS_ERRORS, 'VALIDATION_ERROR'),
        },
      },
      handler: (request) => runCaps.find(identityOf(request), request.params.id),
    });
  };
}
