export type ErrorKind =
  | 'bad-request'
  | 'bad-key'
  | 'no-key'
  | 'restricted-key'
  | 'billing'
  | 'billing-in-disguise'
  | 'forbidden'
  | 'moderation'
  | 'no-model'
  | 'no-path'
  | 'request-timeout'
  | 'too-large'
  | 'context-length'
  | 'rate-limit'
  | 'rate-limit-ms'
  | 'rate-limit-date'
  | 'rate-limit-plain'
  | 'rate-limit-body'
  | 'tier-unavailable'
  | 'server-error'
  | 'bad-gateway'
  | 'unavailable'
  | 'gateway-timeout'
  | 'overloaded';

export interface ErrorContext {
  kind: ErrorKind;
  model: string;
  key: string;
  /** Replaces the vendor's text. */
  message?: string;
  /** Seconds; absent when the vendor names no wait in the body. */
  retryAfter?: number;
  requestId: string;
}

export interface ErrorAnswer {
  status: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON, a string as a web page. */
  body: object | string;
}

export const STATUSES: Readonly<Record<ErrorKind, number>> = {
  'bad-request': 400,
  'bad-key': 401,
  'no-key': 401,
  'restricted-key': 403,
  billing: 402,
  'billing-in-disguise': 429,
  forbidden: 403,
  moderation: 403,
  'no-model': 404,
  'no-path': 404,
  'request-timeout': 408,
  'too-large': 413,
  'context-length': 400,
  'rate-limit': 429,
  'rate-limit-ms': 429,
  'rate-limit-date': 429,
  'rate-limit-plain': 429,
  'rate-limit-body': 429,
  'tier-unavailable': 429,
  'server-error': 500,
  'bad-gateway': 502,
  unavailable: 503,
  'gateway-timeout': 504,
  overloaded: 529,
};
