// How much work waits behind each stream: the weight of the longest chain that begins with it.
// Starting those first keeps the whole run short.
import { findWaves, toGraph } from '../../manifest/graph.ts';
import type { Edge } from '../../manifest/graph.ts';

export function pathLengths(
  streams: readonly {
    id: string;
    deps: readonly string[];
    after: readonly string[];
    weight: number;
  }[],
): Map<string, number> {
  const indexOf = new Map(streams.map(({ id }, index) => [id, index]));
  const edges: Edge[] = [];
  streams.forEach(({ deps, after }, to) => {
    for (const id of [...deps, ...after]) {
      const from = indexOf.get(id);
      if (from !== undefined) edges.push({ from, to });
    }
  });
  const graph = toGraph(streams.length, edges);
  const { order } = findWaves(graph);
  const lengths = Float64Array.from(streams, ({ weight }) => weight);
  for (let at = order.length - 1; at >= 0; at--) {
    const node = order[at]!;
    let longest = 0;
    for (let edge = graph.starts[node]!; edge < graph.starts[node + 1]!; edge++) {
      longest = Math.max(longest, lengths[graph.targets[edge]!]!);
    }
    lengths[node]! += longest;
  }
  return new Map(streams.map(({ id }, index) => [id, lengths[index]!]));
}
