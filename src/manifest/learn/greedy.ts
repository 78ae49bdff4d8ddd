// A good order of many nodes. The node that waits for least comes next; among equals, the one that
// most others want to come after.
import type { Ordering } from './exact.ts';
import { createHeap } from '../heap.ts';

interface Ready {
  node: number;
  /** Weight of wished edges from nodes not placed yet. */
  waiting: number;
  leading: number;
}

function compareReady(a: Ready, b: Ready): number {
  return a.waiting - b.waiting || b.leading - a.leading || a.node - b.node;
}

export function orderGreedily({ size, fixed, wished }: Ordering): number[] {
  const open = new Int32Array(size);
  const waiting = new Float64Array(size);
  const leading = new Float64Array(size);
  const fixedOut: number[][] = Array.from({ length: size }, () => []);
  const wishedOut: { to: number; weight: number }[][] = Array.from({ length: size }, () => []);
  for (const { from, to } of fixed) {
    open[to]! += 1;
    fixedOut[from]!.push(to);
  }
  for (const { from, to, weight } of wished) {
    waiting[to]! += weight;
    leading[from]! += weight;
    wishedOut[from]!.push({ to, weight });
  }

  const heap = createHeap(compareReady);
  const offer = (node: number) =>
    heap.push({ node, waiting: waiting[node]!, leading: leading[node]! });
  for (let node = 0; node < size; node++) if (open[node] === 0) offer(node);

  const places = Array.from({ length: size }, () => -1);
  let place = 0;
  for (let ready = heap.pop(); ready; ready = heap.pop()) {
    const { node } = ready;
    // Offered again since, with less to wait for; that offer came out first.
    if (places[node]! >= 0) continue;
    places[node] = place++;
    for (const { to, weight } of wishedOut[node]!) {
      waiting[to]! -= weight;
      if (open[to] === 0 && places[to]! < 0) offer(to);
    }
    for (const to of fixedOut[node]!) if (--open[to]! === 0) offer(to);
  }
  return places;
}
