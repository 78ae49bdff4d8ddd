// Distinguishes an unknown path from a known path with the wrong method, and a browser from a program.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../contract/errors.ts';
import { sendError } from './errors.ts';
import { NO_OAUTH, isOAuthProbe } from './mcp/oauth-probe.ts';
import { takesHtml } from './takes-html.ts';

/** Below these is only the API: its answers are JSON, in a browser, too. */
const API = /^\/(?:api|mcp|model|v1)(?:\/|$)/;

function isPersonAt(path: string, request: FastifyRequest): boolean {
  const isLooking = request.method === 'GET' || request.method === 'HEAD';
  return isLooking && !API.test(path) && takesHtml(request);
}

/** `sendLostPage`: what a person sees; without one, programs and people get the same. */
export function installNotFound(
  app: FastifyInstance,
  sendLostPage?: (reply: FastifyReply) => FastifyReply,
): void {
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
    if (methods.length === 0 && isOAuthProbe(path)) {
      return sendError(reply, new ServiceError('NOT_FOUND', NO_OAUTH));
    }
    if (methods.length === 0) {
      if (sendLostPage && isPersonAt(path, request)) return sendLostPage(reply);
      return sendError(reply, new ServiceError('NOT_FOUND', 'There is no such route.'));
    }
    const allowed = [...new Set(methods)].sort().join(', ');
    reply.header('allow', allowed);
    const message = `This route supports ${allowed}, not ${request.method}.`;
    return sendError(reply, new ServiceError('METHOD_NOT_ALLOWED', message));
  });
}
