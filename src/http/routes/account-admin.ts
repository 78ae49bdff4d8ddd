// /api/v1/admin: the accounts of the server
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { MakeResetLinkRequest, ResetLink } from '../../contract/auth-api.ts';
import type { AccountAdmin } from '../../services/accounts/account-admin.ts';
import { actorOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';

export function accountAdminRoutes(deps: {
  accountAdmin: AccountAdmin;
}): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/api/v1/admin/password-resets',
      schema: {
        tags: ['Accounts'],
        operationId: 'makePasswordLink',
        summary: 'Create a password link',
        description:
          'For server administrators: a link with which the owner of an account sets a new password.',
        body: MakeResetLinkRequest,
        response: {
          201: json('The link', ResetLink),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request, reply) => {
        const { email } = request.body;
        const link = await deps.accountAdmin.makeResetLink(email, actorOf(request));
        return reply.code(201).send({ ...link, expiresAt: link.expiresAt.toISOString() });
      },
    });
  };
}
