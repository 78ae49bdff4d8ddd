// What routes declare about themselves, and what the hooks leave on a request.
import type { Identity } from '../domain/access/identity.ts';
import type { RateState } from '../services/limits.ts';
import type { RouteAccess } from './route-access.ts';
import type { RequestSpan } from './trace-requests.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** From the table of routes; absent where anybody may call. */
    access?: RouteAccess;
    /** Answers may take long on purpose: kept out of the response times. */
    waits?: boolean;
    /** Bodies are passed on as they are: compressed ones, too. */
    rawBody?: boolean;
  }
  interface FastifyInstance {
    /** Who the caller is now; throws as a new request would. For answers that took their time. */
    recheckAccess(request: FastifyRequest): Promise<Identity>;
  }
  interface FastifyRequest {
    identity: Identity | undefined;
    /** Of the access watch, before the identity was checked. */
    accessMoment: number;
    rate: RateState | undefined;
    startedAt: number;
    /** While traces are collected, and the route is worth one. */
    span: RequestSpan | undefined;
  }
}
