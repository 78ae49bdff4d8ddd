// What a call has to pass before it starts: the rate of its key and, at the flex tier, that of flex calls of its model. A
// vendor that has no room for flex says nothing about the key, so each has a limit and a pause of its own.
import { hash } from 'node:crypto';
import type { ProviderOutcome } from '../providers/provider.ts';
import type { Permit, RateLimiter } from './rate-limiter.ts';

export interface CallGates {
  key: string;
  /** Of calls at the flex tier. */
  flex?: string;
}

export function gatesOf(rateKey: string, model: string, isFlex: boolean): CallGates {
  if (!isFlex) return { key: rateKey };
  return { key: rateKey, flex: hash('sha256', `${rateKey} flex ${model}`, 'hex').slice(0, 24) };
}

/** How long a call that wants to start now will have to wait at least. */
export function pauseOf(rateLimiter: RateLimiter, { key, flex }: CallGates): number {
  const flexMs = flex === undefined ? 0 : rateLimiter.pauseMs(flex);
  return Math.max(rateLimiter.pauseMs(key), flexMs);
}

export interface GatePermit {
  /** To be called once; without an outcome when the call threw. */
  leave(outcome?: ProviderOutcome): void;
}

/** The call was turned away before it began, and may be made again without counting as a try. */
export function wasTurnedAway(outcome: ProviderOutcome, { flex }: CallGates): boolean {
  if (outcome.kind !== 'failed') return false;
  const { kind, onlyTier } = outcome.failure;
  return kind === 'rate_limit' || (flex !== undefined && onlyTier === true);
}

function leaveBy(
  outcome: ProviderOutcome | undefined,
  gates: CallGates,
  permits: { key: Permit; flex: Permit | undefined },
): void {
  const result = outcome?.kind === 'completed' ? 'fine' : 'failed';
  if (outcome?.kind !== 'failed' || !wasTurnedAway(outcome, gates)) {
    permits.key.done(result);
    permits.flex?.done(result);
    return;
  }
  const { onlyTier, retryAfterMs } = outcome.failure;
  const closed = onlyTier === true && permits.flex !== undefined ? permits.flex : permits.key;
  for (const permit of [permits.key, permits.flex]) {
    if (permit === closed) permit.turnedAway(retryAfterMs);
    else permit?.done(result);
  }
}

/** Undefined when the signal aborted first, or when a pause is too long to hold a slot for. */
export async function enterGates(
  rateLimiter: RateLimiter,
  gates: CallGates,
  signal: AbortSignal,
): Promise<GatePermit | undefined> {
  // The key comes last: who waits for room at the flex tier takes nothing from other calls of the key.
  const flex = gates.flex === undefined ? undefined : await rateLimiter.enter(gates.flex, signal);
  if (gates.flex !== undefined && flex === undefined) return undefined;
  const key = await rateLimiter.enter(gates.key, signal);
  if (key === undefined) {
    flex?.done('failed');
    return undefined;
  }
  return { leave: (outcome) => leaveBy(outcome, gates, { key, flex }) };
}
