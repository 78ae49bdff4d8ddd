// /api/v1/api-keys
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  ApiKeyList,
  CreateApiKeyRequest,
  CreatedApiKey,
  RevokedApiKey,
  RotateApiKeyRequest,
  RotatedApiKey,
} from '../../contract/api-keys-api.ts';
import type { OwnApiKeyService } from '../../services/accounts/own-api-keys.ts';
import { actorOf, identityOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  BODY_ERRORS,
  IdempotencyHeaders,
  errorResponses,
  json,
} from '../documented.ts';

const tags = ['API keys'];
const KeyParams = z.object({ id: z.string().meta({ description: 'The API key id' }) });
const CREATE_ERRORS = [
  ...BODY_ERRORS,
  ...ACCESS_ERRORS,
  'CONFLICT',
  'IDEMPOTENCY_KEY_REUSED',
] as const;

export function apiKeyRoutes(deps: { ownApiKeys: OwnApiKeyService }): FastifyPluginAsyncZodOpenApi {
  const { ownApiKeys } = deps;
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/api-keys',
      schema: {
        tags,
        operationId: 'listApiKeys',
        summary: 'List your API keys',
        description: 'Oldest first, masked, with those that have expired or were revoked.',
        response: { 200: json('Your keys', ApiKeyList), ...errorResponses(...ACCESS_ERRORS) },
      },
      handler: async (request) => ({ items: await ownApiKeys.list(identityOf(request)) }),
    });

    app.route({
      method: 'POST',
      url: '/api/v1/api-keys',
      schema: {
        tags,
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description: 'The response contains the key; it is not shown again.',
        headers: IdempotencyHeaders,
        body: CreateApiKeyRequest,
        response: {
          201: json('The key was created', CreatedApiKey),
          ...errorResponses(...CREATE_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request, reply) => {
        const { key, replayed } = await ownApiKeys.create(
          actorOf(request),
          request.body,
          request.headers['idempotency-key'],
        );
        if (replayed) reply.header('idempotency-replayed', 'true');
        return reply.code(201).send(key);
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/api-keys/:id/rotate',
      schema: {
        tags,
        operationId: 'rotateApiKey',
        summary: 'Rotate an API key',
        description:
          'Creates a key with the same name, scopes, team and lifetime. The old one keeps working for `gracePeriodHours`.',
        params: KeyParams,
        headers: IdempotencyHeaders,
        // No body means a day of grace.
        body: z.preprocess((body) => body ?? {}, RotateApiKeyRequest),
        response: {
          201: json('The new key', RotatedApiKey),
          ...errorResponses(...CREATE_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request, reply) => {
        const { key, replayed } = await ownApiKeys.rotate(
          actorOf(request),
          request.params.id,
          request.body,
          request.headers['idempotency-key'],
        );
        if (replayed) reply.header('idempotency-replayed', 'true');
        return reply.code(201).send(key);
      },
    });

    app.route({
      method: 'DELETE',
      url: '/api/v1/api-keys/:id',
      schema: {
        tags,
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description: 'Takes effect on every node within 5 seconds. Revoking twice is fine.',
        params: KeyParams,
        response: {
          200: json('The key was revoked', RevokedApiKey),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => {
        const { id } = request.params;
        await ownApiKeys.revoke(actorOf(request), id);
        return { revoked: true as const, id };
      },
    });
  };
}
