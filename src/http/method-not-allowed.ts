// Tells an unknown path from a known path with the wrong method.
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../contract/errors.ts';
import { sendError } from './errors.ts';

export function installNotFound(app: FastifyInstance): void {
  const known: { pattern: RegExp; method: string }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const source = url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('/');
    for (const one of [method].flat())
      known.push({ pattern: new RegExp(`^${source}$`), method: one });
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (methods.length === 0) {
      return sendError(reply, new ServiceError('NOT_FOUND', 'There is no such route.'));
    }
    const allowed = [...new Set(methods)].sort().join(', ');
    reply.header('allow', allowed);
    const message = `This route supports ${allowed}, not ${request.method}.`;
    return sendError(reply, new ServiceError('METHOD_NOT_ALLOWED', message));
  });
}
