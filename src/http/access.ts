// Who may pass: identity, scope and rate of every request to a route that asks for them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../contract/errors.ts';
import { isWithinScope } from '../domain/access/identity.ts';
import type { Identity } from '../domain/access/identity.ts';
import { TIERS } from '../domain/job/tiers.ts';
import { checkRole } from '../services/access.ts';
import type { IdentityService } from '../services/identity.ts';
import { RateLimitError } from '../services/limits.ts';
import type { LimitService, RateState } from '../services/limits.ts';
import { accessOf } from './route-access.ts';

/** Repeated headers are joined by Node, so a doubled key is malformed and refused. */
function credentialOf(request: FastifyRequest): string | undefined {
  const direct = request.headers['x-api-key'];
  if (direct !== undefined) return Array.isArray(direct) ? direct.join(',') : direct;
  const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}

export function rateHeaders(rate: RateState): Record<string, string> {
  return {
    'ratelimit-limit': String(rate.limit),
    'ratelimit-remaining': String(rate.remaining),
    'ratelimit-reset': String(rate.resetSeconds),
  };
}

export function identityOf(request: FastifyRequest): Identity {
  if (request.identity === undefined) throw new Error('this route does not ask for an identity');
  return request.identity;
}

export function installAccess(
  app: FastifyInstance,
  deps: {
    identities: IdentityService;
    limits: LimitService;
    enterpriseRequestsPerMinute: number;
  },
): void {
  function rateOf(identity: Identity): number {
    return (
      identity.requestsPerMinute ??
      TIERS[identity.tier].requestsPerMinute ??
      deps.enterpriseRequestsPerMinute
    );
  }

  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    for (const method of methods) {
      const access = accessOf(method, route.url);
      if (access !== undefined) route.config = { ...route.config, access };
    }
  });
  app.decorateRequest('identity', undefined);
  app.decorateRequest('rate', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (access === undefined) return;
    const identity = await deps.identities.authenticate(credentialOf(request));
    request.identity = identity;
    try {
      request.rate = await deps.limits.take(
        `${access.surface} ${identity.userId}`,
        rateOf(identity),
      );
    } catch (error) {
      if (error instanceof RateLimitError) request.rate = error.state;
      throw error;
    } finally {
      if (request.rate) reply.headers(rateHeaders(request.rate));
    }
    if (!isWithinScope(identity, access.scope)) {
      const message = `This API key lacks the scope "${access.scope}".`;
      throw new ServiceError('FORBIDDEN', message);
    }
    checkRole(identity.role, access.action);
  });
}
