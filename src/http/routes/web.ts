// The dashboard.
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { ServiceError } from '../../contract/errors.ts';
import type { Launch } from '../../domain/command/suggested-command.ts';
import type { SignInOptions } from '../../domain/accounts/sign-in-options.ts';
import { launchMeta, signInMeta } from '../web/page-meta.ts';
import { sendNotBuilt } from '../web/not-built.ts';
import { SAFETY, sendFile } from '../web/send-file.ts';
import { createWebFiles, type WebFile } from '../web/web-files.ts';
import { SIGN_IN_PAGES, WEB_ASSETS, WEB_PAGES } from '../web/web-pages.ts';

function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    // Some parts add style elements while they are open; the nonce lets in just those.
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sendPage(page: WebFile | undefined, reply: FastifyReply, metas: string): FastifyReply {
  if (page === undefined) return sendNotBuilt(reply);
  const nonce = randomBytes(16).toString('base64url');
  const meta = `${metas}<meta property="csp-nonce" nonce="${nonce}">`;
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      ...SAFETY,
      'cache-control': 'no-store',
      'content-security-policy': policyOf(nonce),
    })
    .send(page.text().replace('</head>', () => `${meta}</head>`));
}

export function webRoutes(deps: {
  webFolder: string;
  localLaunch: Launch | undefined;
  signInOptions: SignInOptions;
}): FastifyPluginAsyncZodOpenApi {
  const launch = launchMeta(deps.localLaunch);
  const signIn = signInMeta(deps.signInOptions);
  const files = createWebFiles(deps.webFolder);
  const hidden = { schema: { hide: true } };
  return async (app) => {
    for (const url of WEB_PAGES) {
      app.get(url, hidden, async (_request, reply) => {
        // Links to runs are for those who got them, not for search engines.
        if (url.startsWith('/s/')) reply.header('x-robots-tag', 'noindex');
        const metas = SIGN_IN_PAGES.includes(url) ? launch + signIn : launch;
        return sendPage(files().get('index.html'), reply, metas);
      });
    }
    for (const url of WEB_ASSETS) {
      app.get(url, hidden, async (request, reply) => {
        const file = files().get(request.url.slice(1).split('?')[0]!);
        if (file === undefined) throw new ServiceError('NOT_FOUND', 'There is no such file.');
        return sendFile(file, request, reply, { isNamedByHash: url.startsWith('/assets/') });
      });
    }
  };
}
