// Directed graphs over stream numbers, in flat arrays: a manifest may have a hundred thousand
// streams, and planning it must not take longer than reading it.

export interface Edge {
  from: number;
  to: number;
}

export interface Graph {
  size: number;
  /** Targets of node i: `targets[starts[i]]` up to `targets[starts[i + 1]]`. */
  starts: Int32Array;
  targets: Int32Array;
}

export function toGraph(size: number, edges: readonly Edge[]): Graph {
  const starts = new Int32Array(size + 1);
  for (const { from } of edges) starts[from + 1]! += 1;
  for (let i = 0; i < size; i++) starts[i + 1]! += starts[i]!;
  const targets = new Int32Array(edges.length);
  const next = starts.slice(0, size);
  for (const { from, to } of edges) targets[next[from]!++] = to;
  return { size, starts, targets };
}

export interface Waves {
  /** From 1 on; of nodes in or behind a cycle meaningless. */
  waves: Int32Array;
  /** Nodes in an order in which every edge leads forward; shorter than the graph if there is a cycle. */
  order: Int32Array;
}

/** Kahn's algorithm; a node's wave is one more than the highest among those before it. */
export function findWaves(graph: Graph): Waves {
  const { size, starts, targets } = graph;
  const open = new Int32Array(size);
  for (const to of targets) open[to]! += 1;
  const waves = new Int32Array(size).fill(1);
  const order = new Int32Array(size);
  let end = 0;
  for (let node = 0; node < size; node++) if (open[node] === 0) order[end++] = node;
  for (let at = 0; at < end; at++) {
    const node = order[at]!;
    for (let edge = starts[node]!; edge < starts[node + 1]!; edge++) {
      const to = targets[edge]!;
      waves[to] = Math.max(waves[to]!, waves[node]! + 1);
      if (--open[to]! === 0) order[end++] = to;
    }
  }
  return { waves, order: order.subarray(0, end) };
}

/** Tarjan's strongly connected components, without recursion; each is sorted by node. */
export function findComponents(graph: Graph): number[][] {
  const { size, starts, targets } = graph;
  const index = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const isOpen = new Uint8Array(size);
  const nextEdge = starts.slice(0, size);
  const stack: number[] = [];
  const path: number[] = [];
  const components: number[][] = [];
  let count = 0;

  const enter = (node: number) => {
    index[node] = low[node] = count++;
    stack.push(node);
    path.push(node);
    isOpen[node] = 1;
  };
  const leave = (node: number) => {
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!);
    if (low[node] !== index[node]) return;
    const component: number[] = [];
    for (let last = -1; last !== node;) {
      last = stack.pop()!;
      isOpen[last] = 0;
      component.push(last);
    }
    components.push(component.sort((a, b) => a - b));
  };

  for (let start = 0; start < size; start++) {
    if (index[start] !== -1) continue;
    enter(start);
    while (path.length > 0) {
      const node = path.at(-1)!;
      if (nextEdge[node] === starts[node + 1]) {
        leave(node);
        continue;
      }
      const to = targets[nextEdge[node]!++]!;
      if (index[to] === -1) enter(to);
      else if (isOpen[to]) low[node] = Math.min(low[node]!, index[to]!);
    }
  }
  return components;
}

/** Components that are cycles: several nodes, or one that leads to itself. */
export function findCycles(graph: Graph): number[][] {
  return findComponents(graph)
    .filter((component) => component.length > 1 || leadsTo(graph, component[0]!, component[0]!))
    .sort((a, b) => a[0]! - b[0]!);
}

function leadsTo({ starts, targets }: Graph, from: number, to: number): boolean {
  for (let edge = starts[from]!; edge < starts[from + 1]!; edge++)
    if (targets[edge] === to) return true;
  return false;
}

/** The shortest way around through the smallest node of a cycle's component. */
export function shortestCycle(graph: Graph, component: readonly number[]): number[] {
  const inside = new Set(component);
  const start = component[0]!;
  const cameFrom = new Map<number, number>();
  let ring = [start];
  while (ring.length > 0) {
    const next: number[] = [];
    for (const node of ring) {
      for (let edge = graph.starts[node]!; edge < graph.starts[node + 1]!; edge++) {
        const to = graph.targets[edge]!;
        if (to === start) return trace(cameFrom, start, node);
        if (!inside.has(to) || cameFrom.has(to)) continue;
        cameFrom.set(to, node);
        next.push(to);
      }
    }
    ring = next;
  }
  return [...component];
}

function trace(cameFrom: ReadonlyMap<number, number>, start: number, last: number): number[] {
  const way = [last];
  while (way[0] !== start) way.unshift(cameFrom.get(way[0]!)!);
  return way;
}
