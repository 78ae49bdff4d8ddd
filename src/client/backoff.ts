// How long to wait before the next try.

export interface BackoffOptions {
  retryBaseDelayMs: number;
  retryMaxDelayMs: number;
  jitterFactor: number;
}

/** `attempt` counts from 0: base, twice, four times the base, up to the cap, plus or minus jitter. */
export function backoffDelay(
  attempt: number,
  options: BackoffOptions,
  random: () => number,
): number {
  const plain = Math.min(options.retryBaseDelayMs * 2 ** attempt, options.retryMaxDelayMs);
  return withJitter(plain, options.jitterFactor, random);
}

export function withJitter(ms: number, factor: number, random: () => number): number {
  return Math.max(0, ms * (1 + factor * (2 * random() - 1)));
}

/** Seconds or a date, in milliseconds from now; undefined when there is nothing usable. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
