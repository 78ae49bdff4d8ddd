// Browsers of other origins: only those that the operator names. No cookie is ever let through this way;
// a page sends its key in a header, as every other client does.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, X-API-Key, X-Provider-Key, X-Team-Id';
/** What a page may read besides the few headers that are open to all. */
const EXPOSED_HEADERS =
  'Allow, ETag, Idempotency-Replayed, Location, Millrace-Long-Poll, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id';
/** Seconds for which a browser need not ask again; some keep to two hours whatever is said. */
const MAX_AGE = '7200';

function answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A page of the network that calls a server on the user's own machine asks for this, too.
  if (request.headers['access-control-request-private-network'] === 'true') {
    reply.header('access-control-allow-private-network', 'true');
  }
  return reply
    .headers({
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': MAX_AGE,
    })
    .code(204)
    .send();
}

/** Comes before everything that may refuse a request: a page should be able to read why. */
export function installCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const any = origins.includes('*');
  const allowed = new Set(origins);
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (!any) reply.header('vary', 'Origin');
    if (origin === undefined || (!any && !allowed.has(origin))) return;
    reply.headers({
      'access-control-allow-origin': any ? '*' : origin,
      'access-control-expose-headers': EXPOSED_HEADERS,
    });
    const isPreflight =
      request.method === 'OPTIONS' &&
      request.headers['access-control-request-method'] !== undefined;
    if (isPreflight) return answerPreflight(request, reply);
  });
}
