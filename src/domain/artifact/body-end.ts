// Where the text of a file ends that holds fences itself. Models fence it with as few backticks as the
// code in it, so the first line that could close it often is not the one. The end is taken when one
// reading alone leaves nothing over.
import { endOfLine, trimBlanks, type Fences } from './fences.ts';
import { readMarked } from './body-text.ts';
import { isPlainHeader } from './header-line.ts';
import { readMarker } from './search-replace.ts';
import { NO_NEWLINE } from './unified-diff.ts';

const MOST_FENCES = 400;

export interface BodyPosition {
  text: string;
  fences: Fences;
  /** The fence around the block, or -1. */
  block: number;
  /** The fence that opens the text. */
  body: number;
  /** The file may well hold fences itself. */
  isDocument: boolean;
  /** A fence that begins another block. */
  isLabel(fence: number): boolean;
}

/** The fence that closes it; undefined when there is none, null when it is unclear. */
export function findBodyEnd(position: BodyPosition): number | undefined | null {
  const { fences, body, block } = position;
  const first = fences.closerOf(body);
  if (first < 0) return undefined;
  const isNested = countable(position, body + 1, first).some((fence) => !fences.isBare(fence));
  if (!isNested && (isFollowed(position, first) || isChange(position, first))) return first;
  // Without a block around it anything may follow, and code has no such lines in it.
  if (!isNested && block < 0 && !position.isDocument) return first;
  const isOutside = block >= 0 && fences.lengthOf(block) > fences.lengthOf(body);
  const inside: number[] = countable(position, body + 1, first);
  let pairs: Pairs = inside.reduce<Pairs>(
    (state, fence) => nextPairs(position, state, fence),
    'closed',
  );
  const found: { fence: number; isSure: boolean }[] = [];
  for (let fence = first; fence < fences.count && inside.length < MOST_FENCES; fence++) {
    if (!isCountable(position, fence)) continue;
    if (position.isLabel(fence)) break;
    if (isOutside && closesBlock(position, fence)) break;
    const isHeaded = fences.isBare(fence) && headerFollows(position, fence);
    if (fences.isBare(fence) && pairs === 'closed') {
      found.push({ fence, isSure: isFollowed(position, fence) });
      if (block < 0 && found.length > 1) return null;
    }
    inside.push(fence);
    pairs = nextPairs(position, pairs, fence);
    if (pairs === 'broken') break;
    if (isHeaded) break;
  }
  if (block < 0) return found.length === 1 ? found[0]!.fence : null;
  const sure = found.filter(({ isSure }) => isSure);
  if (sure.length === 1) return sure[0]!.fence;
  if (sure.length > 1) return null;
  const last = inside.at(-1);
  const only = found.length === 1 ? found[0]!.fence : undefined;
  // What comes after it is a remark, if no fence is left over.
  if (only !== undefined && (only === last || !isOutside) && !isNested) return only;
  return null;
}

/** Complete in itself, whatever comes after it. */
function isChange({ text, fences, body }: BodyPosition, closer: number): boolean {
  const from = endOfLine(text, fences.startOf(body)) + 1;
  const start = nextFilled(text, from);
  if (readMarker(text.slice(start, Math.min(endOfLine(text, start), start + 1100))) === undefined) {
    return false;
  }
  return readMarked(text.slice(from, fences.startOf(closer))).kind === 'edits';
}

function isCountable({ fences, body }: BodyPosition, fence: number): boolean {
  return (
    fences.markerOf(fence) === fences.markerOf(body) &&
    fences.lengthOf(fence) >= fences.lengthOf(body) &&
    fences.infoOf(fence) !== undefined
  );
}

function countable(position: BodyPosition, from: number, to: number): number[] {
  const list: number[] = [];
  for (let fence = from; fence < to && list.length < MOST_FENCES; fence++) {
    if (isCountable(position, fence)) list.push(fence);
  }
  return list;
}

/** Whether each fence that opens is closed again. */
type Pairs = 'closed' | 'open' | 'broken';

function nextPairs({ fences }: BodyPosition, pairs: Pairs, fence: number): Pairs {
  if (pairs === 'closed') return 'open';
  return pairs === 'open' && fences.isBare(fence) ? 'closed' : 'broken';
}

export function closesBlock({ fences, block }: BodyPosition, fence: number): boolean {
  return (
    block >= 0 &&
    fences.isBare(fence) &&
    fences.markerOf(fence) === fences.markerOf(block) &&
    fences.lengthOf(fence) >= fences.lengthOf(block)
  );
}

/** What follows is what comes after a file: another one, or the end of the block. */
function isFollowed(position: BodyPosition, fence: number): boolean {
  const { text, fences } = position;
  const start = nextFilled(text, endOfLine(text, fences.startOf(fence)) + 1);
  if (start >= text.length) return true;
  const next = fences.firstFrom(start);
  if (next < fences.count && fences.startOf(next) === start) {
    return closesBlock(position, next) || position.isLabel(next);
  }
  return headerFollows(position, fence);
}

function headerFollows({ text, fences }: BodyPosition, fence: number): boolean {
  const start = nextFilled(text, endOfLine(text, fences.startOf(fence)) + 1);
  const line = trimBlanks(text.slice(start, Math.min(endOfLine(text, start), start + 2000)));
  return (
    line === NO_NEWLINE || isPlainHeader(line.replace(/^(?:#{1,6}|[-*]) /, '').replaceAll('**', ''))
  );
}

/** Where the next line starts that is not empty. */
export function nextFilled(text: string, from: number): number {
  let start = from;
  while (start < text.length) {
    const end = endOfLine(text, start);
    if (trimBlanks(text.slice(start, Math.min(end, start + 200))) !== '') return start;
    start = end + 1;
  }
  return text.length;
}
