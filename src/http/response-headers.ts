// What every answer says about itself. Nothing is kept by a cache or a browser unless its route says so: answers are
// private by default.
import type { FastifyInstance } from 'fastify';

/** Also for answers that are written without the framework. */
export const PRIVATE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const;

/** A year; of this host alone, because others of its domain are not ours. */
const HTTPS_ONLY = 'max-age=31536000';

export function installResponseHeaders(
  app: FastifyInstance,
  { publicOrigin }: { publicOrigin: string | undefined },
): void {
  const isHttps = publicOrigin?.startsWith('https:') === true;
  const headers = {
    ...PRIVATE_HEADERS,
    ...(isHttps ? { 'strict-transport-security': HTTPS_ONLY } : {}),
  };
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}
