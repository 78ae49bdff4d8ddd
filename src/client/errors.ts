// What can go wrong between a client and the service.

/** The service answered with an error. */
export class MillraceError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  readonly requestId: string | undefined;
  /** How long the service asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      details?: unknown;
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
    } = {},
  ) {
    super(message);
    this.name = 'MillraceError';
    this.status = status;
    this.code = code;
    this.details = more.details;
    this.requestId = more.requestId;
    this.retryAfterMs = more.retryAfterMs;
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return this.status === 429 || RETRYABLE_STATUSES.has(this.status);
  }
}

/** The service could not be reached, or did not answer with what it promises. */
export class MillraceConnectionError extends Error {
  readonly retryable = true;

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MillraceConnectionError';
  }
}

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** The next try would come after the deadline of the request; the message is of the last one. */
export class NoTimeLeftError extends Error {}
