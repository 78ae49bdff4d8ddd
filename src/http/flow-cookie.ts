// The cookie of a sign-in with a provider that is under way.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCookie } from './session-cookie.ts';

const LIFE_SECONDS = 600;

export interface FlowCookie {
  read(request: FastifyRequest): string | undefined;
  set(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

export function createFlowCookie(isHttps: boolean): FlowCookie {
  const name = isHttps ? '__Host-millrace_oidc' : 'millrace_oidc';
  // Lax: the browser comes back from another site.
  const flags = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  return {
    read: (request) => readCookie(request, name),
    set: (reply, value) =>
      void reply.header('set-cookie', `${name}=${value}; ${flags}; Max-Age=${LIFE_SECONDS}`),
    clear: (reply) => void reply.header('set-cookie', `${name}=; ${flags}; Max-Age=0`),
  };
}
