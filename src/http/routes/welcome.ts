// The pages for people: where links lead, signing in, and letting a command line in
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { createPages } from '../welcome/page.ts';
import type { SignInOptions } from '../welcome/page.ts';
import { sendPage } from '../welcome/shell.ts';

export function welcomeRoute(deps: { signInOptions: SignInOptions }): FastifyPluginAsyncZodOpenApi {
  const pages = createPages(deps.signInOptions);
  const hidden = { schema: { hide: true } };
  return async (app) => {
    app.get('/welcome', hidden, async (_request, reply) => sendPage(reply, pages.welcome));
    app.get('/login', hidden, async (_request, reply) => sendPage(reply, pages.login));
    app.get('/device', hidden, async (_request, reply) => sendPage(reply, pages.device));
  };
}
