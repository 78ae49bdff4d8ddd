// The part of a log of a forge's pipeline that says what failed.
import { headAndTailOf, stripTerminal, tailOf } from '../prompt/prompt-text.ts';

/** Of a log with much before what failed. */
const MOST_LINES = 200;
const TIME = /^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?: \d\d[OE]\+?)? ?/;
const SECTION = /^section_(?:start|end):\d+:/;
const FAILED = /^##\[error\]|^ERROR: Job failed/;
const STEP = /^##\[group\]/;
const MARK = /^##\[(?:group|command|error|warning|debug)\]/;

const isMark = (line: string) => SECTION.test(line) || line === '##[endgroup]';

/** What follows a failure is cleaning up, and what came before its step has passed. */
export function failingPart(log: string, longest: number): string {
  const lines = stripTerminal(log)
    .split('\n')
    .map((line) => line.replace(TIME, ''))
    .filter((line) => !isMark(line));
  const failed = lines.findLastIndex((line) => FAILED.test(line));
  const until = failed === -1 ? lines.length : failed + 1;
  const step = lines.slice(0, until).findLastIndex((line) => STEP.test(line));
  const from = Math.max(0, step, until - MOST_LINES);
  const part = lines
    .slice(from, until)
    .map((line) => line.replace(MARK, ''))
    .join('\n')
    .trim();
  const short = headAndTailOf(part, longest);
  return short.length <= longest * 1.1 ? short : tailOf(short, longest);
}
