// From what a vendor answered, sent in the middle of an answer, or what broke on the way, to a kind of failure, whether
// trying again can help, and how long to wait. Texts of vendors are kept short and go through the scrubber: some quote
// the key.
import { isRetryable } from '../provider.ts';
import type { FailureKind, ProviderFailure } from '../provider.ts';
import type { WireError } from '../wire/answer.ts';
import { UNREADABLE, readError } from '../wire/error.ts';
import { fieldsOf } from '../wire/fields.ts';
import { outputLimitIn } from './output-limit.ts';

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

/** Instead of texts that quote a part of the key or of the answer. */
const OWN_WORDS: Partial<Record<FailureKind, string>> = {
  auth: 'the API key was refused',
  protocol: 'the answer could not be read',
};

const MAX_MESSAGE = 300;

interface Seen {
  /** Undefined where nothing says one. */
  status: number | undefined;
  message: string;
  /** All that the vendor said, as it said it. */
  body: string;
  headers: Readonly<Record<string, string>>;
}

function kindOf(status: number, said: string): FailureKind {
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
  headers: Readonly<Record<string, string>>,
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

export interface FailureTools {
  scrub(text: string): string;
  nowMs: number;
}

function failed(
  kind: FailureKind,
  seen: Seen,
  provider: string,
  tools: FailureTools,
): ProviderFailure {
  const wait = retryAfterMs(seen.headers, seen.body, tools.nowMs);
  const detail = OWN_WORDS[kind] ?? tools.scrub(seen.message).slice(0, MAX_MESSAGE);
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

export interface RefusedAnswer {
  /** From 400 on. */
  status: number;
  /** By names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** An answer with an error status. */
export function failureOfAnswer(
  { status, headers, body }: RefusedAnswer,
  provider: string,
  tools: FailureTools,
): ProviderFailure {
  const message = messageIn(body);
  const seen = { status, headers, body, message };
  return failed(kindOf(status, `${body} ${message}`), seen, provider, tools);
}

/** Nothing of a page of a proxy. */
function messageIn(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    // Google sends a list where a stream of another form was asked for.
    const fields = fieldsOf(Array.isArray(value) ? value[0] : value);
    return fields === undefined ? '' : readError(fields['error'] ?? fields).message;
  } catch {
    return '';
  }
}

/** What a vendor reports instead of an answer, or in the middle of one. */
export function failureOfWire(
  { status, code, message, raw }: WireError,
  provider: string,
  tools: FailureTools,
): ProviderFailure {
  const body = raw ?? code ?? '';
  const seen = { status, message, body, headers: {} };
  // It said what it does not say elsewhere: no matter of the network.
  const unknown = code === UNREADABLE ? 'protocol' : 'upstream';
  const kind = status === undefined ? unknown : kindOf(status, `${body} ${message}`);
  return failed(kind, seen, provider, tools);
}

export function failure(kind: FailureKind, provider: string, message: string): ProviderFailure {
  return { kind, message: `${provider}: ${message}`, retryable: isRetryable(kind) };
}
