// How each protocol says that something went wrong: as an answer of its own, and in the middle of a stream.
import type { Protocol } from '../providers/wire/protocol.ts';
import type { RefusalKind } from './refusal.ts';
import { REFUSAL_STATUS } from './refusal.ts';

const ANTHROPIC: Readonly<Record<RefusalKind, string>> = {
  invalid: 'invalid_request_error',
  unauthorized: 'authentication_error',
  budget: 'billing_error',
  forbidden: 'permission_error',
  not_found: 'not_found_error',
  too_large: 'request_too_large',
  coding: 'invalid_request_error',
  rate: 'rate_limit_error',
  internal: 'api_error',
  unavailable: 'overloaded_error',
  upstream: 'api_error',
  timeout: 'timeout_error',
};

const OPENAI: Readonly<Record<RefusalKind, [type: string, code: string | null]>> = {
  invalid: ['invalid_request_error', null],
  unauthorized: ['invalid_request_error', 'invalid_api_key'],
  budget: ['insufficient_quota', 'insufficient_quota'],
  forbidden: ['invalid_request_error', 'model_not_allowed'],
  not_found: ['invalid_request_error', 'unknown_url'],
  too_large: ['invalid_request_error', 'request_too_large'],
  coding: ['invalid_request_error', 'unsupported_content_encoding'],
  rate: ['requests', 'rate_limit_exceeded'],
  internal: ['server_error', null],
  unavailable: ['server_error', 'server_is_overloaded'],
  upstream: ['server_error', null],
  timeout: ['server_error', 'timeout'],
};

const GOOGLE: Readonly<Record<RefusalKind, string>> = {
  invalid: 'INVALID_ARGUMENT',
  unauthorized: 'UNAUTHENTICATED',
  budget: 'FAILED_PRECONDITION',
  forbidden: 'PERMISSION_DENIED',
  not_found: 'NOT_FOUND',
  too_large: 'INVALID_ARGUMENT',
  coding: 'INVALID_ARGUMENT',
  rate: 'RESOURCE_EXHAUSTED',
  internal: 'INTERNAL',
  unavailable: 'UNAVAILABLE',
  upstream: 'UNAVAILABLE',
  timeout: 'DEADLINE_EXCEEDED',
};

/** OpenRouter speaks chat completions, with errors of its own. */
export type ErrorStyle = Protocol | 'openrouter';

export function errorOf(
  style: ErrorStyle,
  kind: RefusalKind,
  message: string,
  id?: string,
): object {
  const status = REFUSAL_STATUS[kind];
  switch (style) {
    case 'anthropic':
      return {
        type: 'error',
        error: { type: ANTHROPIC[kind], message },
        ...(id !== undefined && { request_id: id }),
      };
    case 'chat':
    case 'responses': {
      const [type, code] = OPENAI[kind];
      return { error: { message, type, param: null, code } };
    }
    case 'google':
      return { error: { code: status, message, status: GOOGLE[kind] } };
    case 'openrouter':
      return { error: { code: status, message } };
  }
}

/** The last event of a stream that is cut off. */
export function errorEvent(style: ErrorStyle, kind: RefusalKind, message: string): Buffer {
  if (style === 'anthropic') {
    return Buffer.from(`event: error\ndata: ${JSON.stringify(errorOf(style, kind, message))}\n\n`);
  }
  if (style === 'responses') {
    const event = { type: 'error', code: OPENAI[kind][1], message, param: null };
    return Buffer.from(`event: error\ndata: ${JSON.stringify(event)}\n\n`);
  }
  return Buffer.from(`data: ${JSON.stringify(errorOf(style, kind, message))}\n\n`);
}
