// Of what a command printed, the lines that say why it failed.
import { stripTerminal } from '../prompt/prompt-text.ts';

/** The most telling first. */
const TELLING: readonly RegExp[] = [
  /\berror\b(?:\s+TS\d+|\[E\d+\])?\s*:|\b\w*(?:Error|Exception)\b.*:|\bpanic(?:ked)?\b/,
  /^\s*(?:not ok|FAIL(?:ED)?\b|--- FAIL|✖|✗|×)/,
  /\b(?:expected|actual|assert\w*|cannot find|not found|failed)\b/i,
];
/** What a longer line says, it says here. */
const LONGEST = 1000;

export function decisiveLines(output: string, most: number): string[] {
  const lines = stripTerminal(output)
    .split('\n')
    .map((line) =>
      line
        .slice(0, LONGEST)
        .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
        .trim(),
    )
    .filter((line) => line !== '');
  const chosen = new Set<number>();
  for (const pattern of TELLING) {
    for (const [index, line] of lines.entries()) {
      if (chosen.size >= most) break;
      if (pattern.test(line)) chosen.add(index);
    }
  }
  if (chosen.size === 0) {
    for (let at = Math.max(0, lines.length - most); at < lines.length; at++) chosen.add(at);
  }
  return [...chosen].sort((a, b) => a - b).map((index) => lines[index]!);
}
