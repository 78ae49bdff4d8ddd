// The documentation, as the web build made it, and the same for language models.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { ServiceError } from '../../contract/errors.ts';
import { takesHtml } from '../takes-html.ts';
import { DOCS_CONTENT_SECURITY_POLICY } from '../web/docs-policy.ts';
import { HOW_TO_BUILD, sendNotBuilt } from '../web/not-built.ts';
import { sendFile } from '../web/send-file.ts';
import type { WebFiles } from '../web/web-files.ts';

/** A client that asks for Markdown, or names it before HTML. */
function wantsMarkdown({ headers }: FastifyRequest): boolean {
  const accepted = headers.accept ?? '';
  const at = accepted.indexOf('text/markdown');
  const page = accepted.indexOf('text/html');
  return at >= 0 && (page < 0 || at < page);
}

/** Where the build put what is asked for at /docs/<name>. */
function fileOf(name: string, request: FastifyRequest): string {
  if (/^(?:assets|images)\//.test(name)) return name;
  if (name.endsWith('.md')) return `pages/${name}`;
  return `pages/${name}.${wantsMarkdown(request) ? 'md' : 'html'}`;
}

export function docsRoutes(files: () => WebFiles): FastifyPluginAsyncZodOpenApi {
  const hidden = { schema: { hide: true } };

  async function send(path: string, request: FastifyRequest, reply: FastifyReply) {
    const file = files().get(path);
    if (file !== undefined) {
      reply.headers({
        'content-security-policy': DOCS_CONTENT_SECURITY_POLICY,
        vary: 'accept, accept-encoding',
      });
      return sendFile(file, request, reply, { isNamedByHash: path.startsWith('assets/') });
    }
    if (files().size === 0) {
      if (takesHtml(request)) return sendNotBuilt(reply);
      throw new ServiceError('SERVICE_UNAVAILABLE', `The pages are not built. ${HOW_TO_BUILD}`);
    }
    if (takesHtml(request)) return send('not-found.html', request, reply.code(404));
    throw new ServiceError('NOT_FOUND', 'There is no such page. /llms.txt lists all pages.');
  }

  return async (app) => {
    app.get('/docs', hidden, (request, reply) =>
      send(wantsMarkdown(request) ? 'llms.txt' : 'index.html', request, reply),
    );
    app.get('/docs/*', hidden, async (request, reply) => {
      const name = (request.params as { '*': string })['*'].replace(/\/$/, '');
      if (name === '') return reply.redirect('/docs', 308);
      return send(fileOf(name, request), request, reply);
    });
    app.get('/llms.txt', hidden, (request, reply) => send('llms.txt', request, reply));
    app.get('/llms-full.txt', hidden, (request, reply) => send('llms-full.txt', request, reply));
  };
}
