// Failures as each vendor reports them: the status, the words of its errors, and the shape around them.
import type { FailureKind } from '../../provider.ts';
import { FAILURES } from '../failures.ts';
import type { Dialect } from './dialect.ts';

/** Kinds that a vendor reports in words; the others are what happens to an answer. */
export type ReportedKind = Exclude<FailureKind, 'network' | 'interrupted' | 'protocol' | 'refused'>;

export function isReported(kind: FailureKind): kind is ReportedKind {
  return Object.hasOwn(ROWS.anthropic, kind);
}

export interface WireFailure {
  status: number;
  /** Name, value, name, value. */
  headers: string[];
  /** The vendor's error, for a body or an event. */
  error: Record<string, unknown>;
}

type Row = readonly [status: number, word: string, code?: string];

type Family = 'anthropic' | 'openai' | 'openrouter' | 'google';

const ROWS: Readonly<Record<Family, Record<ReportedKind, Row>>> = {
  anthropic: {
    auth: [401, 'authentication_error'],
    billing: [402, 'billing_error'],
    permission: [403, 'permission_error'],
    model_not_found: [404, 'not_found_error'],
    bad_request: [400, 'invalid_request_error'],
    context_length: [400, 'invalid_request_error'],
    rate_limit: [429, 'rate_limit_error'],
    overloaded: [529, 'overloaded_error'],
    upstream: [500, 'api_error'],
    timeout: [504, 'timeout_error'],
  },
  openai: {
    auth: [401, 'invalid_request_error', 'invalid_api_key'],
    billing: [429, 'insufficient_quota', 'insufficient_quota'],
    permission: [403, 'invalid_request_error', 'missing_scope'],
    model_not_found: [404, 'invalid_request_error', 'model_not_found'],
    bad_request: [400, 'invalid_request_error'],
    context_length: [400, 'invalid_request_error', 'context_length_exceeded'],
    rate_limit: [429, 'tokens', 'rate_limit_exceeded'],
    overloaded: [503, 'service_unavailable_error', 'server_is_overloaded'],
    upstream: [500, 'server_error', 'server_error'],
    timeout: [504, 'server_error'],
  },
  // Here the status is all: errors have no words of their own.
  openrouter: {
    auth: [401, ''],
    billing: [402, ''],
    permission: [403, ''],
    model_not_found: [404, ''],
    bad_request: [400, ''],
    context_length: [400, ''],
    rate_limit: [429, ''],
    overloaded: [503, ''],
    upstream: [502, ''],
    timeout: [504, ''],
  },
  google: {
    auth: [400, 'INVALID_ARGUMENT', 'API_KEY_INVALID'],
    billing: [429, 'RESOURCE_EXHAUSTED'],
    permission: [403, 'PERMISSION_DENIED'],
    model_not_found: [404, 'NOT_FOUND'],
    bad_request: [400, 'INVALID_ARGUMENT'],
    context_length: [400, 'INVALID_ARGUMENT'],
    rate_limit: [429, 'RESOURCE_EXHAUSTED'],
    overloaded: [503, 'UNAVAILABLE'],
    upstream: [500, 'INTERNAL'],
    timeout: [504, 'DEADLINE_EXCEEDED'],
  },
};

/** Where clients know a failure by its words only. */
const WORDS: Readonly<Record<Family, Partial<Record<ReportedKind, string>>>> = {
  anthropic: { context_length: 'prompt is too long: 215310 tokens > 200000 maximum' },
  openai: {
    billing: 'You exceeded your current quota, please check your plan and billing details.',
    context_length:
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
  openrouter: {
    billing: 'Insufficient credits. Add more at https://openrouter.ai/settings/credits',
    context_length: "This endpoint's maximum context length is 200000 tokens.",
    overloaded: 'Provider returned error: overloaded',
  },
  google: {
    auth: 'API key not valid. Please pass a valid API key.',
    context_length:
      'The input token count (1203456) exceeds the maximum number of tokens allowed (1048576).',
    overloaded: 'The model is overloaded. Please try again later.',
  },
};

const GOOGLE_TYPE = 'type.googleapis.com/google.rpc.';

export function wireFailure(
  dialect: Dialect,
  kind: ReportedKind,
  more: { message?: string; field?: string | null; retryAfterMs?: number },
): WireFailure {
  const family = dialect === 'chat' || dialect === 'responses' ? 'openai' : dialect;
  const [status, word, code] = ROWS[family][kind];
  const said = WORDS[family][kind] ?? FAILURES[kind].message;
  const message = more.message ?? `Simulated failure: ${said}`;
  const { retryAfterMs } = more;
  const seconds = retryAfterMs === undefined ? undefined : String(retryAfterMs / 1000);
  return {
    status,
    headers: seconds === undefined ? [] : ['retry-after', seconds],
    error: errorOf(family, { status, word, code, message, seconds, field: more.field ?? null }),
  };
}

interface Said {
  status: number;
  word: string;
  code: string | undefined;
  message: string;
  seconds: string | undefined;
  field: string | null;
}

function errorOf(family: Family, said: Said): Record<string, unknown> {
  const { status, word, message } = said;
  switch (family) {
    case 'anthropic':
      return { type: word, message };
    case 'openai':
      return { message, type: word, param: said.field, code: said.code ?? null };
    case 'openrouter':
      return { message, code: status };
    case 'google':
      return googleError(said);
  }
}

function googleError(of: Said): Record<string, unknown> {
  const reason = of.code && {
    '@type': `${GOOGLE_TYPE}ErrorInfo`,
    reason: of.code,
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com' },
  };
  const retry = of.seconds && {
    '@type': `${GOOGLE_TYPE}RetryInfo`,
    retryDelay: `${of.seconds}s`,
  };
  const details = [reason, retry].filter((each) => each !== undefined);
  return {
    code: of.status,
    message: of.message,
    status: of.word,
    ...(details.length > 0 && { details }),
  };
}

/** The whole body of an answer that is a failure. */
export function failureBody(dialect: Dialect, { error }: WireFailure, requestId: string): object {
  return dialect === 'anthropic' ? { type: 'error', error, request_id: requestId } : { error };
}
