// The shortest way between two nodes, searched from both ends: in a large tangle that visits a few
// hundred nodes where a search from one end visits all of them. Long chains defeat that, too, so every
// search spends from a budget that its caller shares among many.

export interface Neighbours {
  after(node: number): readonly number[];
  before(node: number): readonly number[];
}

/** How many more nodes may be visited. */
export interface Budget {
  left: number;
}

interface Side {
  ring: number[];
  /** Where each visited node was reached from. */
  cameFrom: Map<number, number>;
  neighbours: (node: number) => readonly number[];
}

function startSide(node: number, neighbours: Side['neighbours']): Side {
  return { ring: [node], cameFrom: new Map([[node, node]]), neighbours };
}

/** One step further; the first node that the other side knows already, if there is one. */
function grow(side: Side, other: Side): number | undefined {
  const next: number[] = [];
  for (const node of side.ring) {
    for (const to of side.neighbours(node)) {
      if (side.cameFrom.has(to)) continue;
      side.cameFrom.set(to, node);
      if (other.cameFrom.has(to)) return to;
      next.push(to);
    }
  }
  side.ring = next;
  return undefined;
}

function trace(side: Side, meeting: number): number[] {
  const way = [meeting];
  for (let node = meeting; ;) {
    const from = side.cameFrom.get(node)!;
    if (from === node) return way;
    way.push(from);
    node = from;
  }
}

export type Way = { kind: 'way'; nodes: number[] } | { kind: 'none' } | { kind: 'gave-up' };

/** All nodes of the way, ends included. */
export function shortestWay(graph: Neighbours, ends: [number, number], budget: Budget): Way {
  const [from, to] = ends;
  if (from === to) return { kind: 'way', nodes: [from] };
  const head = startSide(from, (node) => graph.after(node));
  const tail = startSide(to, (node) => graph.before(node));
  while (head.ring.length > 0 && tail.ring.length > 0) {
    if (budget.left <= 0) return { kind: 'gave-up' };
    const isHead = head.ring.length <= tail.ring.length;
    budget.left -= isHead ? head.ring.length : tail.ring.length;
    const meeting = isHead ? grow(head, tail) : grow(tail, head);
    if (meeting === undefined) continue;
    const nodes = [...trace(head, meeting).toReversed(), ...trace(tail, meeting).slice(1)];
    return { kind: 'way', nodes };
  }
  return { kind: 'none' };
}
