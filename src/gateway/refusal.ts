// A call that this server does not pass on. Each vendor's protocol has its own words for it; this is what they say.

export type RefusalKind =
  | 'invalid'
  | 'unauthorized'
  | 'budget'
  | 'forbidden'
  | 'not_found'
  | 'too_large'
  | 'coding'
  | 'rate'
  | 'internal'
  | 'unavailable'
  | 'upstream'
  | 'timeout';

export const REFUSAL_STATUS: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  unauthorized: 401,
  budget: 402,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  coding: 415,
  rate: 429,
  internal: 500,
  upstream: 502,
  unavailable: 503,
  timeout: 504,
};

export class CallRefusal extends Error {
  readonly kind: RefusalKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: RefusalKind, message: string, options: { retryAfterSeconds?: number } = {}) {
    super(message);
    this.name = 'CallRefusal';
    this.kind = kind;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return REFUSAL_STATUS[this.kind];
  }
}
