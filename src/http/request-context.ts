// What routes declare about themselves, and what the hooks leave on a request.
import type { Scope } from '../domain/access/scopes.ts';
import type { Identity } from '../domain/access/identity.ts';
import type { RateState } from '../services/limits.ts';

export interface RouteAccess {
  /** The scope a caller's key needs. */
  scope: Scope;
  /** Each surface has a rate limit of its own. */
  surface: 'jobs' | 'executions';
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent on routes that anybody may call. */
    access?: RouteAccess;
    /** Answers may take long on purpose: kept out of the response times. */
    waits?: boolean;
  }
  interface FastifyRequest {
    identity: Identity | undefined;
    rate: RateState | undefined;
    startedAt: number;
  }
}
