// /v1/approvals: what runs ask a person before they act.
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import {
  Approval,
  ApprovalListQuery,
  ApprovalPage,
  ApprovalQuery,
  CreateApprovalRequest,
  ResolveApprovalRequest,
} from '../../contract/approval-api.ts';
import type { AccessWatch } from '../../services/access-watch.ts';
import type { ApprovalService } from '../../services/approvals/approvals.ts';
import { actorOf, identityOf } from '../access.ts';
import { ACCESS_ERRORS, BODY_ERRORS, errorResponses, json } from '../documented.ts';
import { goneSignal } from '../sse.ts';

const tags = ['Approvals'];
const ApprovalParams = z.object({ id: z.string().meta({ description: 'The approval id' }) });

export function approvalRoutes(deps: {
  approvals: ApprovalService;
  accessWatch: AccessWatch;
  /** Aborts when the server stops: nobody is kept waiting then. */
  stopping: AbortSignal;
}): FastifyPluginAsyncZodOpenApi {
  const { approvals } = deps;
  return async (app) => {
    app.route({
      method: 'POST',
      url: '/v1/approvals',
      schema: {
        tags,
        operationId: 'createApproval',
        summary: 'Ask for approval',
        description:
          'For the command that makes a run. What the run has asked before, with the same `hash`, and what is open or approved, is returned again. If nobody answers in time, it is denied.',
        body: CreateApprovalRequest,
        response: {
          201: json('The approval', Approval),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'CONFLICT'),
        },
      },
      handler: async (request, reply) =>
        reply.code(201).send(await approvals.create(identityOf(request), request.body)),
    });

    app.route({
      method: 'GET',
      url: '/v1/approvals',
      schema: {
        tags,
        operationId: 'listApprovals',
        summary: 'List approvals',
        description: 'Of the team, newest first, without what is shown with each.',
        querystring: ApprovalListQuery,
        response: {
          200: json('One page of approvals', ApprovalPage),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
        },
      },
      handler: (request) => approvals.list(identityOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/v1/approvals/:id',
      config: { waits: true },
      schema: {
        tags,
        operationId: 'getApproval',
        summary: 'Get an approval',
        description: 'With what is asked about. With `wait`, responds when it is answered.',
        params: ApprovalParams,
        querystring: ApprovalQuery,
        response: {
          200: json('The approval', Approval),
          ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS, 'NOT_FOUND'),
        },
      },
      handler: async (request, reply) => {
        const { wait = 0 } = request.query;
        const { id } = request.params;
        const identity = identityOf(request);
        if (wait === 0) return approvals.find(identity, id);
        const gone = goneSignal(reply, deps.stopping);
        const signal = deps.accessWatch.until(identity, request.accessMoment, gone);
        const found = await approvals.find(identity, id, { ms: wait * 1000, signal });
        // What was waited for is for those who may still see it.
        if (!signal.aborted || gone.aborted) return found;
        return approvals.find(await app.recheckAccess(request), id);
      },
    });

    app.route({
      method: 'POST',
      url: '/v1/approvals/:id/resolve',
      schema: {
        tags,
        operationId: 'resolveApproval',
        summary: 'Approve or deny',
        description:
          'Counts once: a second answer is refused with the name of who answered first. `hash` says what you have seen.',
        params: ApprovalParams,
        body: ResolveApprovalRequest,
        response: {
          200: json('The approval', Approval),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: (request) => approvals.resolve(actorOf(request), request.params.id, request.body),
    });

    app.route({
      method: 'POST',
      url: '/v1/approvals/:id/withdraw',
      schema: {
        tags,
        operationId: 'withdrawApproval',
        summary: 'Withdraw an approval',
        description: 'For the command that asked: nobody waits for the answer any more.',
        params: ApprovalParams,
        response: {
          200: json('The approval', Approval),
          ...errorResponses(...BODY_ERRORS, ...ACCESS_ERRORS, 'NOT_FOUND', 'CONFLICT'),
        },
      },
      handler: (request) => approvals.withdraw(identityOf(request), request.params.id),
    });
  };
}
