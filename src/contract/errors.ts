// The one table of error codes. docs/errors.md is made from it, and a test holds the two together.

export const ERROR_CODES = {
  VALIDATION_ERROR: {
    status: 400,
    meaning: 'The request is not valid; `details` lists each problem.',
  },
  UNAUTHORIZED: { status: 401, meaning: 'The API key is missing, malformed, revoked or expired.' },
  QUOTA_EXCEEDED: { status: 402, meaning: 'The monthly run quota is used up.' },
  FORBIDDEN: { status: 403, meaning: 'The caller may not use this resource.' },
  ACCOUNT_SUSPENDED: { status: 403, meaning: 'The account is suspended.' },
  NOT_FOUND: { status: 404, meaning: 'There is no such resource or route.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The route exists, but not with this method.' },
  CONFLICT: { status: 409, meaning: 'The request contradicts the current state.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body or a field is larger than allowed.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body is not plain, uncompressed JSON.' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    meaning: 'This Idempotency-Key was already used with a different body.',
  },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests; wait `Retry-After` seconds.' },
  INTERNAL_ERROR: { status: 500, meaning: 'A server fault; retry with backoff.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'The service cannot answer right now; wait `Retry-After` seconds.',
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
}

/** A VALIDATION_ERROR about one place in the request. */
export function invalid(path: string, code: string, message: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', message, { details: [{ path, code, message }] });
}
