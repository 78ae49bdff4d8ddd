// /v1/teams/:id/api-keys
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import { RevokedApiKey, TeamApiKeyList } from '../../contract/api-keys-api.ts';
import type { TeamApiKeyService } from '../../services/teams/team-api-keys.ts';
import { actorOf, identityOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';
import { TeamParams } from './teams.ts';

const tags = ['Teams'];
const TeamKeyParams = TeamParams.extend({
  keyId: z.string().meta({ description: 'The API key id' }),
});

export function teamApiKeyRoutes(deps: {
  teamApiKeys: TeamApiKeyService;
}): FastifyPluginAsyncZodOpenApi {
  const { teamApiKeys } = deps;
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/v1/teams/:id/api-keys',
      schema: {
        tags,
        operationId: 'listTeamApiKeys',
        summary: 'List the API keys that act in a team',
        description:
          'For owners: every key that works in the team, of any member. A key without `teamId` works in all teams of its owner.',
        params: TeamParams,
        response: {
          200: json('The keys', TeamApiKeyList),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => ({
        items: await teamApiKeys.list(identityOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/v1/teams/:id/api-keys/:keyId',
      schema: {
        tags,
        operationId: 'revokeTeamApiKey',
        summary: 'Revoke an API key of a team',
        description:
          'For owners: a key that was made for this team, by any member. One that works in all teams of another member is refused (409): remove the member.',
        params: TeamKeyParams,
        response: {
          200: json('The key was revoked', RevokedApiKey),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: async (request) => {
        const { id, keyId } = request.params;
        await teamApiKeys.revoke(actorOf(request), id, keyId);
        return { revoked: true as const, id: keyId };
      },
    });
  };
}
