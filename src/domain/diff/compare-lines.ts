// Which lines of two texts differ: the shortest way from one to the other by Myers' method, searched
// from both ends so that it needs little memory. Texts that have almost nothing in common are not
// searched to the end; the answer is then longer than it could be, never wrong.

export interface ComparedLines {
  /** One entry a line: 1 where it is only in this text. */
  removed: Uint8Array;
  added: Uint8Array;
}

/** How many changes the search for one meeting point may try; its cost is the square of it. */
const MOST_TRIED = 1024;

export function compareLines(before: readonly string[], after: readonly string[]): ComparedLines {
  const removed = new Uint8Array(before.length);
  const added = new Uint8Array(after.length);
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;

  // Lines that the other text does not have need no search.
  const ids = new Map<string, number>();
  const inAfter = new Set(after.slice(start, after.length - end));
  const inBefore = new Set(before.slice(start, before.length - end));
  const a = keep(before, { start, end, ids, other: inAfter, marks: removed });
  const b = keep(after, { start, end, ids, other: inBefore, marks: added });
  const search = createSearch(a.lines, b.lines);
  const open: Box[] = [{ a0: 0, a1: a.lines.length, b0: 0, b1: b.lines.length }];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    let { a0, a1, b0, b1 } = box;
    while (a0 < a1 && b0 < b1 && a.lines[a0] === b.lines[b0]) {
      a0 += 1;
      b0 += 1;
    }
    while (a0 < a1 && b0 < b1 && a.lines[a1 - 1] === b.lines[b1 - 1]) {
      a1 -= 1;
      b1 -= 1;
    }
    if (a0 === a1 || b0 === b1) {
      for (let i = a0; i < a1; i++) removed[a.places[i]!] = 1;
      for (let i = b0; i < b1; i++) added[b.places[i]!] = 1;
      continue;
    }
    const [x, y] = search({ a0, a1, b0, b1 });
    open.push({ a0, a1: x, b0, b1: y }, { a0: x, a1, b0: y, b1 });
  }
  return { removed, added };
}

function keep(
  lines: readonly string[],
  options: {
    start: number;
    end: number;
    ids: Map<string, number>;
    other: ReadonlySet<string>;
    marks: Uint8Array;
  },
): { lines: Int32Array; places: Int32Array } {
  const { start, end, ids, other, marks } = options;
  const kept: number[] = [];
  const places: number[] = [];
  for (let i = start; i < lines.length - end; i++) {
    const line = lines[i]!;
    if (!other.has(line)) {
      marks[i] = 1;
      continue;
    }
    let id = ids.get(line);
    if (id === undefined) ids.set(line, (id = ids.size));
    kept.push(id);
    places.push(i);
  }
  return { lines: Int32Array.from(kept), places: Int32Array.from(places) };
}

interface Box {
  a0: number;
  a1: number;
  b0: number;
  b1: number;
}

/**
 * Finds a point inside a box whose corners differ that lies on a short way through it. `forward[k]`
 * is how far in `a` one gets on the diagonal x - y = k from the start, `backward[k]` from the end.
 */
function createSearch(a: Int32Array, b: Int32Array) {
  const zero = b.length + 1;
  const forward = new Int32Array(a.length + b.length + 3);
  const backward = new Int32Array(a.length + b.length + 3);

  return ({ a0, a1, b0, b1 }: Box): [number, number] => {
    const lowest = a0 - b1;
    const highest = a1 - b0;
    const fromStart = a0 - b0;
    const fromEnd = a1 - b1;
    const isOdd = ((fromStart - fromEnd) & 1) !== 0;
    forward[zero + fromStart] = a0;
    backward[zero + fromEnd] = a1;
    let fLow = fromStart;
    let fHigh = fromStart;
    let bLow = fromEnd;
    let bHigh = fromEnd;
    for (let tried = 1; ; tried++) {
      // Diagonals outside of the box are left out; the ones beside the range read as out of reach.
      if (fLow > lowest) forward[zero + --fLow - 1] = -1;
      else fLow += 1;
      if (fHigh < highest) forward[zero + ++fHigh + 1] = -1;
      else fHigh -= 1;
      for (let k = fHigh; k >= fLow; k -= 2) {
        const below = forward[zero + k - 1]!;
        const above = forward[zero + k + 1]!;
        let x = below >= above ? below + 1 : above;
        let y = x - k;
        while (x < a1 && y < b1 && a[x] === b[y]) {
          x += 1;
          y += 1;
        }
        forward[zero + k] = x;
        if (isOdd && k >= bLow && k <= bHigh && backward[zero + k]! <= x) return [x, y];
      }
      if (bLow > lowest) backward[zero + --bLow - 1] = OUT_OF_REACH;
      else bLow += 1;
      if (bHigh < highest) backward[zero + ++bHigh + 1] = OUT_OF_REACH;
      else bHigh -= 1;
      for (let k = bHigh; k >= bLow; k -= 2) {
        const below = backward[zero + k - 1]!;
        const above = backward[zero + k + 1]!;
        let x = below < above ? below : above - 1;
        let y = x - k;
        while (x > a0 && y > b0 && a[x - 1] === b[y - 1]) {
          x -= 1;
          y -= 1;
        }
        backward[zero + k] = x;
        if (!isOdd && k >= fLow && k <= fHigh && x <= forward[zero + k]!) return [x, y];
      }
      if (tried < MOST_TRIED) continue;
      // The point that got farthest.
      let best: [number, number] = [a0, b0];
      for (let k = fHigh; k >= fLow; k -= 2) {
        const x = Math.min(forward[zero + k]!, a1, b1 + k);
        if (2 * x - k > best[0] + best[1]) best = [x, x - k];
      }
      return best;
    }
  };
}

const OUT_OF_REACH = 0x7fffffff;
