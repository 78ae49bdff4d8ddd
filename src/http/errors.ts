// Every error that leaves the server has one shape, wherever it comes from: our own errors, failed
// validation, the framework's, the parser's, and bugs, which say nothing about themselves.
import type { FastifyError, FastifyReply } from 'fastify';
import { ServiceError } from '../contract/errors.ts';
import type { ErrorDetail } from '../contract/errors.ts';
import { RateLimitError } from '../services/limits.ts';
import { rateHeaders } from './rate-headers.ts';
import { InvalidRequest } from './validate.ts';

export interface ErrorBody {
  error: { code: string; message: string; details?: unknown };
}

export function errorBody(error: ServiceError): ErrorBody {
  return {
    error: {
      code: error.code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
    },
  };
}

/** Field names of a record are the caller's, and may be as long as a body. */
const MAX_NAME = 200;
const MAX_PATH = 1000;

const cut = (text: string, max: number) =>
  text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;

function pathOf(path: readonly PropertyKey[]): string {
  return cut(path.map((part) => cut(String(part), MAX_NAME)).join('.'), MAX_PATH);
}

function placeOf({ validationContext }: FastifyError): string {
  return validationContext === 'querystring' ? 'query' : (validationContext ?? 'request');
}

function validationError(error: FastifyError): ServiceError | undefined {
  const found = error.validation?.filter((entry) => entry instanceof InvalidRequest) ?? [];
  if (found.length === 0) return undefined;
  const details = found.map(({ params: { issue } }): ErrorDetail => {
    return { path: pathOf(issue.path), code: issue.code ?? 'invalid', message: issue.message };
  });
  const first = details[0]!;
  const others = details.length - 1;
  const more = found[0]!.hasMore
    ? ` (and at least ${others} more; fix these first)`
    : others > 0
      ? ` (and ${others} more)`
      : '';
  const where = first.path === '' ? `The ${placeOf(error)}` : first.path;
  return new ServiceError('VALIDATION_ERROR', `${where} ${first.message}${more}`, { details });
}

const FRAMEWORK_ERRORS: Record<string, () => ServiceError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new ServiceError('PAYLOAD_TOO_LARGE', 'The body is larger than 8 MiB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ServiceError('VALIDATION_ERROR', 'The body does not match its Content-Length.'),
  FST_ERR_BAD_URL: () => new ServiceError('VALIDATION_ERROR', 'The address is not a valid URL.'),
  FST_ERR_NOT_FOUND: () => new ServiceError('NOT_FOUND', 'There is no such route.'),
};

/** The error as the caller may see it. `isUnavailable` knows when the database is the cause. */
export function toServiceError(
  error: unknown,
  isUnavailable: (error: unknown) => boolean,
): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof Error) {
    const framework = error as FastifyError;
    const validation = validationError(framework);
    if (validation) return validation;
    const known = FRAMEWORK_ERRORS[framework.code];
    if (known) return known();
    if (
      framework.statusCode !== undefined &&
      framework.statusCode >= 400 &&
      framework.statusCode < 500
    ) {
      return new ServiceError('VALIDATION_ERROR', 'The request is malformed.', { cause: error });
    }
  }
  // After the framework's own: a client that breaks off looks like a lost connection, too.
  if (isUnavailable(error)) {
    const message = 'The service cannot reach its database right now. Try again shortly.';
    return new ServiceError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 2, cause: error });
  }
  const message =
    'Something went wrong on the server. Try again. If it keeps happening, report the request id.';
  return new ServiceError('INTERNAL_ERROR', message, { cause: error });
}

export function sendError(reply: FastifyReply, error: ServiceError): FastifyReply {
  if (error.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(error.retryAfterSeconds));
  }
  if (error instanceof RateLimitError) reply.headers(rateHeaders(error.state));
  const body = Buffer.from(JSON.stringify(errorBody(error)));
  return reply.code(error.status).type('application/json; charset=utf-8').send(body);
}
