// /v1/audit
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { AuditPage, AuditQuery } from '../../contract/audit-api.ts';
import type { AuditService } from '../../services/audit.ts';
import { identityOf } from '../access.ts';
import { ACCESS_ERRORS, errorResponses, json } from '../documented.ts';

const tags = ['Audit'];
const response = {
  200: json('One page of the log', AuditPage),
  ...errorResponses('VALIDATION_ERROR', ...ACCESS_ERRORS),
};

export function auditRoutes(deps: { audit: AuditService }): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.route({
      method: 'GET',
      url: '/v1/audit',
      schema: {
        tags,
        operationId: 'listAuditEvents',
        summary: 'List the audit log of a team',
        description:
          'Who changed access, money or settings of the team that the request acts in, newest first. For its admins and owners. The log of your personal team also has what concerns your account.',
        querystring: AuditQuery,
        response,
      },
      handler: (request) => deps.audit.list(identityOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/api/v1/admin/audit',
      schema: {
        tags,
        operationId: 'listServerAuditEvents',
        summary: 'List the audit log of the server',
        description: 'Of all teams and accounts, newest first. For server administrators.',
        querystring: AuditQuery,
        response,
      },
      handler: (request) => deps.audit.listAll(identityOf(request), request.query),
    });
  };
}
