// Lines that stand for text which was left out: `// ... existing code ...`. Written into a file they
// would take the place of what they stand for.
import type { Operation } from '../../contract/artifact.ts';

const LONGEST = 160;
const WORDS =
  /\b(?:existing|rest|unchanged|remaining|remains?|same|omitted|previous|truncated|as before|no changes?|other (?:methods|functions|code|imports))\b/i;
/** Said without dots: how it starts and how it ends. */
const STARTS = /^(?:the |all )?(?:rest|remainder|remaining|existing|previous|other)\b/i;
const ENDS = /\b(?:unchanged|the same|as before|omitted|here)[.!]?$/i;
const ALONE = /^(?:unchanged|no changes? here|same as before|code unchanged)[.!]?$/i;
const isSaid = (text: string): boolean =>
  (STARTS.test(text) && ENDS.test(text)) || ALONE.test(text);

const COMMENTS: readonly (readonly [string, string])[] = [
  ['{/*', '*/}'],
  ['/*', '*/'],
  ['<!--', '-->'],
  ['<%#', '%>'],
  ['//', ''],
  ['#', ''],
  ['--', ''],
  [';', ''],
  ['%', ''],
];
/** A line of dots alone is no line of these. */
const BRACES =
  /\.(?:[cm]?[jt]sx?|json5?|java|go|rs|c|h|cc|cpp|hpp|cs|css|scss|less|php|swift|kt|scala|dart|vue|svelte)$/i;
const DOCUMENTS = /\.(?:md|mdx|markdown|rst|adoc|txt|html?)$/i;
export const DIFFS = /\.(?:diff|patch|rej)$/i;

/** The first such line in what the operation would write. */
export function elisionIn(operation: Operation): string | undefined {
  if (operation.type === 'delete' || DIFFS.test(operation.path)) return undefined;
  if ('content' in operation) return firstElision(operation.content, operation.path);
  for (const { oldText, newText } of operation.edits) {
    const known = new Set(oldText.split('\n').map((line) => line.trim()));
    const found = firstElision(newText, operation.path, known);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstElision(
  text: string,
  path: string,
  known: ReadonlySet<string> = new Set(),
): string | undefined {
  if (!text.includes('..') && !text.includes('…') && !WORDS.test(text)) return undefined;
  const isDocument = DOCUMENTS.test(path);
  let isQuoted = false;
  for (const line of text.split('\n')) {
    const trimmed = line.length > LONGEST * 2 ? '' : line.trim();
    if (isDocument && /^(?:```|~~~)/.test(trimmed)) isQuoted = !isQuoted;
    if (trimmed === '' || isQuoted || trimmed.length > LONGEST || known.has(trimmed)) continue;
    if (isElision(trimmed, path, isDocument)) return trimmed;
  }
  return undefined;
}

function isElision(line: string, path: string, isDocument: boolean): boolean {
  const comment = COMMENTS.find(([open, close]) => line.startsWith(open) && line.endsWith(close));
  const inner = comment
    ? line.slice(comment[0].length, line.length - comment[1].length).trim()
    : line;
  const { text, hasDots, isApart } = withoutDots(inner);
  if (text === '') {
    // Nothing but dots.
    if (!hasDots || isDocument) return false;
    return comment !== undefined || BRACES.test(path);
  }
  if (!/^[A-Za-z][A-Za-z0-9 ,'’/()_-]*[.!]?$/.test(text)) return false;
  const words = text.split(' ').length;
  if (words > 14) return false;
  if (comment === undefined && !hasDots) return /^[[(].*[\])]$/.test(inner) && isSaid(text);
  if (isSaid(text)) return comment !== undefined || hasDots;
  // `...rest` alone is a spread.
  return hasDots && (comment !== undefined || isApart || words > 1) && WORDS.test(text);
}

/** Without the dots and brackets around it. */
function withoutDots(inner: string): { text: string; hasDots: boolean; isApart: boolean } {
  let from = 0;
  let to = inner.length;
  let dots = 0;
  while (from < to && '.…[(< '.includes(inner[from]!)) dots += dotsIn(inner[from++]!);
  const isApart = inner[from - 1] === ' ' || inner[from - 1] === '(' || inner[from - 1] === '[';
  while (to > from && '.…])> '.includes(inner[to - 1]!)) dots += dotsIn(inner[--to]!);
  // Two are not enough, and one ends a sentence.
  return { text: inner.slice(from, to), hasDots: dots >= 3, isApart };
}

function dotsIn(character: string): number {
  return character === '…' ? 3 : character === '.' ? 1 : 0;
}
