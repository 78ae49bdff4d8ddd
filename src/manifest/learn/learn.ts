// Dependencies that follow from who reads what whom owns. Cycles among them are broken where it
// costs least; cycles that the manifest's own deps make are its author's to break.
import { findComponents, findCycles, toGraph } from '../graph.ts';
import type { Edge, Graph } from '../graph.ts';
import { readStreamGraph } from '../stream-graph.ts';
import type { StreamShape } from '../stream-graph.ts';
import { findCandidates } from './candidates.ts';
import type { BroadRead, Candidate } from './candidates.ts';
import { findFeedback } from './feedback.ts';
import { createWaySearch } from './shortest-way.ts';

/** A read that more streams than this serve says nothing about order; it is context. */
export const BROAD_READ_LIMIT = 256;

/** Nodes visited to show the cycles of what was dropped: well below a second. */
const WAYS_BUDGET = 1_000_000;

export interface LearnedDep {
  stream: string;
  dep: string;
  /** What the stream reads that the other one owns. */
  reads: string[];
}

export interface DroppedDep extends LearnedDep {
  /** `explicit-cycle`: the deps of the manifest put the two in a cycle already. */
  reason: 'ownership-cycle' | 'explicit-cycle';
  /**
   * Who waits for whom, from `stream` on to `dep`: the dropped one would have closed it. Only the
   * two of them where thousands of streams are entangled and the way was not searched for.
   */
  cycle: string[];
}

export interface LearnResult {
  added: LearnedDep[];
  dropped: DroppedDep[];
  /** Streams that explicit deps put in a cycle with each other, in the order of the manifest. */
  cycles: string[][];
  broadReads: BroadRead[];
}

/** The component of each node, numbered by first node, so that lower means earlier. */
function numberComponents(graph: Graph): { of: Int32Array; count: number } {
  const components = findComponents(graph).sort((a, b) => a[0]! - b[0]!);
  const of = new Int32Array(graph.size);
  components.forEach((component, number) => {
    for (const node of component) of[node] = number;
  });
  return { of, count: components.length };
}

interface Tangle {
  numbers: Map<number, number>;
  fixed: Edge[];
  wished: Candidate[];
}

/** Candidates to give up, each in a tangle of explicit deps (contracted) and candidates. */
function findDropped(
  deps: readonly Edge[],
  candidates: readonly Candidate[],
  size: number,
): { dropped: Map<Candidate, DroppedDep['reason']>; tangleOf: Int32Array } {
  const explicit = numberComponents(toGraph(size, deps));
  const dropped = new Map<Candidate, DroppedDep['reason']>();
  const contract = ({ from, to }: Edge): Edge => ({
    from: explicit.of[from]!,
    to: explicit.of[to]!,
  });
  const fixed = deps.map(contract).filter(({ from, to }) => from !== to);
  const open = candidates.filter((candidate) => {
    const isInside = explicit.of[candidate.from] === explicit.of[candidate.to];
    if (isInside) dropped.set(candidate, 'explicit-cycle');
    return !isInside;
  });
  const wished = open.map(contract);
  const { of } = numberComponents(toGraph(explicit.count, [...fixed, ...wished]));

  const tangles = new Map<number, Tangle>();
  wished.forEach(({ from, to }, at) => {
    if (of[from] !== of[to]) return;
    let tangle = tangles.get(of[from]!);
    if (!tangle) tangles.set(of[from]!, (tangle = { numbers: new Map(), fixed: [], wished: [] }));
    tangle.wished.push(open[at]!);
  });
  for (let node = 0; node < explicit.count; node++) {
    const numbers = tangles.get(of[node]!)?.numbers;
    numbers?.set(node, numbers.size);
  }
  for (const edge of fixed)
    if (of[edge.from] === of[edge.to]) tangles.get(of[edge.from]!)?.fixed.push(edge);

  for (const tangle of tangles.values()) {
    const number = (node: number) => tangle.numbers.get(node)!;
    const feedback = findFeedback({
      size: tangle.numbers.size,
      fixed: tangle.fixed.map(({ from, to }) => ({ from: number(from), to: number(to) })),
      wished: tangle.wished.map((candidate) => ({
        from: number(explicit.of[candidate.from]!),
        to: number(explicit.of[candidate.to]!),
        weight: candidate.reads.length,
      })),
    });
    for (const at of feedback) dropped.set(tangle.wished[at]!, 'ownership-cycle');
  }
  return { dropped, tangleOf: explicit.of.map((component) => of[component]!) };
}

function neighbours({ starts, targets }: Graph, node: number): Int32Array {
  return targets.subarray(starts[node], starts[node + 1]);
}

/** The shortest way from one stream to another that waits for it, by dependencies. */
function waysIn(size: number, edges: readonly Edge[], tangleOf: Int32Array) {
  // A cycle never leaves its tangle.
  const inside = edges.filter(({ from, to }) => tangleOf[from] === tangleOf[to]);
  const forward = toGraph(size, inside);
  const backward = toGraph(
    size,
    inside.map(({ from, to }) => ({ from: to, to: from })),
  );
  const budget = { left: WAYS_BUDGET };
  const search = createWaySearch({
    size,
    after: (node) => neighbours(forward, node),
    before: (node) => neighbours(backward, node),
  });
  return (from: number, to: number): number[] => {
    const way = search(from, to, budget);
    return way.kind === 'way' ? way.nodes : [from, to];
  };
}

export function learnDeps(
  streams: ReadonlyMap<string, StreamShape>,
  options: { broadReadLimit?: number } = {},
): LearnResult {
  const graph = readStreamGraph(streams);
  const { ids } = graph;
  // Where a stream lists its deps must change nothing either.
  const deps = graph.deps.toSorted((a, b) => a.to - b.to || a.from - b.from);
  const limit = options.broadReadLimit ?? BROAD_READ_LIMIT;
  const { candidates, broadReads } = findCandidates(streams, graph, limit);
  const { dropped, tangleOf } = findDropped(deps, candidates, ids.length);
  const kept = candidates.filter((candidate) => !dropped.has(candidate));
  const findWay = waysIn(ids.length, [...deps, ...kept], tangleOf);

  const describe = ({ from, to, reads }: Candidate): LearnedDep => ({
    stream: ids[to]!,
    dep: ids[from]!,
    reads,
  });
  return {
    added: kept.map(describe),
    dropped: candidates.flatMap((candidate) => {
      const reason = dropped.get(candidate);
      if (reason === undefined) return [];
      const cycle = findWay(candidate.to, candidate.from).map((node) => ids[node]!);
      return [{ ...describe(candidate), reason, cycle }];
    }),
    cycles: findCycles(toGraph(ids.length, deps)).map((nodes) => nodes.map((node) => ids[node]!)),
    broadReads,
  };
}
