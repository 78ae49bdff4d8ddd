// Whether a failed call to a model is tried again. Every call is paid for, so the answer is no unless
// all of the rules say yes.

export interface RetryInput {
  failure: { retryable: boolean; retryAfterMs?: number | undefined };
  /** How many calls were made, the failed one included. */
  call: number;
  maxCalls?: number;
  /** Whether the failed call had already produced text: that text is paid for and thrown away. */
  textAppeared: boolean;
  /** How many earlier calls were repeated although they had produced text. */
  restartsAfterText: number;
  /** Time until the job's deadline. */
  remainingMs: number;
  /** A number from 0 up to, not including, 1. */
  random: () => number;
}

export type RetryDecision =
  | { kind: 'retry'; delayMs: number }
  | {
      kind: 'fail';
      reason: 'not_retryable' | 'calls_used_up' | 'restarts_used_up' | 'no_time_left';
    };

export const MAX_CALLS = 3;
const MAX_RESTARTS_AFTER_TEXT = 1;
const BASE_DELAY_MS = 500;
const MAX_BACKOFF_MS = 30_000;

export function decideRetry(input: RetryInput): RetryDecision {
  if (!input.failure.retryable) return { kind: 'fail', reason: 'not_retryable' };
  if (input.call >= (input.maxCalls ?? MAX_CALLS)) return { kind: 'fail', reason: 'calls_used_up' };
  if (input.textAppeared && input.restartsAfterText >= MAX_RESTARTS_AFTER_TEXT) {
    return { kind: 'fail', reason: 'restarts_used_up' };
  }
  const backoffMs = Math.min(BASE_DELAY_MS * 2 ** Math.max(0, input.call - 1), MAX_BACKOFF_MS);
  const askedMs = Math.max(0, input.failure.retryAfterMs ?? 0) || 0;
  // On top of what the vendor asked for, not instead: jobs that wait equally long must not all
  // come back in the same instant.
  const delayMs = Math.ceil(askedMs + input.random() * backoffMs);
  if (delayMs >= input.remainingMs) return { kind: 'fail', reason: 'no_time_left' };
  return { kind: 'retry', delayMs };
}
