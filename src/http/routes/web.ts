// The dashboard.
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { ServiceError } from '../../contract/errors.ts';
import type { Launch } from '../../domain/command/suggested-command.ts';
import type { SignInOptions } from '../../domain/accounts/sign-in-options.ts';
import { launchMeta, signInMeta } from '../web/page-meta.ts';
import { SAFETY, sendFile } from '../web/send-file.ts';
import { readWebFiles } from '../web/web-files.ts';
import type { WebFile } from '../web/web-files.ts';
import { SIGN_IN_PAGES, WEB_ASSETS, WEB_PAGES } from '../web/web-pages.ts';

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Millrace</title>
<p>The dashboard is not built. Run <code>npm run build:web</code> and start the server again.
The API is up; its documentation is at <a href="/docs">/docs</a>.</p></html>`;

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
  reply.type('text/html; charset=utf-8').headers({ ...SAFETY, 'cache-control': 'no-store' });
  if (page === undefined) {
    return reply.code(503).header('content-security-policy', "default-src 'none'").send(NOT_BUILT);
  }
  const nonce = randomBytes(16).toString('base64url');
  const meta = `${metas}<meta property="csp-nonce" nonce="${nonce}">`;
  return reply
    .header('content-security-policy', policyOf(nonce))
    .send(page.text().replace('</head>', () => `${meta}</head>`));
}

export function webRoutes(deps: {
  webFolder: string;
  localLaunch: Launch | undefined;
  signInOptions: SignInOptions;
}): FastifyPluginAsyncZodOpenApi {
  const launch = launchMeta(deps.localLaunch);
  const signIn = signInMeta(deps.signInOptions);
  // Read when it is first asked for: most starts of a server are not for the dashboard.
  let files: ReadonlyMap<string, WebFile> | undefined;
  const all = () => (files ??= readWebFiles(deps.webFolder));
  const hidden = { schema: { hide: true } };
  return async (app) => {
    for (const url of WEB_PAGES) {
      app.get(url, hidden, async (_request, reply) => {
        // Links to runs are for those who got them, not for search engines.
        if (url.startsWith('/s/')) reply.header('x-robots-tag', 'noindex');
        const metas = SIGN_IN_PAGES.includes(url) ? launch + signIn : launch;
        return sendPage(all().get('index.html'), reply, metas);
      });
    }
    for (const url of WEB_ASSETS) {
      app.get(url, hidden, async (request, reply) => {
        const file = all().get(request.url.slice(1).split('?')[0]!);
        if (file === undefined) throw new ServiceError('NOT_FOUND', 'There is no such file.');
        return sendFile(file, request, reply, { isNamedByHash: url.startsWith('/assets/') });
      });
    }
  };
}
