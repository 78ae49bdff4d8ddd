// Finds fence lines (``` or ~~~) in a text, in time linear in its length but for one binary search
// for each fence. Models write four megabytes of anything, so nothing here looks ahead line by line:
// the line that closes each fence is worked out once, from the end.

export interface Fences {
  readonly count: number;
  /** Where the fence's line starts in the text. */
  startOf(fence: number): number;
  /** Number of fence characters; the kind of character is `markerOf`. */
  lengthOf(fence: number): number;
  markerOf(fence: number): '`' | '~';
  /** The text after the fence characters, or undefined when the line can only close a fence. */
  infoOf(fence: number): string | undefined;
  isBare(fence: number): boolean;
  /** The fence that closes this one if it opens a block, or -1. */
  closerOf(fence: number): number;
  /** The first fence whose line starts at this offset or after it (`count` when there is none). */
  firstFrom(offset: number): number;
}

const BACKTICK = 96;
const TILDE = 126;

export function findFences(text: string): Fences {
  // Parallel arrays, not objects: a text of nothing but fences has a million of them.
  const starts: number[] = [];
  const runEnds: number[] = [];
  const lengths: number[] = [];
  for (let start = 0; start < text.length; start = endOfLine(text, start) + 1) {
    const run = runStart(text, start);
    const end = run < 0 ? run : runEnd(text, run);
    if (end - run < 3) continue;
    starts.push(start);
    runEnds.push(end);
    // Tildes are kept as negative lengths.
    lengths.push(text.charCodeAt(run) === TILDE ? run - end : end - run);
  }
  const bare = (fence: number): boolean => blankToEnd(text, runEnds[fence] ?? 0);
  const closers = findClosers(lengths, bare);
  return {
    count: starts.length,
    startOf: (fence) => starts[fence] ?? text.length,
    lengthOf: (fence) => Math.abs(lengths[fence] ?? 0),
    markerOf: (fence) => ((lengths[fence] ?? 0) < 0 ? '~' : '`'),
    infoOf: (fence) => {
      const from = runEnds[fence] ?? text.length;
      const info = trimBlanks(text.slice(from, endOfLine(text, from)));
      return (lengths[fence] ?? 0) > 0 && info.includes('`') ? undefined : info;
    },
    isBare: bare,
    closerOf: (fence) => closers[fence] ?? -1,
    firstFrom: (offset) => firstAtLeast(starts, offset),
  };
}

/** Offset of the line break that ends the line holding `from`, or the text's length. */
export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** Without the spaces, tabs and carriage returns around it; by hand, as a regex may backtrack. */
export function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}

function runStart(text: string, lineStart: number): number {
  let at = lineStart;
  while (at < lineStart + 3 && text.charCodeAt(at) === 32) at++;
  const code = text.charCodeAt(at);
  return code === BACKTICK || code === TILDE ? at : -1;
}

function runEnd(text: string, run: number): number {
  const code = text.charCodeAt(run);
  let at = run;
  while (text.charCodeAt(at) === code) at++;
  return at;
}

function blankToEnd(text: string, from: number): boolean {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at >= text.length || text.charCodeAt(at) === 10;
}

/**
 * Walks from the end and keeps, for each kind of fence, the bare lines that can still close something
 * above: a shorter one that comes after a longer one is hidden by it for ever, so each stack gets
 * longer fences towards its bottom and the nearest long enough one is a binary search away.
 */
function findClosers(lengths: readonly number[], isBare: (fence: number) => boolean): number[] {
  const closers = Array.from({ length: lengths.length }, () => -1);
  const stacks = { backtick: [] as number[], tilde: [] as number[] };
  for (let fence = lengths.length - 1; fence >= 0; fence--) {
    const signed = lengths[fence] ?? 0;
    const stack = signed < 0 ? stacks.tilde : stacks.backtick;
    const lengthAt = (index: number): number => Math.abs(lengths[stack[index] ?? 0] ?? 0);
    const length = Math.abs(signed);
    let low = 0;
    let high = stack.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lengthAt(middle) >= length) low = middle + 1;
      else high = middle;
    }
    closers[fence] = stack[low - 1] ?? -1;
    if (!isBare(fence)) continue;
    while (stack.length > 0 && lengthAt(stack.length - 1) <= length) stack.pop();
    stack.push(fence);
  }
  return closers;
}

function firstAtLeast(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
