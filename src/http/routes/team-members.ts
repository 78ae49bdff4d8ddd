// /v1/teams/:id/members, and the invitations to them
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  AcceptInvitationRequest,
  AddMemberRequest,
  AddedMember,
  ChangeMemberRequest,
  MemberList,
  RemovedMember,
  Team,
} from '../../contract/teams-api.ts';
import type { TeamMemberService } from '../../services/teams/team-members.ts';
import { actorOf, identityOf } from '../access.ts';
import {
  ACCESS_ERRORS,
  BODY_ERRORS,
  IdempotencyHeaders,
  errorResponses,
  json,
} from '../documented.ts';
import { TeamParams } from './teams.ts';

const tags = ['Teams'];
const MemberParams = TeamParams.extend({
  userId: z.string().meta({ description: 'The `userId` of the member, or of the invitation' }),
});

export function teamMemberRoutes(deps: {
  teamMembers: TeamMemberService;
}): FastifyPluginAsyncZodOpenApi {
  const { teamMembers } = deps;
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/v1/teams/:id/members',
      schema: {
        tags,
        operationId: 'listMembers',
        summary: 'List members',
        description: 'Members in the order in which they joined, then those who are invited.',
        params: TeamParams,
        response: {
          200: json('The members', MemberList),
          ...errorResponses(...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request) => {
        const items = await teamMembers.list(identityOf(request), request.params.id);
        return { items, total: items.length };
      },
    });

    app.route({
      method: 'POST',
      url: '/v1/teams/:id/members',
      schema: {
        tags,
        operationId: 'addMember',
        summary: 'Invite a member',
        description:
          'For admins and owners; only owners invite owners, or replace their invitations. The person joins by a link that works once, for 7 days. A server that sends mail sends it to the address, and to nobody else; otherwise it is in the response. Inviting again replaces the link.',
        params: TeamParams,
        headers: IdempotencyHeaders,
        body: AddMemberRequest,
        response: {
          201: json('The invitation', AddedMember),
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
        const { member, replayed } = await teamMembers.add(
          actorOf(request),
          request.params.id,
          request.body,
          request.headers['idempotency-key'],
        );
        if (replayed) reply.header('idempotency-replayed', 'true');
        return reply.code(201).send(member);
      },
    });

    app.route({
      method: 'PATCH',
      url: '/v1/teams/:id/members/:userId',
      schema: {
        tags,
        operationId: 'changeMember',
        summary: 'Change the role of a member',
        description:
          'For admins and owners; only owners make or change owners. An invitation gets a new link; the one before no longer works.',
        params: MemberParams,
        body: ChangeMemberRequest,
        response: {
          200: json('The member', AddedMember),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: (request) => {
        const { id, userId } = request.params;
        return teamMembers.changeRole(actorOf(request), id, userId, request.body.role);
      },
    });

    app.route({
      method: 'DELETE',
      url: '/v1/teams/:id/members/:userId',
      schema: {
        tags,
        operationId: 'removeMember',
        summary: 'Remove a member',
        description:
          'For admins and owners; everybody may leave. Also withdraws an invitation. The last owner cannot be removed.',
        params: MemberParams,
        response: {
          200: json('The member was removed', RemovedMember),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: async (request) => {
        const { id, userId } = request.params;
        await teamMembers.remove(actorOf(request), id, userId);
        return { removed: true as const, userId };
      },
    });

    app.route({
      method: 'POST',
      url: '/v1/invitations/accept',
      schema: {
        tags,
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        description: 'For users who already have an account with the invited email address.',
        body: AcceptInvitationRequest,
        response: {
          200: json('The team that you have joined', Team),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: (request) => teamMembers.accept(actorOf(request), request.body.token),
    });
  };
}
