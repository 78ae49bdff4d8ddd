// What a person sees at the address of a page that was not built.
import type { FastifyReply } from 'fastify';
import { SAFETY } from './send-file.ts';

export const HOW_TO_BUILD = 'Run `npm run build:web` and start the server again.';

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Millrace</title>
<p>The pages of this server are not built. Run <code>npm run build:web</code> and start the server again.
The API is up; its description is at <a href="/openapi.json">/openapi.json</a>.</p></html>`;

export function sendNotBuilt(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .type('text/html; charset=utf-8')
    .headers({
      ...SAFETY,
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'",
    })
    .send(NOT_BUILT);
}
