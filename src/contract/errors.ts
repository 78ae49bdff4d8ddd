// The one table of error codes. docs/errors.md is made from it, and a test holds the two together.

export const ERROR_CODES = {
  VALIDATION_ERROR: {
    status: 400,
    meaning: 'The request is invalid; `details` lists each problem.',
  },
  UNAUTHORIZED: {
    status: 401,
    meaning: 'The API key or the session is missing, malformed, revoked or expired.',
  },
  QUOTA_EXCEEDED: {
    status: 402,
    meaning: "The monthly run quota is used up, or the team's budget does not cover the request.",
  },
  FORBIDDEN: { status: 403, meaning: 'You do not have access to this resource.' },
  ACCOUNT_SUSPENDED: { status: 403, meaning: 'The account or the team is suspended.' },
  NOT_FOUND: { status: 404, meaning: 'The resource or route does not exist.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The route does not support this method.' },
  CONFLICT: {
    status: 409,
    meaning: 'The request conflicts with the current state of the resource.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not plain, uncompressed JSON.' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning: 'This Idempotency-Key was already used with a different body.',
  },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests; wait `Retry-After` seconds.' },
  INTERNAL_ERROR: {
    status: 500,
    meaning: 'Something went wrong on the server; retry with backoff.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'The service is temporarily unavailable; wait `Retry-After` seconds.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorDetail {
  path: string;
  code: string;
  message: string;
}

export type ErrorDetails = ErrorDetail[] | Record<string, unknown>;

/** An error a caller can act on. Anything else that escapes is a bug and shows as INTERNAL_ERROR. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: ErrorDetails; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  /** How a command ends that meets it without a server between them. */
  get exit(): 'usage' | 'failed' {
    return this.code === 'VALIDATION_ERROR' ? 'usage' : 'failed';
  }
}

/** A VALIDATION_ERROR about one place in the request. */
export function invalid(path: string, code: string, message: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', message, { details: [{ path, code, message }] });
}
