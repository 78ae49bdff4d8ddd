// The JSON Schemas of manifests, for editors.
import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZodOpenApi } from 'fastify-zod-openapi';
import { MANIFEST_SCHEMAS } from '../../manifest/schema/files.ts';

const DAY_SECONDS = 86_400;

function send(reply: FastifyReply, name: string): FastifyReply {
  return reply
    .type('application/schema+json; charset=utf-8')
    .header('cache-control', `public, max-age=${DAY_SECONDS}`)
    .send(JSON.stringify(MANIFEST_SCHEMAS[name]?.()));
}

export function schemaRoutes(): FastifyPluginAsyncZodOpenApi {
  return async (app) => {
    const hidden = { hide: true };
    app.get('/schemas/manifest.json', { schema: hidden }, async (_request, reply) =>
      send(reply, 'manifest.json'),
    );
    app.get('/schemas/manifest-a.json', { schema: hidden }, async (_request, reply) =>
      send(reply, 'manifest-a.json'),
    );
    app.get('/schemas/manifest-b.json', { schema: hidden }, async (_request, reply) =>
      send(reply, 'manifest-b.json'),
    );
  };
}
