// The pages for people: where links lead, signing in, and letting a command line in
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { fontFaces } from '../look/fonts.ts';
import { createPages } from '../welcome/page.ts';
import type { Pages, SignInOptions } from '../welcome/page.ts';
import { sendPage } from '../welcome/shell.ts';

export interface WelcomeDeps {
  signInOptions: SignInOptions;
  webFolder: string;
}

/** Made when the first is asked for, and kept. */
export function pagesOf(deps: WelcomeDeps): () => Pages {
  let made: Pages | undefined;
  return () => (made ??= createPages(deps.signInOptions, fontFaces(deps.webFolder)));
}

export function welcomeRoute(pages: () => Pages): FastifyPluginAsyncZodOpenApi {
  const hidden = { schema: { hide: true } };
  return async (app) => {
    app.get('/welcome', hidden, async (_request, reply) => sendPage(reply, pages().welcome));
    app.get('/login', hidden, async (_request, reply) => sendPage(reply, pages().login));
    app.get('/device', hidden, async (_request, reply) => sendPage(reply, pages().device));
  };
}
