// From what a vendor's call threw or sent to a kind of failure, whether trying again can help, and
// how long to wait. Texts of vendors are kept short and go through the scrubber: some quote the key.
import { isRetryable } from '../provider.ts';
import type { FailureKind, ProviderFailure } from '../provider.ts';
import { outputLimitIn } from './output-limit.ts';

/** Errors in the middle of a stream carry a type where a response has a status. */
const STATUS_OF_TYPE: ReadonlyMap<string, number> = new Map(
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
  }),
);

const KEY_INVALID = /API_KEY_INVALID|API key not valid|API Key not found/i;
const OUT_OF_MONEY =
  /insufficient_quota|billing_hard_limit|credit balance is too low|insufficient credits/i;
const TOO_LONG =
  /context_length_exceeded|prompt is too long|maximum context length|context length is only|context window|exceeds the maximum number of tokens|input token count|exceeds the available context size|greater than the context length/i;
/** A tier that has no room says so in these words, and sometimes with the code of a rate limit. */
const NO_ROOM = /resource.?unavailable|capacity|try again at a later time/i;
/** A limit of the key or its project, which calls at other tiers would meet as well. */
const KEY_LIMIT = /rate.?limit|QuotaFailure|quota exceeded|exceeded your current quota/i;
const REFUSED = /content_policy|content_filter|moderation|flagged/i;
const OVERLOADED = /overloaded|high demand/i;
const MALFORMED = /JSONParse|TypeValidation|InvalidResponseData|EmptyResponse/;

/** What Anthropic's package makes of a first event that it cannot read. */
const UNREADABLE_START = /Expected a normalized Anthropic stream error/;

/** What the compatible package makes of a stream that just ends. */
const NO_FINISH = /ended without a finish reason/;

/** Instead of texts that quote a part of the key or of the answer. */
const OWN_WORDS: Partial<Record<FailureKind, string>> = {
  auth: 'the API key was refused',
  protocol: 'the answer could not be read',
};
/** What the packages say about a connection that broke. */
const BROKEN_OFF = /^Failed to process successful response$/;

const MAX_MESSAGE = 300;

interface Seen {
  status: number | undefined;
  name: string;
  message: string;
  body: string;
  headers: Record<string, string>;
  /** The vendor said it in so many words: no exception, but an error inside of its stream. */
  isReported: boolean;
}

function look(error: unknown): Seen {
  const fields = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  const nested = (
    typeof fields['error'] === 'object' && fields['error'] !== null ? fields['error'] : {}
  ) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const asStatus = (value: unknown) => {
    const number = Number(value);
    return Number.isInteger(number) && number >= 400 && number < 600 ? number : undefined;
  };
  const status =
    asStatus(fields['statusCode']) ??
    asStatus(fields['code']) ??
    asStatus(nested['code']) ??
    STATUS_OF_TYPE.get(text(fields['code'])) ??
    STATUS_OF_TYPE.get(text(nested['code'])) ??
    STATUS_OF_TYPE.get(text(fields['type'])) ??
    STATUS_OF_TYPE.get(text(nested['type']));
  // Never the error as a whole: it holds the prompt.
  const { type, code, message } = fields;
  const frame = fields['data'] ?? fields['error'] ?? { type, code, message };
  return {
    status,
    name: text(fields['name']),
    message: text(fields['message']) || text(nested['message']) || text(error),
    body: text(fields['responseBody']) || JSON.stringify(frame),
    headers: (fields['responseHeaders'] ?? {}) as Record<string, string>,
    isReported: !(error instanceof Error) && (fields['message'] ?? nested['message']) !== undefined,
  };
}

function kindOf({ status, name, body, message, isReported }: Seen): FailureKind {
  const said = `${body} ${message}`;
  if (status === undefined) {
    if (NO_FINISH.test(message)) return 'interrupted';
    if (MALFORMED.test(name) || UNREADABLE_START.test(message)) return 'protocol';
    return isReported ? 'upstream' : 'network';
  }
  if (status === 401 || (status === 400 && KEY_INVALID.test(said))) return 'auth';
  if (status === 402 || OUT_OF_MONEY.test(said)) return 'billing';
  if (status === 403) return REFUSED.test(said) ? 'refused' : 'permission';
  if (status === 404) return 'model_not_found';
  if (status === 413 || TOO_LONG.test(said)) return 'context_length';
  if (status === 429) return 'rate_limit';
  // 498: Groq, whose servers speak OpenAI's language, has no room for flex.
  if (status === 529 || status === 498 || (status === 503 && OVERLOADED.test(said)))
    return 'overloaded';
  if (status === 408 || status === 409 || status >= 500) return 'upstream';
  return REFUSED.test(said) ? 'refused' : 'bad_request';
}

/** Whether a call that has a tier was turned away for that tier alone. */
function isOnlyTier(kind: FailureKind, { body, message }: Seen): boolean {
  if (kind === 'overloaded') return true;
  const said = `${body} ${message}`;
  return kind === 'rate_limit' && (NO_ROOM.test(said) || !KEY_LIMIT.test(said));
}

/** The wait a vendor asked for: two headers, or Gemini's field in the body. */
export function retryAfterMs(
  headers: Record<string, string>,
  body: string,
  nowMs: number,
): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] || Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  const after = headers['retry-after'];
  if (after !== undefined) {
    const wait = /^\d+(\.\d+)?$/.test(after) ? Number(after) * 1000 : Date.parse(after) - nowMs;
    if (Number.isFinite(wait)) return Math.max(0, wait);
  }
  const delay = /"retryDelay":\s*"([\d.]+)s"/.exec(body);
  return delay ? Number(delay[1]) * 1000 : undefined;
}

export function failureOf(
  error: unknown,
  provider: string,
  tools: { scrub(text: string): string; nowMs: number },
): ProviderFailure {
  const seen = look(error);
  const kind = kindOf(seen);
  const wait = retryAfterMs(seen.headers, seen.body, tools.nowMs);
  const said = BROKEN_OFF.test(seen.message) ? 'the connection broke off' : seen.message;
  const detail = OWN_WORDS[kind] ?? tools.scrub(said).slice(0, MAX_MESSAGE);
  const status = seen.status === undefined ? '' : ` (${seen.status})`;
  const isRefusal = kind === 'bad_request' || kind === 'context_length';
  const outputLimit = isRefusal ? outputLimitIn(`${seen.message} ${seen.body}`) : undefined;
  return {
    kind,
    message: `${provider}${status}: ${detail || kind.replaceAll('_', ' ')}`,
    retryable: isRetryable(kind),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(outputLimit === undefined ? {} : { outputLimit }),
    ...(isOnlyTier(kind, seen) ? { onlyTier: true } : {}),
  };
}

export function failure(kind: FailureKind, provider: string, message: string): ProviderFailure {
  return { kind, message: `${provider}: ${message}`, retryable: isRetryable(kind) };
}
