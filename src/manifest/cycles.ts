// The shortest circle of a group of streams that wait for each other: the one worth showing.
import { shortestCycle } from './graph.ts';
import type { Graph } from './graph.ts';

/** Groups with more edges than this show the shortest circle through their first stream. */
const MAX_EDGES = 2_000;

/** Edges looked at for all groups together; after that the same applies. */
export interface CycleBudget {
  edges: number;
}

export const createCycleBudget = (): CycleBudget => ({ edges: 1_500_000 });

function edgesInside(
  { starts, targets }: Graph,
  component: readonly number[],
): Map<number, number[]> {
  const inside = new Set(component);
  const edges = new Map<number, number[]>();
  for (const node of component) {
    const next = [...targets.subarray(starts[node], starts[node + 1])];
    edges.set(
      node,
      next.filter((to) => inside.has(to)),
    );
  }
  return edges;
}

/** Back to `start` in fewer than `limit` steps; undefined if there is no such way. */
function cycleThrough(
  start: number,
  edges: ReadonlyMap<number, readonly number[]>,
  options: { limit: number; budget: CycleBudget },
): number[] | undefined {
  const cameFrom = new Map<number, number>();
  let ring = [start];
  for (let length = 1; ring.length > 0 && length < options.limit; length++) {
    const next: number[] = [];
    for (const node of ring) {
      const targets = edges.get(node)!;
      options.budget.edges -= targets.length;
      for (const to of targets) {
        if (to === start) return trace(cameFrom, start, node);
        if (cameFrom.has(to)) continue;
        cameFrom.set(to, node);
        next.push(to);
      }
    }
    ring = next;
  }
  return undefined;
}

function trace(cameFrom: ReadonlyMap<number, number>, start: number, last: number): number[] {
  const way = [last];
  for (let node = last; node !== start;) {
    node = cameFrom.get(node)!;
    way.push(node);
  }
  return way.toReversed();
}

/** Begins with its smallest node. */
export function shortestWitness(
  graph: Graph,
  component: readonly number[],
  budget: CycleBudget,
): number[] {
  const count = component.reduce(
    (sum, node) => sum + graph.starts[node + 1]! - graph.starts[node]!,
    0,
  );
  let best: number[] | undefined;
  if (count <= MAX_EDGES) {
    const edges = edgesInside(graph, component);
    const isRing = [...edges.values()].every(({ length }) => length === 1);
    // All starts of a ring lead around the same circle.
    for (const start of isRing ? component.slice(0, 1) : component) {
      if (budget.edges <= 0) break;
      // No circle is shorter than two; streams that wait for themselves are reported separately.
      if (best?.length === 2) break;
      const limit = best === undefined ? component.length + 1 : best.length;
      best = cycleThrough(start, edges, { limit, budget }) ?? best;
    }
  }
  best ??= shortestCycle(graph, component);
  const first = best.indexOf(best.reduce((a, b) => Math.min(a, b)));
  return [...best.slice(first), ...best.slice(0, first)];
}
