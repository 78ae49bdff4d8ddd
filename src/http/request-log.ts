// Request ids, request metrics and the log line of a request. Successful reads are logged at debug
// only: they are most of the traffic, and a line for each would cost as much as answering them.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';

/** No route has a path as long as this; what comes after it is of no use to a reader. */
const LONGEST_PATH = 500;

export interface RequestMetrics {
  requests: { inc(labels: { method: string; route: string; status: string }): void };
  requestSeconds: { observe(labels: { route: string }, seconds: number): void };
}

export function installRequestLog(
  app: FastifyInstance,
  deps: {
    log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'debug'>;
    metrics: RequestMetrics;
  },
): void {
  app.decorateRequest('startedAt', 0);
  // Hooks that wait for nothing are plain functions: every request goes through them.
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now();
    reply.header('x-request-id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const ms = performance.now() - request.startedAt;
    const { method } = request;
    const status = reply.statusCode;
    deps.metrics.requests.inc({ method, route, status: String(status) });
    if (!request.routeOptions.config.waits)
      deps.metrics.requestSeconds.observe({ route }, ms / 1000);
    const line = {
      requestId: request.id,
      method,
      // The path only: nothing secret belongs in a query, but a client may put it there.
      path: request.url.split('?', 1)[0]!.slice(0, LONGEST_PATH),
      status,
      ms: Math.round(ms * 10) / 10,
      userId: request.identity?.userId,
    };
    if (status >= 500) deps.log.warn(line, 'request');
    else if (status >= 400 || method !== 'GET') deps.log.info(line, 'request');
    else deps.log.debug(line, 'request');
    done();
  });
}
