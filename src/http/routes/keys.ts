// /api/v1/keys
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  DeletedKey,
  KeyOwnerQuery,
  ProviderKeyList,
  StoreKeyRequest,
  StoredKey,
  TestedKey,
} from '../../contract/keys-api.ts';
import type { ProviderKeyService } from '../../services/provider-keys/provider-keys.ts';
import { actorOf, identityOf } from '../access.ts';
import { ACCESS_ERRORS, IdempotencyHeaders, errorResponses, json } from '../documented.ts';

const ProviderParams = z.object({
  provider: z.string().meta({ description: 'anthropic, openai, google or openrouter' }),
});
const tags = ['Provider keys'];

export function keyRoutes(deps: { keys: ProviderKeyService }): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/keys',
      schema: {
        tags,
        operationId: 'listProviderKeys',
        summary: 'List provider keys',
        description:
          'Your own, then those of the team that the request acts in. Keys are masked; a stored key is never shown again.',
        response: { 200: json('Your keys', ProviderKeyList), ...errorResponses(...ACCESS_ERRORS) },
      },
      handler: async (request) => ({ keys: await deps.keys.list(identityOf(request)) }),
    });

    app.route({
      method: 'POST',
      url: '/api/v1/keys',
      schema: {
        tags,
        operationId: 'storeProviderKey',
        summary: 'Store a provider key',
        description:
          'Tests the key with the provider (up to 10 seconds), then stores it encrypted. A rejected key is not stored. If the provider cannot be reached, the key is stored with `valid: false` and tested when it is first used.',
        headers: IdempotencyHeaders,
        body: StoreKeyRequest,
        response: {
          200: json('The key replaced the stored one', StoredKey),
          201: json('The key was stored', StoredKey),
          ...errorResponses(
            'VALIDATION_ERROR',
            ...ACCESS_ERRORS,
            'PAYLOAD_TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
            'IDEMPOTENCY_KEY_REUSED',
          ),
        },
      },
      handler: async (request, reply) => {
        const { key, replaced, replayed } = await deps.keys.store(
          actorOf(request),
          request.body,
          request.headers['idempotency-key'],
        );
        if (replayed) reply.header('idempotency-replayed', 'true');
        return reply.code(replaced ? 200 : 201).send(key);
      },
    });

    app.route({
      method: 'POST',
      url: '/api/v1/keys/:provider/test',
      schema: {
        tags,
        operationId: 'testProviderKey',
        summary: 'Test a provider key',
        description: 'Calls the provider with the stored key and saves the outcome as `valid`.',
        params: ProviderParams,
        querystring: KeyOwnerQuery,
        response: {
          200: json('The result of the test', TestedKey),
          ...errorResponses(
            'VALIDATION_ERROR',
            ...ACCESS_ERRORS,
            'NOT_FOUND',
            'PAYLOAD_TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
          ),
        },
      },
      handler: (request) =>
        deps.keys.test(identityOf(request), request.params.provider, request.query.owner),
    });

    app.route({
      method: 'DELETE',
      url: '/api/v1/keys/:provider',
      schema: {
        tags,
        operationId: 'deleteProviderKey',
        summary: 'Delete a provider key',
        description: '`deleted` is false if there is no key for this provider.',
        params: ProviderParams,
        querystring: KeyOwnerQuery,
        response: {
          200: json('Whether a key was deleted', DeletedKey),
          ...errorResponses(
            'VALIDATION_ERROR',
            ...ACCESS_ERRORS,
            'PAYLOAD_TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
          ),
        },
      },
      handler: (request) =>
        deps.keys.remove(actorOf(request), request.params.provider, request.query.owner),
    });
  };
}
