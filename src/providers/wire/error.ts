// What a vendor says went wrong. All have an object `error` somewhere, with a code or a type where a response has a
// status; the readers know where.
import type { WireError } from './answer.ts';
import { fieldsOf, jsonOf, textOf, type Fields } from './fields.ts';

const STATUS_OF_WORD: ReadonlyMap<unknown, number> = new Map(
  Object.entries({
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    rate_limit_exceeded: 429,
    resource_unavailable: 429,
    api_error: 500,
    server_error: 500,
    overloaded_error: 529,
    timeout_error: 504,
    invalid_request_error: 400,
    insufficient_quota: 429,
    context_length_exceeded: 400,
    server_is_overloaded: 503,
    service_unavailable_error: 503,
    // Google's
    INVALID_ARGUMENT: 400,
    FAILED_PRECONDITION: 400,
    OUT_OF_RANGE: 400,
    UNAUTHENTICATED: 401,
    PERMISSION_DENIED: 403,
    NOT_FOUND: 404,
    ABORTED: 409,
    RESOURCE_EXHAUSTED: 429,
    CANCELLED: 499,
    INTERNAL: 500,
    UNKNOWN: 500,
    UNAVAILABLE: 503,
    DEADLINE_EXCEEDED: 504,
  }),
);

/** The code of an error of ours: what came is not in the vendor's format. */
export const UNREADABLE = 'unreadable_answer';

export function unreadable(message: string): WireError {
  return { status: undefined, code: UNREADABLE, message };
}

function asStatus(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number >= 400 && number < 600 ? number : undefined;
}

const MAX_TEXT = 4000;

/** `value`: the object that a vendor calls `error`, or what it sends instead of one. */
export function readError(value: unknown): WireError {
  const text = textOf(value);
  if (text !== undefined) return { status: undefined, code: undefined, message: cut(text) };
  const fields = fieldsOf(value) ?? {};
  const { code, type, status } = fields;
  const words = [code, type, status, fields['status_code']];
  return {
    status:
      words.map(asStatus).find((each) => each !== undefined) ??
      words.map((word) => STATUS_OF_WORD.get(word)).find((each) => each !== undefined),
    code: words.map(textOf).find((each) => each !== undefined),
    message: cut(messageOf(fields)),
    raw: cut(jsonOf(value) ?? ''),
  };
}

function messageOf(fields: Fields): string {
  const message = textOf(fields['message']) ?? textOf(fields['detail']) ?? '';
  const metadata = fieldsOf(fields['metadata']);
  if (metadata === undefined) return message;
  // OpenRouter passes on what a vendor said to it.
  const name = textOf(metadata['provider_name']);
  const said = messageIn(metadata['raw'], 4) ?? message;
  return name === undefined ? said : `[${name}] ${said}`;
}

/** A text, or one in an object, or in JSON that is sent as a text; as deep as `depth`. */
function messageIn(value: unknown, depth: number): string | undefined {
  if (depth === 0) return undefined;
  const text = textOf(value);
  if (text !== undefined) {
    const inner = text.startsWith('{') ? parsed(text) : undefined;
    return inner === undefined ? text : (messageIn(inner, depth - 1) ?? text);
  }
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  for (const name of ['message', 'error', 'detail']) {
    const found = messageIn(fields[name], depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT);
}
