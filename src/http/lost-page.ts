// Where an address leads that nothing is at. The web build makes the page; without a build there is a plain one.
import type { FastifyReply } from 'fastify';
import { DOCS_CONTENT_SECURITY_POLICY } from './web/docs-policy.ts';
import { SAFETY } from './web/send-file.ts';
import type { WebFiles } from './web/web-files.ts';

const PLAIN = `<!doctype html><html lang="en"><meta charset="utf-8"><title>There is no such page · Millrace</title>
<h1>There is no such page</h1>
<p>Check the address, or continue from here: <a href="/">dashboard</a>, <a href="/docs">documentation</a>.</p></html>`;

export function createLostPage(files: () => WebFiles): (reply: FastifyReply) => FastifyReply {
  return (reply) =>
    reply
      .code(404)
      .type('text/html; charset=utf-8')
      .headers({
        ...SAFETY,
        'content-security-policy': DOCS_CONTENT_SECURITY_POLICY,
        'cache-control': 'no-store',
      })
      .send(files().get('lost.html')?.text() ?? PLAIN);
}
