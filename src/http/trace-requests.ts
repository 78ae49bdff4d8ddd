// A span for each request, in the caller's trace where it names one. Probes and files are nobody's question.
import type { FastifyInstance } from 'fastify';

type Attributes = Record<string, string | number | undefined>;

export interface RequestSpan {
  /** What comes of the request names it as its parent. */
  readonly context: string | undefined;
  set(attributes: Attributes): void;
  end(errorType?: string): void;
}

export interface RequestTelemetry {
  readonly collects: boolean;
  start(
    name: string,
    start: { kind: 'server'; parent: string | undefined; attributes: Attributes },
  ): RequestSpan;
}

const isWorthIt = (route: string | undefined): boolean =>
  route !== undefined && /^\/(api\/)?v1\/|^\/mcp/.test(route);

export function installTracing(
  app: FastifyInstance,
  { telemetry }: { telemetry: RequestTelemetry },
): void {
  app.decorateRequest('span', undefined);
  if (!telemetry.collects) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const { url: route } = request.routeOptions;
    if (isWorthIt(route)) {
      const { traceparent } = request.headers;
      request.span = telemetry.start(`${request.method} ${route}`, {
        kind: 'server',
        parent: typeof traceparent === 'string' ? traceparent : undefined,
        attributes: {
          'http.request.method': request.method,
          'http.route': route,
          'url.path': request.url.split('?', 1)[0],
          'url.scheme': request.protocol,
          'millrace.request.id': request.id,
        },
      });
    }
    done();
  });
  const end = (span: RequestSpan | undefined, status: number): void => {
    span?.set({ 'http.response.status_code': status });
    span?.end(status >= 500 ? String(status) : undefined);
  };
  app.addHook('onResponse', (request, reply, done) => {
    request.span?.set({ 'millrace.user.id': request.identity?.userId });
    end(request.span, reply.statusCode);
    request.span = undefined;
    done();
  });
  // A client that went away: there is no response.
  app.addHook('onRequestAbort', (request, done) => {
    request.span?.end('client_closed');
    request.span = undefined;
    done();
  });
}
