// Failures as each vendor reports them: the status, the words of its errors, and the shape around them.
import type { FailureKind } from '../../provider.ts';
import type { Protocol } from '../../wire/protocol.ts';
import { FAILURES } from '../failures.ts';

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

const ROWS: Readonly<Record<'anthropic' | 'openai' | 'google', Record<ReportedKind, Row>>> = {
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
const WORDS: Readonly<Record<keyof typeof ROWS, Partial<Record<ReportedKind, string>>>> = {
  anthropic: { context_length: 'prompt is too long: 215310 tokens > 200000 maximum' },
  openai: {
    billing: 'You exceeded your current quota, please check your plan and billing details.',
    context_length:
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
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
  protocol: Protocol,
  kind: ReportedKind,
  more: { message?: string; field?: string | null; retryAfterMs?: number },
): WireFailure {
  const family = protocol === 'chat' || protocol === 'responses' ? 'openai' : protocol;
  const [status, word, code] = ROWS[family][kind];
  const said = WORDS[family][kind] ?? FAILURES[kind].message;
  const message = more.message ?? `Simulated failure: ${said}`;
  const { retryAfterMs } = more;
  const seconds = retryAfterMs === undefined ? undefined : String(retryAfterMs / 1000);
  return {
    status,
    headers: seconds === undefined ? [] : ['retry-after', seconds],
    error:
      family === 'google'
        ? googleError({ status, word, code, message, seconds })
        : family === 'anthropic'
          ? { type: word, message }
          : { message, type: word, param: more.field ?? null, code: code ?? null },
  };
}

function googleError(of: {
  status: number;
  word: string;
  code: string | undefined;
  message: string;
  seconds: string | undefined;
}): Record<string, unknown> {
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
export function failureBody(protocol: Protocol, { error }: WireFailure, requestId: string): object {
  return protocol === 'anthropic' ? { type: 'error', error, request_id: requestId } : { error };
}
