// POST /v1/hooks/:triggerId: calls from elsewhere
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { z } from 'zod';
import { HookAnswer, MAX_HOOK_BYTES } from '../../contract/trigger-api.ts';
import type { HookService } from '../../services/triggers/hooks.ts';
import { BODY_ERRORS, errorResponses, json } from '../documented.ts';

const HookParams = z.object({ triggerId: z.string().meta({ description: 'The trigger id' }) });
const TokenParams = HookParams.extend({
  token: z.string().meta({ description: 'The token of a URL' }),
});
const tags = ['Triggers'];

const response = {
  200: json('Nothing was started, or the same body came before', HookAnswer),
  202: json('A run was asked for', HookAnswer),
  ...errorResponses(...BODY_ERRORS, 'UNAUTHORIZED', 'NOT_FOUND', 'RATE_LIMITED'),
};

export function hookRoutes(deps: { hooks: HookService }): FastifyPluginAsyncZodOpenApi {
  async function receive(
    request: FastifyRequest,
    reply: FastifyReply,
    triggerId: string,
    token: string | undefined,
  ) {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const { headers } = request;
    const answer = await deps.hooks.receive({ triggerId, headers, body, token });
    const isNew = answer.result === 'started' && !answer.repeated;
    return reply.code(isNew ? 202 : 200).send(answer);
  }

  return async (app) => {
    // Signatures are over the bytes as they came.
    app.removeAllContentTypeParsers();
    const limits = { parseAs: 'buffer', bodyLimit: MAX_HOOK_BYTES } as const;
    app.addContentTypeParser('application/json', limits, (_request, body, done) => {
      done(null, body);
    });

    app.route({
      method: 'POST',
      url: '/v1/hooks/:triggerId',
      schema: {
        tags,
        operationId: 'callTrigger',
        summary: 'Call a trigger',
        description:
          'For GitHub (`X-Hub-Signature-256`), GitLab (`webhook-signature` or `X-Gitlab-Token`), and callers with the token of a URL (`Authorization: Bearer`). At most 1 MB of JSON. The same body again gets the first result.',
        params: HookParams,
        response,
      },
      handler: (request, reply) => {
        const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
        return receive(request, reply, request.params.triggerId, bearer?.[1]);
      },
    });

    app.route({
      method: 'POST',
      url: '/v1/hooks/:triggerId/:token',
      schema: {
        tags,
        operationId: 'callTriggerByUrl',
        summary: 'Call a trigger with its token in the path',
        description: 'For callers that can send no header.',
        params: TokenParams,
        response,
      },
      handler: (request, reply) => {
        const { triggerId, token } = request.params;
        return receive(request, reply, triggerId, token);
      },
    });
  };
}
