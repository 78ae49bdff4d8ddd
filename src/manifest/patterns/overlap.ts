// Whether two patterns can name the same file: a walk through both at once, where `**` may stand for
// any number of segments. Each pair of places is looked at once, so it is never more work than the
// product of their lengths.
import { segmentsOf } from './pattern.ts';
import type { Pattern } from './pattern.ts';
import type { Segment } from './segment.ts';
import { segmentsOverlap } from './segment.ts';

const GLOBSTAR: Segment = { kind: 'globstar' };

/** The forms a pattern can take: a tree is everything below, `either` also the name itself. */
function formsOf(pattern: Pattern): Segment[][] {
  const segments = segmentsOf(pattern);
  switch (pattern.kind) {
    case 'file':
    case 'glob':
      return [segments];
    case 'tree':
      return [[...segments, GLOBSTAR]];
    case 'either':
      return [segments, [...segments, GLOBSTAR]];
  }
}

function formsOverlap(a: readonly Segment[], b: readonly Segment[]): boolean {
  const width = b.length + 1;
  const known = new Int8Array((a.length + 1) * width);

  function meet(i: number, j: number): boolean {
    const at = i * width + j;
    if (known[at] !== 0) return known[at] === 1;
    // Marked before the look, in case it comes back here: then this way adds nothing.
    known[at] = -1;
    const found = look(i, j);
    known[at] = found ? 1 : -1;
    return found;
  }

  function look(i: number, j: number): boolean {
    const x = a[i];
    const y = b[j];
    if (x === undefined || y === undefined) return x === undefined && y === undefined;
    if (x.kind === 'globstar' && y.kind === 'globstar') {
      // The last one takes all that is left, and something is left.
      if (i === a.length - 1 || j === b.length - 1) return true;
      return meet(i + 1, j) || meet(i, j + 1);
    }
    if (x.kind === 'globstar') return i === a.length - 1 || meet(i + 1, j) || meet(i, j + 1);
    if (y.kind === 'globstar') return j === b.length - 1 || meet(i, j + 1) || meet(i + 1, j);
    return segmentsOverlap(x, y) && meet(i + 1, j + 1);
  }

  return meet(0, 0);
}

/** Two plain paths: the same, or one inside the other when that one is a folder. */
function pathsOverlap(a: Pattern, b: Pattern): boolean {
  const [short, long] = a.parts.length <= b.parts.length ? [a, b] : [b, a];
  for (let i = 0; i < short.parts.length; i++) {
    if (short.parts[i] !== long.parts[i]) return false;
  }
  if (short.parts.length < long.parts.length) return short.kind !== 'file';
  // The same name twice: only a file and a folder of that name have nothing in common.
  return (short.kind === 'file') === (long.kind === 'file') || bothCanBe(short, long);
}

function bothCanBe(a: Pattern, b: Pattern): boolean {
  return a.kind === 'either' || b.kind === 'either';
}

/** Decided without a walk: neither ends in a free number of segments, and their names differ. */
function endsDiffer(a: Pattern, b: Pattern): boolean {
  if (a.kind === 'tree' || a.kind === 'either' || b.kind === 'tree' || b.kind === 'either') {
    return false;
  }
  const x = segmentsOf(a).at(-1)!;
  const y = segmentsOf(b).at(-1)!;
  return x.kind !== 'globstar' && y.kind !== 'globstar' && !segmentsOverlap(x, y);
}

export function patternsOverlap(a: Pattern, b: Pattern): boolean {
  if (a.kind !== 'glob' && b.kind !== 'glob') return pathsOverlap(a, b);
  if (endsDiffer(a, b)) return false;
  return formsOf(a).some((x) => formsOf(b).some((y) => formsOverlap(x, y)));
}
