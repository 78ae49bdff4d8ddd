import { estimateTokenCount } from 'tokenx';

/** Whole lines from the beginning, as many as fit. */
export function beginningOf(text: string, maxTokens: number): string {
  // A first guess by length: counting the tokens of megabytes would be for nothing.
  let part = text.slice(0, maxTokens * 6);
  while (part !== '' && estimateTokenCount(part) > maxTokens) {
    part = part.slice(0, Math.floor(part.length * 0.8));
  }
  const lineEnd = part.lastIndexOf('\n');
  return part.length === text.length ? part : part.slice(0, lineEnd + 1);
}
