// Which words differ between a line that goes and the one that comes in its place.
import { compareLines } from '../../../src/domain/diff/compare-lines.ts';

export interface WordPart {
  text: string;
  changed: boolean;
}

const MAX_LENGTH = 1000;
/** Lines that have less in common are other lines. */
const LEAST_IN_COMMON = 0.35;

const wordsOf = (line: string) => line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

function partsOf(words: readonly string[], marks: Uint8Array): WordPart[] {
  const parts: WordPart[] = [];
  words.forEach((text, at) => {
    const changed = marks[at] === 1;
    const last = parts.at(-1);
    if (last?.changed === changed) last.text += text;
    else parts.push({ text, changed });
  });
  return parts;
}

/** Undefined when it says more to show the whole line as another. */
export function changedWords(
  before: string,
  after: string,
): { before: WordPart[]; after: WordPart[] } | undefined {
  if (before.length > MAX_LENGTH || after.length > MAX_LENGTH) return undefined;
  const [a, b] = [wordsOf(before), wordsOf(after)];
  const { removed, added } = compareLines(a, b);
  const same = a.reduce((sum, word, at) => {
    return removed[at] || word.trim() === '' ? sum : sum + word.length;
  }, 0);
  const all = Math.max(before.replaceAll(/\s/g, '').length, after.replaceAll(/\s/g, '').length);
  if (all > 0 && same / all < LEAST_IN_COMMON) return undefined;
  return { before: partsOf(a, removed), after: partsOf(b, added) };
}
