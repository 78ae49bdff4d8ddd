// Refusals in the shape of the vendor whose client asks, so that it raises what it would raise for the vendor.
import type { FastifyReply } from 'fastify';
import type { ErrorCode, ServiceError } from '../../contract/errors.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import { errorOf } from '../../gateway/call-error.ts';
import type { ErrorStyle } from '../../gateway/call-error.ts';
import { CallRefusal } from '../../gateway/refusal.ts';
import type { RefusalKind } from '../../gateway/refusal.ts';
import { RateLimitError } from '../../services/limits.ts';
import { toServiceError } from '../errors.ts';
import { rateHeaders } from '../rate-headers.ts';

const KINDS: Readonly<Partial<Record<ErrorCode, RefusalKind>>> = {
  VALIDATION_ERROR: 'invalid',
  UNAUTHORIZED: 'unauthorized',
  QUOTA_EXCEEDED: 'budget',
  FORBIDDEN: 'forbidden',
  ACCOUNT_SUSPENDED: 'forbidden',
  NOT_FOUND: 'not_found',
  METHOD_NOT_ALLOWED: 'not_found',
  PAYLOAD_TOO_LARGE: 'too_large',
  UNSUPPORTED_MEDIA_TYPE: 'coding',
  RATE_LIMITED: 'rate',
  SERVICE_UNAVAILABLE: 'unavailable',
};

function asRefusal(error: ServiceError): CallRefusal {
  const { retryAfterSeconds } = error;
  const kind = KINDS[error.code] ?? 'internal';
  return new CallRefusal(
    kind,
    error.message,
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
}

const styleOf = (provider: PublicProvider | undefined): ErrorStyle => {
  if (provider === 'anthropic' || provider === 'google' || provider === 'openrouter')
    return provider;
  return 'chat';
};

/** Undefined for a bug, which the caller logs. */
export function refusalOf(error: unknown, isUnavailable: (error: unknown) => boolean): CallRefusal {
  return error instanceof CallRefusal ? error : asRefusal(toServiceError(error, isUnavailable));
}

export function sendRefusal(
  reply: FastifyReply,
  provider: PublicProvider | undefined,
  refusal: CallRefusal,
  cause: unknown,
): FastifyReply {
  const { kind, status, retryAfterSeconds, message } = refusal;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  if (cause instanceof RateLimitError) reply.headers(rateHeaders(cause.state));
  // Clients try some of these again by themselves, which would change nothing.
  if (kind === 'budget') reply.header('x-should-retry', 'false');
  const { id } = reply.request;
  return reply
    .code(status)
    .header('x-millrace-request-id', id)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorOf(styleOf(provider), kind, message, id)));
}
