// Who may pass: identity, scope and rate of every request to a route that asks for them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../contract/errors.ts';
import { PAGE_READS } from '../contract/page-reads.ts';
import type { Actor } from '../domain/access/actor.ts';
import type { Identity } from '../domain/access/identity.ts';
import type { Tiers } from '../domain/job/tiers.ts';
import { checkRole, checkScope } from '../services/access.ts';
import type { AccessWatch } from '../services/access-watch.ts';
import type { Caller, IdentityService } from '../services/identity.ts';
import { RateLimitError } from '../services/limits.ts';
import type { LimitService, RateState } from '../services/limits.ts';
import { isInside } from './mcp/inside-fetch.ts';
import { accessOf } from './route-access.ts';
import { isPageRead } from './page-reads.ts';
import { rateHeaders } from './rate-headers.ts';
import type { RouteAccess, Surface } from './route-access.ts';
import { originOf } from './same-origin.ts';
import type { SessionCookie } from './session-cookie.ts';

/** A minute: for a person with several tabs, or a run that reports its events. */
const OTHER_REQUESTS = 600;

/** Everything else changes something. */
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** Repeated headers are joined by Node, so a doubled key is malformed and refused. */
export function apiKeyOf(request: FastifyRequest): string | undefined {
  const direct = request.headers['x-api-key'];
  if (direct !== undefined) return (Array.isArray(direct) ? direct.join(',') : direct) || undefined;
  const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}

/** The team that the request names. */
export function teamIdOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['x-team-id'];
  return Array.isArray(header) ? header.join(',') : header || undefined;
}

export function identityOf(request: FastifyRequest): Identity {
  if (request.identity === undefined) throw new Error('this route does not ask for an identity');
  return request.identity;
}

/** For what is written to the audit log. */
export function actorOf(request: FastifyRequest): Actor {
  return { ...identityOf(request), address: request.ip };
}

const NOT_FOR_RUNS = 'The token of a run request is for what a run needs, not for this.';
const ONLY_FOR_RUNS = 'Only the run that is made for a request may do this.';

/** A token that acts as a person on another person's machine: without their settings, and without their answers. */
const isForRuns = ({ scope, credential, byPerson, forRuns }: RouteAccess): boolean =>
  byPerson !== true && (scope !== null || credential === 'request' || forRuns === true);

function checkAccess(identity: Identity, access: RouteAccess): void {
  const { scope, action, credential } = access;
  const { kind } = identity.credential;
  if (kind === 'request' ? !isForRuns(access) : credential === 'request') {
    throw new ServiceError('FORBIDDEN', kind === 'request' ? NOT_FOR_RUNS : ONLY_FOR_RUNS);
  }
  const isForPeople = credential === 'session' || credential === 'person';
  if (isForPeople && kind === 'key') {
    throw new ServiceError('FORBIDDEN', 'This requires a signed-in user, not an API key.');
  }
  if (credential === 'session' && kind === 'device') {
    const message = 'A command line cannot do this. Sign in with a browser.';
    throw new ServiceError('FORBIDDEN', message);
  }
  if (scope !== null) checkScope(identity, scope);
  if (action !== 'own') checkRole(identity.role, action);
}

function checkPageReader({ credential }: Identity): void {
  if (credential.kind === 'session') return;
  const message = `Addresses below ${PAGE_READS} are for the dashboard. Leave out ${PAGE_READS}.`;
  throw new ServiceError('FORBIDDEN', message);
}

export function installAccess(
  app: FastifyInstance,
  deps: {
    identities: IdentityService;
    accessWatch: AccessWatch;
    limits: LimitService;
    tiers: Tiers;
    sessionCookie: SessionCookie;
    /** Where people reach this server, when the operator has said so. */
    publicOrigin: string | undefined;
  },
): void {
  /** A key that is sent along counts, whatever the cookie says. */
  function callerOf(request: FastifyRequest, access: RouteAccess): Caller {
    const apiKey = apiKeyOf(request);
    const teamId = teamIdOf(request);
    if (apiKey !== undefined || access.credential === 'header') {
      return { apiKey, sessionToken: undefined, teamId };
    }
    const sessionToken = deps.sessionCookie.read(request);
    if (sessionToken !== undefined && !SAFE_METHODS.has(request.method)) checkOrigin(request);
    return { apiKey, sessionToken, teamId };
  }

  function checkOrigin({ headers }: FastifyRequest): void {
    if (originOf(headers, deps.publicOrigin) === 'same') return;
    const message =
      "Requests with a session cookie must come from this server's own pages. Use an API key instead.";
    throw new ServiceError('FORBIDDEN', message);
  }

  function rateOf(identity: Identity): number {
    return identity.requestsPerMinute ?? deps.tiers[identity.tier].requestsPerMinute;
  }

  /** Only jobs and executions are held to the limit of the tier; the rest must not use it up. */
  function takeRate(identity: Identity, surface: Surface | 'pages'): Promise<RateState> {
    const limit = rateOf(identity);
    const isOfTier = surface === 'jobs' || surface === 'executions';
    const most = isOfTier ? limit : Math.max(limit, OTHER_REQUESTS);
    return deps.limits.take(`${surface} ${identity.userId}`, most);
  }

  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    for (const method of methods) {
      const access = accessOf(method, route.url);
      if (access !== undefined) route.config = { ...route.config, access };
    }
  });
  app.decorate('recheckAccess', async (request: FastifyRequest) => {
    const access = request.routeOptions.config.access!;
    const identity = await deps.identities.authenticate(callerOf(request, access));
    checkAccess(identity, access);
    return identity;
  });
  app.decorateRequest('identity', undefined);
  app.decorateRequest('accessMoment', 0);
  app.decorateRequest('rate', undefined);
  app.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config;
    if (access === undefined) return;
    request.accessMoment = deps.accessWatch.moment();
    const identity = await deps.identities.authenticate(callerOf(request, access));
    request.identity = identity;
    const isPage = isPageRead(request.raw);
    if (isPage) checkPageReader(identity);
    if (isInside()) return checkAccess(identity, access);
    try {
      request.rate = await takeRate(identity, isPage ? 'pages' : access.surface);
    } catch (error) {
      if (error instanceof RateLimitError) request.rate = error.state;
      throw error;
    } finally {
      if (request.rate) reply.headers(rateHeaders(request.rate));
    }
    checkAccess(identity, access);
  });
}
