// An answer that ended because no more tokens were allowed: how much came, and what to do about it.
import { isOpenLength, longerThan } from '../model/model-limits.ts';

export interface CutOff {
  /** The most that was asked for; undefined where that was left to the vendor. */
  maxTokens: number | undefined;
  /** What the vendor counted. */
  outputTokens: number;
}

/** `maxTokens`: as the job says it. */
export function cutOffOf(
  model: string,
  { maxTokens, outputTokens }: { maxTokens: number; outputTokens: number },
): CutOff {
  return { maxTokens: isOpenLength(model, maxTokens) ? undefined : maxTokens, outputTokens };
}

/**
 * Vendors count a little differently from how they cut, so an answer that is nearly as long as the
 * cap ended at the cap. A much shorter one met a limit of the model: its own, or its full context.
 */
const NEARLY = 0.75;

export function isAtCap({ maxTokens, outputTokens }: CutOff): boolean {
  return maxTokens !== undefined && outputTokens >= maxTokens * NEARLY;
}

/**
 * How many tokens to ask for instead: twice those that were asked for or, where nobody asked, those that came. Undefined
 * when that would not help.
 */
export function longerAfter(model: string, cut: CutOff): number | undefined {
  const { maxTokens, outputTokens } = cut;
  if (maxTokens === undefined) return longerThan(model, outputTokens);
  return isAtCap(cut) ? longerThan(model, maxTokens) : undefined;
}

/** For a stream of a manifest, whose author sets the cap. */
export function cutOffText(cut: CutOff): string {
  const { maxTokens, outputTokens } = cut;
  if (maxTokens === undefined) {
    return `The answer was cut off at ${outputTokens} tokens, a limit of the model: set maxTokens of this stream, split it, or use another model.`;
  }
  return isAtCap(cut)
    ? `The answer was cut off at ${maxTokens} tokens (maxTokens): raise maxTokens of this stream, or split it.`
    : `The answer was cut off at ${outputTokens} tokens, before its maxTokens of ${maxTokens}: the model has no more room; split this stream, or use another model.`;
}
