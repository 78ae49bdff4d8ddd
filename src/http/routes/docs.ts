// The documentation, and the same for language models.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { ServiceError } from '../../contract/errors.ts';
import { DOCS_CONTENT_SECURITY_POLICY } from '../docs/frame.ts';
import type { Library } from '../docs/library.ts';
import { takesHtml } from '../takes-html.ts';
import { sendFile } from '../web/send-file.ts';
import type { WebFile } from '../web/web-files.ts';

/** A client that asks for Markdown, or names it before HTML. */
function wantsMarkdown({ headers }: FastifyRequest): boolean {
  const accepted = headers.accept ?? '';
  const at = accepted.indexOf('text/markdown');
  const page = accepted.indexOf('text/html');
  return at >= 0 && (page < 0 || at < page);
}

export interface DocsDeps {
  docsFolder: string;
  webFolder: string;
}

export function docsRoutes(deps: DocsDeps): FastifyPluginAsyncZodOpenApi {
  const hidden = { schema: { hide: true } };
  return async (app) => {
    // Made when it is first asked for: most starts of a server are not for its documentation.
    let made: Promise<Library> | undefined;
    const make = async () => {
      const { createLibrary } = await import('../docs/library.ts');
      return createLibrary({ ...deps, openapi: app.swagger() });
    };
    const library = () => (made ??= make());

    function send(file: WebFile, request: FastifyRequest, reply: FastifyReply) {
      reply.headers({
        'content-security-policy': DOCS_CONTENT_SECURITY_POLICY,
        vary: 'accept, accept-encoding',
      });
      return sendFile(file, request, reply, {
        isNamedByHash: request.url.startsWith('/docs/assets/'),
      });
    }

    app.get('/docs', hidden, async (request, reply) => {
      const { start, list } = await library();
      return send(wantsMarkdown(request) ? list : start, request, reply);
    });
    app.get('/docs/*', hidden, async (request, reply) => {
      const { files, notFound } = await library();
      const name = (request.params as { '*': string })['*'].replace(/\/$/, '');
      if (name === '') return reply.redirect('/docs', 308);
      const markdown = wantsMarkdown(request) ? files.get(`${name}.md`) : undefined;
      const file = markdown ?? files.get(name);
      if (file !== undefined) return send(file, request, reply);
      if (!takesHtml(request)) {
        throw new ServiceError('NOT_FOUND', 'There is no such page. /llms.txt lists all pages.');
      }
      return send(notFound, request, reply.code(404));
    });
    app.get('/llms.txt', hidden, async (request, reply) =>
      send((await library()).list, request, reply),
    );
    app.get('/llms-full.txt', hidden, async (request, reply) =>
      send((await library()).full, request, reply),
    );
  };
}
