// An answer that ended because no more tokens were allowed: how much came, and what to do about it.

export interface CutOff {
  /** The most that was asked for. */
  maxTokens: number;
  /** What the vendor counted. */
  outputTokens: number;
}

/**
 * Vendors count a little differently from how they cut, so an answer that is nearly as long as the
 * cap ended at the cap. A much shorter one met a limit of the model: its own, or its full context.
 */
const NEARLY = 0.75;

export function isAtCap({ maxTokens, outputTokens }: CutOff): boolean {
  return outputTokens >= maxTokens * NEARLY;
}

/** For a stream of a manifest, whose author sets the cap. */
export function cutOffText(cut: CutOff): string {
  const { maxTokens, outputTokens } = cut;
  return isAtCap(cut)
    ? `The answer was cut off at ${maxTokens} tokens (maxTokens): raise maxTokens of this stream, or split it.`
    : `The answer was cut off at ${outputTokens} tokens, before its maxTokens of ${maxTokens}: the model has no more room; split this stream, or use another model.`;
}
