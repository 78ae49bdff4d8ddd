// GET /welcome: where set-up, invitation and password links lead
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { WELCOME_CONTENT_SECURITY_POLICY, WELCOME_PAGE } from '../welcome/page.ts';

export function welcomeRoute(): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    app.get('/welcome', { schema: { hide: true } }, async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .headers({
          'content-security-policy': WELCOME_CONTENT_SECURITY_POLICY,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
        })
        .send(WELCOME_PAGE),
    );
  };
}
