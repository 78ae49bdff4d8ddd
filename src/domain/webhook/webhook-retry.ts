// When a delivery is tried again, and when it is given up.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export interface WebhookTimes {
  /** The wait before each try after the first, counted from the failure before it. */
  retryDelaysMs: readonly number[];
  /** From the first byte sent to the last one read. */
  timeoutMs: number;
  connectTimeoutMs: number;
}

export const WEBHOOK_TIMES: WebhookTimes = {
  retryDelaysMs: [
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  timeoutMs: 15 * SECOND,
  connectTimeoutMs: 5 * SECOND,
};

/** So that the deliveries which failed together do not all come back together. */
const JITTER = 0.1;
const LONGEST_RETRY_AFTER_MS = 24 * HOUR;
/** A webhook with nothing but failures for this long is switched off. */
export const DISABLE_AFTER_HOURS = 120;

/** Milliseconds until then; undefined when it says nothing that can be understood. */
export function parseRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (/^\d{1,9}$/.test(trimmed)) return Number(trimmed) * SECOND;
  // Dates in HTTP end with GMT; the parser alone would also take words like "1.5".
  const at = trimmed.endsWith('GMT') ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

export interface FailedTry {
  /** Tries that have failed, this one included. */
  tries: number;
  /** What the receiver asked for, where its answer may ask for anything. */
  retryAfterMs: number | undefined;
}

/**
 * Milliseconds until the next try; undefined when this was the last. A receiver may ask for more
 * time than planned, not for less: with short waits the tries would be used up within minutes.
 */
export function nextTryIn(
  { tries, retryAfterMs }: FailedTry,
  delaysMs: readonly number[],
  random: number,
): number | undefined {
  const planned = delaysMs[tries - 1];
  if (planned === undefined) return undefined;
  const jittered = planned * (1 + JITTER * (2 * random - 1));
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)));
}

export type Verdict =
  | { kind: 'delivered' }
  /** The receiver said that it is gone for good. */
  | { kind: 'gone' }
  | { kind: 'failed'; retryAfterMs: number | undefined };

/** Only 2xx is success: a redirect is not followed, so nobody has taken the event. */
export function verdictOf(
  answer: { status: number | undefined; retryAfter: string | undefined },
  nowMs: number,
): Verdict {
  const { status = 0, retryAfter } = answer;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'gone' };
  const mayAsk = status === 429 || status === 503;
  return { kind: 'failed', retryAfterMs: mayAsk ? parseRetryAfter(retryAfter, nowMs) : undefined };
}
