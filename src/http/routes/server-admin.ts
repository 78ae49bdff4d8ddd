// /api/v1/admin/users and /api/v1/admin/teams: the accounts and teams of the server
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  AdminTeamsQuery,
  AdminUsersQuery,
  AdminTeam,
  AdminTeamList,
  AdminUpdateTeamRequest,
  AdminUser,
  AdminUserList,
  UpdateUserRequest,
} from '../../contract/admin-api.ts';
import type { ServerAdmin } from '../../services/accounts/server-admin.ts';
import { actorOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';

const tags = ['Server administration'];
const paramsOf = (description: string) => z.object({ id: z.string().meta({ description }) });

export function serverAdminRoutes(deps: {
  serverAdmin: ServerAdmin;
}): FastifyPluginAsyncZodOpenApi {
  const { serverAdmin } = deps;
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/admin/users',
      schema: {
        tags,
        operationId: 'listServerUsers',
        summary: 'List all accounts',
        description: 'For server administrators. Newest first.',
        querystring: AdminUsersQuery,
        response: {
          200: json('A page of accounts', AdminUserList),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: (request) => serverAdmin.listUsers(actorOf(request), request.query),
    });

    app.route({
      method: 'PATCH',
      url: '/api/v1/admin/users/:id',
      schema: {
        tags,
        operationId: 'updateServerUser',
        summary: 'Suspend an account, or change who manages the server',
        description:
          'For server administrators. A suspended account is refused with ACCOUNT_SUSPENDED on every node within 5 seconds. Its running jobs end normally, its pending jobs fail. The last server administrator stays one.',
        params: paramsOf('The user id'),
        body: UpdateUserRequest,
        response: {
          200: json('The account', AdminUser),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: (request) =>
        serverAdmin.updateUser(actorOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'GET',
      url: '/api/v1/admin/teams',
      schema: {
        tags,
        operationId: 'listServerTeams',
        summary: 'List all teams',
        description: 'For server administrators. Newest first, personal teams among them.',
        querystring: AdminTeamsQuery,
        response: {
          200: json('A page of teams', AdminTeamList),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: (request) => serverAdmin.listTeams(actorOf(request), request.query),
    });

    app.route({
      method: 'PATCH',
      url: '/api/v1/admin/teams/:id',
      schema: {
        tags,
        operationId: 'updateServerTeam',
        summary: 'Change the tier of a team, or suspend it',
        description:
          'For server administrators. A new tier is in force at once and replaces a scheduled one. Nothing acts in a suspended team: requests are refused with ACCOUNT_SUSPENDED, pending jobs fail.',
        params: paramsOf('The team id'),
        body: AdminUpdateTeamRequest,
        response: {
          200: json('The team', AdminTeam),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: (request) =>
        serverAdmin.updateTeam(actorOf(request), request.params.id, request.body),
    });
  };
}
