// The lines of a file that look most like a text which is not in it, to be shown to the model that
// took them for it.
import type { TextLines } from './text-lines.ts';

const AROUND = 2;
const MOST = 40;

/** Numbered, with some lines around; empty when nothing looks alike. */
export function nearestLines({ lines }: TextLines, text: string): string {
  const wanted = new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
  const words = new Set(wordsOf(text));
  const size = Math.max(1, Math.min(wanted.size, MOST));
  const scores = lines.map((line) => scoreOf(line, wanted, words));
  let window = 0;
  let best = 0;
  let bestAt = -1;
  for (let at = 0; at < scores.length; at++) {
    window += scores[at]! - (at >= size ? scores[at - size]! : 0);
    if (window <= best) continue;
    best = window;
    bestAt = Math.max(0, at - size + 1);
  }
  if (bestAt < 0) return '';
  const from = Math.max(0, bestAt - AROUND);
  return lines
    .slice(from, bestAt + size + AROUND)
    .map((line, i) => `${from + i + 1}: ${line}`)
    .join('\n');
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]{3,}/gu) ?? [];
}

/** A line that is there counts most, one that shares words with it counts a little. */
function scoreOf(line: string, wanted: ReadonlySet<string>, words: ReadonlySet<string>): number {
  const trimmed = line.trim();
  if (trimmed === '') return 0;
  if (wanted.has(trimmed)) return 1;
  const own = wordsOf(trimmed.slice(0, 500));
  if (own.length === 0) return 0;
  const shared = own.filter((word) => words.has(word)).length / own.length;
  return shared > 0.5 ? shared / 2 : 0;
}
