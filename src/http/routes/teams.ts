// /v1/teams
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  CreateTeamRequest,
  DeletedTeam,
  Team,
  TeamList,
  UpdateTeamRequest,
} from '../../contract/teams-api.ts';
import type { TeamService } from '../../services/teams/teams.ts';
import { actorOf, identityOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  BODY_ERRORS,
  IdempotencyHeaders,
  errorResponses,
  json,
} from '../documented.ts';

const tags = ['Teams'];
export const TeamParams = z.object({ id: z.string().meta({ description: 'The team id' }) });

export function teamRoutes(deps: { teams: TeamService }): FastifyPluginAsyncZodOpenApi {
  const { teams } = deps;
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/v1/teams',
      schema: {
        tags,
        operationId: 'listTeams',
        summary: 'List your teams',
        description: 'Your personal team first. A key that was made for one team sees that one.',
        response: { 200: json('Your teams', TeamList), ...errorResponses(...ACCESS_ERRORS) },
      },
      handler: async (request) => {
        const items = await teams.list(identityOf(request));
        return { items, total: items.length };
      },
    });

    app.route({
      method: 'POST',
      url: '/v1/teams',
      schema: {
        tags,
        operationId: 'createTeam',
        summary: 'Create a team',
        description: 'You become its owner. To work in it, send its id as `X-Team-Id`.',
        headers: IdempotencyHeaders,
        body: CreateTeamRequest,
        response: {
          201: json('The team was created', Team),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'),
        },
      },
      handler: async (request, reply) => {
        const key = request.headers['idempotency-key'];
        const { team, replayed } = await teams.create(actorOf(request), request.body.name, key);
        if (replayed) reply.header('idempotency-replayed', 'true');
        return reply.code(201).send(team);
      },
    });

    app.route({
      method: 'GET',
      url: '/v1/teams/:id',
      schema: {
        tags,
        operationId: 'getTeam',
        summary: 'Get a team',
        description: 'For its members.',
        params: TeamParams,
        response: {
          200: json('The team', Team),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => teams.find(identityOf(request), request.params.id),
    });

    app.route({
      method: 'PATCH',
      url: '/v1/teams/:id',
      schema: {
        tags,
        operationId: 'updateTeam',
        summary: 'Update a team',
        description: 'For its admins and owners. Omitted fields and settings stay unchanged.',
        params: TeamParams,
        body: UpdateTeamRequest,
        response: {
          200: json('The updated team', Team),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => teams.update(actorOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'DELETE',
      url: '/v1/teams/:id',
      schema: {
        tags,
        operationId: 'deleteTeam',
        summary: 'Delete a team',
        description:
          'For its owners, once none of its jobs is under way. Its members lose access, its invitations and keys stop working. A personal team cannot be deleted.',
        params: TeamParams,
        response: {
          200: json('The team was deleted', DeletedTeam),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: async (request) => {
        const { id } = request.params;
        await teams.remove(actorOf(request), id);
        return { deleted: true as const, id };
      },
    });
  };
}
