// The shortest way between two nodes, searched from both ends: in a large tangle that visits a few
// hundred nodes where a search from one end visits all of them. Long chains defeat that, too, so every
// search spends from a budget that its caller shares among many.

/** Nodes are 0 up to `size`. */
export interface Neighbours {
  size: number;
  after(node: number): ArrayLike<number>;
  before(node: number): ArrayLike<number>;
}

/** How many more nodes may be visited. */
export interface Budget {
  left: number;
}

interface Side {
  ring: number[];
  neighbours: (node: number) => ArrayLike<number>;
  /** Which search has visited a node last, and where it came from. Kept from one to the next: clearing costs more. */
  visitedBy: Int32Array;
  cameFrom: Int32Array;
}

function createSide(size: number, neighbours: Side['neighbours']): Side {
  return {
    ring: [],
    neighbours,
    visitedBy: new Int32Array(size),
    cameFrom: new Int32Array(size),
  };
}

function startAt(side: Side, node: number, search: number): void {
  side.ring = [node];
  side.visitedBy[node] = search;
  side.cameFrom[node] = node;
}

/** One step further; the first node that the other side knows already, if there is one. */
function grow(side: Side, other: Side, search: number): number | undefined {
  const { ring, neighbours, visitedBy, cameFrom } = side;
  const next: number[] = [];
  for (const node of ring) {
    const reached = neighbours(node);
    for (let at = 0; at < reached.length; at++) {
      const to = reached[at]!;
      if (visitedBy[to] === search) continue;
      visitedBy[to] = search;
      cameFrom[to] = node;
      if (other.visitedBy[to] === search) return to;
      next.push(to);
    }
  }
  side.ring = next;
  return undefined;
}

function trace({ cameFrom }: Side, meeting: number): number[] {
  const way = [meeting];
  for (let node = meeting; ;) {
    const from = cameFrom[node]!;
    if (from === node) return way;
    way.push(from);
    node = from;
  }
}

export type Way = { kind: 'way'; nodes: number[] } | { kind: 'none' } | { kind: 'gave-up' };

/** All nodes of a way, ends included. The graph may change between two searches. */
export type WaySearch = (from: number, to: number, budget: Budget) => Way;

export function createWaySearch(graph: Neighbours): WaySearch {
  const head = createSide(graph.size, (node) => graph.after(node));
  const tail = createSide(graph.size, (node) => graph.before(node));
  let search = 0;
  return (from, to, budget) => {
    if (from === to) return { kind: 'way', nodes: [from] };
    search += 1;
    startAt(head, from, search);
    startAt(tail, to, search);
    while (head.ring.length > 0 && tail.ring.length > 0) {
      if (budget.left <= 0) return { kind: 'gave-up' };
      const isHead = head.ring.length <= tail.ring.length;
      budget.left -= isHead ? head.ring.length : tail.ring.length;
      const meeting = isHead ? grow(head, tail, search) : grow(tail, head, search);
      if (meeting === undefined) continue;
      const nodes = [...trace(head, meeting).toReversed(), ...trace(tail, meeting).slice(1)];
      return { kind: 'way', nodes };
    }
    return { kind: 'none' };
  };
}
