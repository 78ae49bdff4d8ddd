// One call to a vendor until it answers: at the rate of the key, and tried again while nothing has reached the client.
import type { Clock } from '../platform/clock.ts';
import { headerIn } from '../domain/call/headers.ts';
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '../providers/upstream.ts';
import { CallRefusal } from './refusal.ts';

export interface Permit {
  done(outcome: 'fine' | 'failed'): void;
  turnedAway(retryAfterMs: number | undefined): void;
}

export interface KeyRates {
  enter(paceKey: string, signal: AbortSignal): Promise<Permit | undefined>;
  pauseMs(paceKey: string): number;
}

const MOST_TRIES = 3;
const TRIED_FOR_MS = 10_000;
const FIRST_PAUSE_MS = 400;

/** Another try may help, and nothing was charged. */
const RETRIED = new Set([429, 500, 502, 503, 504, 529]);

export interface Sent {
  answer: UpstreamAnswer;
  permit: Permit;
}

/** What the vendor asks to wait. */
export function waitOf({ headers }: UpstreamAnswer, nowMs: number): number | undefined {
  const ms = Number(headerIn(headers, 'retry-after-ms') || Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const after = headerIn(headers, 'retry-after');
  if (after === undefined) return undefined;
  const wait = /^\d+(\.\d+)?$/.test(after) ? Number(after) * 1000 : Date.parse(after) - nowMs;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

async function throwAway(answer: UpstreamAnswer): Promise<void> {
  try {
    for await (const _ of answer.body);
  } catch {
    // It is of no use to anybody.
  }
}

export async function sendUpstream(
  deps: { rateLimiter: KeyRates; clock: Clock },
  upstream: Upstream,
  request: UpstreamRequest,
  { paceKey, onTry }: { paceKey: string; onTry?: () => void },
): Promise<Sent> {
  const { signal } = request;
  const until = deps.clock.now() + TRIED_FOR_MS;
  for (let tried = 1; ; tried++) {
    const permit = await deps.rateLimiter.enter(paceKey, signal);
    if (permit === undefined) {
      signal.throwIfAborted();
      const retryAfterSeconds = Math.max(1, Math.ceil(deps.rateLimiter.pauseMs(paceKey) / 1000));
      const message = 'The vendor limits the rate of this key. Try again later.';
      throw new CallRefusal('rate', message, { retryAfterSeconds });
    }
    const pauseMs = FIRST_PAUSE_MS * 2 ** (tried - 1) * (0.75 + Math.random() / 2);
    const mayTryAfter = (ms: number) => tried < MOST_TRIES && deps.clock.now() + ms < until;
    let answer: UpstreamAnswer;
    try {
      onTry?.();
      answer = await upstream.send(request);
    } catch (error) {
      permit.done('failed');
      if (signal.aborted || !mayTryAfter(pauseMs)) throw error;
      await deps.clock.sleep(pauseMs, signal);
      signal.throwIfAborted();
      continue;
    }
    const waitMs = waitOf(answer, deps.clock.now());
    const isRetried = RETRIED.has(answer.status) && mayTryAfter(waitMs ?? pauseMs);
    if (!isRetried) return { answer, permit };
    await throwAway(answer);
    if (answer.status === 429) permit.turnedAway(waitMs);
    else permit.done('failed');
    await deps.clock.sleep(waitMs ?? pauseMs, signal);
    signal.throwIfAborted();
  }
}
