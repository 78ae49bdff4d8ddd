import { estimateTokenCount } from 'tokenx';

// The estimate takes a second for the largest prompts, in which nothing else on the node would run:
// beyond this many characters three samples stand for the whole. The result stays a function of the
// text alone.
const EXACT_UP_TO = 16 * 1024;
const SAMPLE = 4 * 1024;

export function countTokens(text: string): number {
  if (text.length <= EXACT_UP_TO) return estimateTokenCount(text);
  const middle = (text.length - SAMPLE) >>> 1;
  const sampled =
    estimateTokenCount(text.slice(0, SAMPLE)) +
    estimateTokenCount(text.slice(middle, middle + SAMPLE)) +
    estimateTokenCount(text.slice(-SAMPLE));
  return Math.ceil((sampled * text.length) / (3 * SAMPLE));
}
