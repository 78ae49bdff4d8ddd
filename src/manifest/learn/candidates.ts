// Edges that reading asks for: whoever owns what a stream reads should come before it.
import type { StreamGraph, StreamShape } from '../stream-graph.ts';
import { createOwnerIndex } from './owner-index.ts';

export interface Candidate {
  /** The owner, and the stream that reads. */
  from: number;
  to: number;
  /** The entries of `reads` that it serves; the more, the worse to do without. */
  reads: string[];
}

export interface BroadRead {
  stream: string;
  read: string;
  owners: number;
}

export interface Candidates {
  /** By reader, then by owner. */
  candidates: Candidate[];
  broadReads: BroadRead[];
}

function isIn(sorted: readonly number[], wanted: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function findCandidates(
  streams: ReadonlyMap<string, StreamShape>,
  graph: StreamGraph,
  broadReadLimit: number,
): Candidates {
  const { ids, indexOf } = graph;
  const index = createOwnerIndex();
  ids.forEach((id, node) => {
    for (const entry of streams.get(id)!.owns ?? []) index.insert(entry, node);
  });

  const candidates: Candidate[] = [];
  const broadReads: BroadRead[] = [];
  ids.forEach((id, node) => {
    const { reads, deps } = streams.get(id)!;
    if (reads === undefined || reads.length === 0) return;
    const known = new Set<number | undefined>(deps?.map((dep) => indexOf.get(dep)));
    known.add(node);
    const byOwner = new Map<number, Candidate>();
    // In the order of their texts: how a stream lists what it reads must change nothing.
    for (const read of [...new Set(reads)].sort(byText)) {
      const owners = index.ownersOf(read);
      const others = owners.length - (isIn(owners, node) ? 1 : 0);
      if (others > broadReadLimit) {
        broadReads.push({ stream: id, read, owners: others });
        continue;
      }
      for (const owner of owners) {
        if (known.has(owner)) continue;
        const candidate = byOwner.get(owner);
        if (candidate) candidate.reads.push(read);
        else byOwner.set(owner, { from: owner, to: node, reads: [read] });
      }
    }
    const found = [...byOwner.values()].sort((a, b) => a.from - b.from);
    for (const candidate of found) candidates.push(candidate);
  });
  return { candidates, broadReads };
}
