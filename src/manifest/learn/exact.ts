// The best order of a few nodes: over all subsets, what it costs at least to place exactly those
// first. Twelve nodes are 4,096 subsets; one more would double time and memory.

export const EXACT_LIMIT = 12;

export interface WeightedEdge {
  from: number;
  to: number;
  weight: number;
}

export interface Ordering {
  size: number;
  /** Must lead forward; they close no cycle. */
  fixed: readonly { from: number; to: number }[];
  /** Should lead forward. */
  wished: readonly WeightedEdge[];
}

/** The place of every node, so that the wished edges that lead back weigh as little as possible. */
export function orderExactly({ size, fixed, wished }: Ordering): number[] {
  const full = (1 << size) - 1;
  const before = new Int32Array(size);
  for (const { from, to } of fixed) before[to]! |= 1 << from;
  const weights = new Float64Array(size * size);
  for (const { from, to, weight } of wished) weights[from * size + to]! += weight;

  // What leads back from a node into a subset, built up one node of the subset at a time.
  const back = Array.from({ length: size }, (_, node) => {
    const sums = new Float64Array(full + 1);
    for (let set = 1; set <= full; set++) {
      const lowest = 31 - Math.clz32(set & -set);
      sums[set] = sums[set & (set - 1)]! + weights[node * size + lowest]!;
    }
    return sums;
  });

  const cost = new Float64Array(full + 1).fill(Number.POSITIVE_INFINITY);
  const last = new Int8Array(full + 1);
  cost[0] = 0;
  for (let set = 0; set < full; set++) {
    if (cost[set] === Number.POSITIVE_INFINITY) continue;
    for (let node = 0; node < size; node++) {
      if (set & (1 << node) || (before[node]! & set) !== before[node]) continue;
      const total = cost[set]! + back[node]![set]!;
      const grown = set | (1 << node);
      if (total >= cost[grown]!) continue;
      cost[grown] = total;
      last[grown] = node;
    }
  }

  const places = Array.from({ length: size }, () => 0);
  for (let set = full, place = size - 1; set > 0; place--) {
    const node = last[set]!;
    places[node] = place;
    set ^= 1 << node;
  }
  return places;
}
