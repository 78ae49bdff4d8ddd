// A page of a text: what an assistant reads at once stays small enough for its context.
import { estimateTokenCount } from 'tokenx';

export const MOST_TOKENS = 8000;
const MOST_CHARACTERS = 24_000;
/** Where tokens are shorter than usual, a page is cut to this share until it fits. */
const SHRINK = 0.7;

export interface Page {
  text: string;
  /** Where the next page begins; undefined when this is the last. */
  next: number | undefined;
}

/** At the end of a line where there is one not far away, and never within a character. */
function cutNear(text: string, from: number, to: number): number {
  const line = text.lastIndexOf('\n', to - 1) + 1;
  if (line > from + (to - from) / 2) return line;
  const last = text.charCodeAt(to - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf && to - 1 > from ? to - 1 : to;
}

export function pageOf(text: string, from: number): Page {
  let size = MOST_CHARACTERS;
  while (estimateTokenCount(text.slice(from, from + size)) > MOST_TOKENS) {
    size = Math.floor(size * SHRINK);
  }
  if (from + size >= text.length) return { text: text.slice(from), next: undefined };
  const end = cutNear(text, from, from + size);
  return { text: text.slice(from, end), next: end };
}
