// Who waits for whom, kept free of circles while deps are added one by one.

export interface Order {
  /** Whether one waits for the other, directly or not. */
  waits(node: number, dep: number): boolean;
  /** False, and nothing is added, when that would close a circle. */
  add(node: number, dep: number): boolean;
}

/**
 * Keeps the whole closure: a row is written at most once for each of its places, so even a proposal in which
 * all wait for all is settled in the time of a few million steps.
 */
export function createOrder(size: number): Order {
  const rows = Array.from({ length: size }, () => new Uint8Array(size));
  const waits = (node: number, dep: number) => rows[node]![dep] === 1;
  return {
    waits,
    add(node, dep) {
      if (node === dep || waits(dep, node)) return false;
      if (waits(node, dep)) return true;
      const gained = rows[dep]!;
      for (let each = 0; each < size; each++) {
        if ((each !== node && !waits(each, node)) || waits(each, dep)) continue;
        const row = rows[each]!;
        for (let to = 0; to < size; to++) if (gained[to] === 1) row[to] = 1;
        row[dep] = 1;
      }
      return true;
    },
  };
}
