// What a call used. Vendors report it at the end; after an abort some have reported part of it, and
// the rest is estimated from the text and marked as such.
import { estimateTokenCount } from 'tokenx';
import type { Usage } from '../provider.ts';
import type { AnswerSoFar, WireUsage } from '../wire/answer.ts';

/** The vendor's final figures; undefined where it sent none that make sense. */
export function finalUsage(usage: WireUsage | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const { reasoning: _, ...counted } = usage;
  return { ...counted, estimated: false };
}

export function estimatedUsage(
  prompt: string,
  text: string,
  partial: AnswerSoFar['partial'],
): Usage {
  const input = partial?.input ?? estimateTokenCount(prompt);
  return {
    input,
    // A running total lags behind the text that has arrived since it was sent.
    output: Math.max(partial?.output ?? 0, estimateTokenCount(text)),
    cacheRead: Math.min(input, partial?.cacheRead ?? 0),
    cacheWrite: partial?.cacheWrite ?? 0,
    ...(partial?.cacheWriteHour !== undefined && { cacheWriteHour: partial.cacheWriteHour }),
    estimated: true,
  };
}
