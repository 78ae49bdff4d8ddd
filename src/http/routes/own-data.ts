// What one can take along, and how one goes: exports, and the deletion of an account
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { DeleteAccountRequest, DeletedAccount } from '../../contract/auth-api.ts';
import type { DeleteAccount } from '../../services/accounts/delete-account.ts';
import type { Archive, ExportService } from '../../services/accounts/export.ts';
import { actorOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';
import type { SessionCookie } from '../session-cookie.ts';
import { TeamParams } from './teams.ts';

const ARCHIVE = {
  description: 'A ZIP archive of JSON files',
  content: {
    'application/zip': { schema: { type: 'string', format: 'binary' } as const },
  },
};

function sendArchive(reply: FastifyReply, { fileName, stream }: Archive) {
  return reply
    .header('content-type', 'application/zip')
    .header('content-disposition', `attachment; filename="${fileName}"`)

    .send(stream);
}

export function ownDataRoutes(deps: {
  exports: ExportService;
  deleteAccount: DeleteAccount;
  sessionCookie: SessionCookie;
}): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/api/v1/auth/export',
      config: { waits: true },
      schema: {
        tags: ['Accounts'],
        operationId: 'exportAccount',
        summary: 'Export your data',
        description:
          'Your account, with everything in your personal team, as one archive. Secrets are not in it. Twice a minute at most.',
        response: { 200: ARCHIVE, ...errorResponses(...ACCESS_ERRORS) },
      },
      handler: async (request, reply) =>
        sendArchive(reply, await deps.exports.ofAccount(actorOf(request))),
    });

    app.route({
      method: 'GET',
      url: '/v1/teams/:id/export',
      config: { waits: true },
      schema: {
        tags: ['Teams'],
        operationId: 'exportTeam',
        summary: 'Export the data of a team',
        description:
          'For its admins and owners: everything in the team, as one archive. Twice a minute at most.',
        params: TeamParams,
        response: { 200: ARCHIVE, ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND') },
      },
      handler: async (request, reply) =>
        sendArchive(reply, await deps.exports.ofTeam(actorOf(request), request.params.id)),
    });

    app.route({
      method: 'POST',
      url: '/api/v1/auth/delete-account',
      schema: {
        tags: ['Accounts'],
        operationId: 'deleteAccount',
        summary: 'Delete your account',
        description:
          'Cannot be undone. Ends your sessions and keys, deletes your personal team and the teams that only you are in, and erases your name and email address. What you did in other teams stays there.',
        body: DeleteAccountRequest,
        response: {
          200: json('The account was deleted', DeletedAccount),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT'),
        },
      },
      handler: async (request, reply) => {
        const actor = actorOf(request);
        await deps.deleteAccount(actor, request.body);
        deps.sessionCookie.clear(reply);
        return { deleted: true as const, userId: actor.userId };
      },
    });
  };
}
