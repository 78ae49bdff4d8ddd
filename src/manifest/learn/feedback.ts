// Which wished edges of a tangle to give up so that no cycle is left: the lightest set for a small
// tangle, a light one for a large one. In both nothing is given up that could have stayed, save in a
// tangle of many thousands, where looking at every edge again would take minutes.
import { EXACT_LIMIT, orderExactly } from './exact.ts';
import type { Ordering } from './exact.ts';
import { orderGreedily } from './greedy.ts';
import { createWaySearch } from './shortest-way.ts';

/** Nodes visited to find out what can stay after all: well below a second. */
const RESTORE_BUDGET = 1_000_000;

/** Places in `wished` of the edges to give up. */
export function findFeedback(tangle: Ordering): Set<number> {
  // Had one of the lightest set been free to stay, the set without it would have been lighter.
  if (tangle.size <= EXACT_LIMIT) return new Set(leadingBack(tangle, orderExactly(tangle)));
  return restoreSafe(tangle, leadingBack(tangle, orderGreedily(tangle)));
}

function leadingBack({ wished }: Ordering, places: readonly number[]): number[] {
  return wished.flatMap(({ from, to }, at) => (places[from]! > places[to]! ? [at] : []));
}

/** Heaviest first, puts back every edge that closes no cycle by now; returns the others. */
function restoreSafe({ size, fixed, wished }: Ordering, out: readonly number[]): Set<number> {
  const after: number[][] = Array.from({ length: size }, () => []);
  const before: number[][] = Array.from({ length: size }, () => []);
  const join = ({ from, to }: { from: number; to: number }) => {
    after[from]!.push(to);
    before[to]!.push(from);
  };
  const isOut = new Set(out);
  fixed.forEach(join);
  wished.forEach((edge, at) => {
    if (!isOut.has(at)) join(edge);
  });
  const search = createWaySearch({
    size,
    after: (node) => after[node]!,
    before: (node) => before[node]!,
  });
  const heaviestFirst = out.toSorted((a, b) => wished[b]!.weight - wished[a]!.weight || a - b);
  const budget = { left: RESTORE_BUDGET };
  for (const at of heaviestFirst) {
    const edge = wished[at]!;
    if (search(edge.to, edge.from, budget).kind !== 'none') continue;
    join(edge);
    isOut.delete(at);
  }
  return isOut;
}
