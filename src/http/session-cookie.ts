// The cookie of a session. Under https it has the prefix that keeps other hosts of the same domain from
// setting it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_LIFE } from '../domain/accounts/session-life.ts';

export interface SessionCookie {
  read(request: FastifyRequest): string | undefined;
  set(reply: FastifyReply, token: string): void;
  clear(reply: FastifyReply): void;
}

export type DeviceCookie = Omit<SessionCookie, 'clear'>;

const TOTAL_SECONDS = SESSION_LIFE.session.totalDays * 86_400;

export function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const [before, ...value] = part.trim().split('=');
    if (before === name) return value.join('=');
  }
  return undefined;
}

/** So that guesses from elsewhere cannot lock the owner of an account out. Browsers keep no cookie for longer. */
const DEVICE_SECONDS = 400 * 86_400;

export function createDeviceCookie(isHttps: boolean): DeviceCookie {
  const name = isHttps ? '__Host-millrace_device' : 'millrace_device';
  const flags = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  return {
    read: (request) => readCookie(request, name),
    set(reply, token) {
      reply.header('set-cookie', `${name}=${token}; ${flags}; Max-Age=${DEVICE_SECONDS}`);
    },
  };
}

export function createSessionCookie(isHttps: boolean): SessionCookie {
  const name = isHttps ? '__Host-millrace_session' : 'millrace_session';
  const flags = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  return {
    read: (request) => readCookie(request, name),
    set(reply, token) {
      reply.header('set-cookie', `${name}=${token}; ${flags}; Max-Age=${TOTAL_SECONDS}`);
    },
    clear(reply) {
      reply.header('set-cookie', `${name}=; ${flags}; Max-Age=0`);
    },
  };
}
