// Edges that reading asks for: the owner of what a stream reads should come before it.
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
  // Marked with the number of the reader, so that nothing has to be made or emptied for each of them: whom it waits
  // for already, and whom it has an edge from by now, with its place.
  const knownTo = new Int32Array(ids.length).fill(-1);
  const foundBy = new Int32Array(ids.length).fill(-1);
  const places = new Int32Array(ids.length);
  ids.forEach((id, node) => {
    const { reads, deps } = streams.get(id)!;
    if (reads === undefined || reads.length === 0) return;
    for (const dep of deps ?? []) {
      const before = indexOf.get(dep);
      if (before !== undefined) knownTo[before] = node;
    }
    knownTo[node] = node;
    const found: Candidate[] = [];
    // In the order of their texts: how a stream lists what it reads must change nothing.
    for (const read of reads.length > 1 ? [...new Set(reads)].sort(byText) : reads) {
      const owners = index.ownersOf(read);
      const others = owners.length - (isIn(owners, node) ? 1 : 0);
      if (others > broadReadLimit) {
        broadReads.push({ stream: id, read, owners: others });
        continue;
      }
      for (const owner of owners) {
        if (knownTo[owner] === node) continue;
        if (foundBy[owner] === node) found[places[owner]!]!.reads.push(read);
        else {
          foundBy[owner] = node;
          places[owner] = found.length;
          found.push({ from: owner, to: node, reads: [read] });
        }
      }
    }
    if (found.length > 1) found.sort((a, b) => a.from - b.from);
    for (const candidate of found) candidates.push(candidate);
  });
  return { candidates, broadReads };
}
