// In which order streams run. Dependencies say most of it; two streams that write the same file and
// do not depend on each other run one after the other, too, the one that comes later in the plan
// after the other.
import { findCycles, findWaves, shortestCycle, toGraph } from './graph.ts';
import type { Edge, Graph } from './graph.ts';
import { createWriterIndex } from './ownership.ts';
import { patternsOf, readStreamGraph } from './stream-graph.ts';
import type { StreamGraph, StreamShape } from './stream-graph.ts';

export interface WaitsFor {
  id: string;
  reason: 'dep' | 'owns';
}

export interface PlannedStream {
  id: string;
  wave: number;
  waitsFor: WaitsFor[];
}

export interface StreamOrder {
  kind: 'planned';
  waves: string[][];
  streams: Map<string, PlannedStream>;
  /** The longest chain of streams that wait for each other. */
  criticalPath: string[];
  /** Entries taken as their whole folder, because there are too many globs side by side. */
  widened: { stream: string; entry: string }[];
}

export type Plan =
  | StreamOrder
  /** Each with its streams and the shortest way around. */
  | { kind: 'cyclic'; cycles: { streams: string[]; witness: string[] }[] };

interface Ownership {
  edges: Edge[];
  widened: { stream: string; entry: string }[];
}

/**
 * Edges between streams that write the same. They all follow one order in which every dependency
 * leads forward (by wave, then by place in the manifest), so they can never close a cycle.
 */
function ownershipEdges(
  streams: ReadonlyMap<string, StreamShape>,
  { ids }: StreamGraph,
  waves: Int32Array,
): Ownership {
  const order = byWave(waves);
  const shapes = [...streams.values()];
  const writers = createWriterIndex();
  const edges: Edge[] = [];
  const widened: Ownership['widened'] = [];
  // The stream that last noted an edge from here: one edge between two streams is enough.
  const notedBy = new Int32Array(ids.length).fill(-1);
  let node = 0;
  const found = (owner: number) => {
    if (owner === node || notedBy[owner] === node) return;
    notedBy[owner] = node;
    edges.push({ from: owner, to: node });
  };
  for (node of order) {
    for (const pattern of patternsOf(shapes[node]!.owns)) {
      const isWidened = writers.write(pattern, node, found);
      if (isWidened) widened.push({ stream: ids[node]!, entry: pattern.text });
    }
  }
  return { edges, widened };
}

/** Nodes by wave, in each by their number: a counting sort. */
function byWave(waves: Int32Array): Int32Array {
  let last = 0;
  for (const wave of waves) last = Math.max(last, wave);
  const starts = new Int32Array(last + 2);
  for (const wave of waves) starts[wave + 1]! += 1;
  for (let wave = 1; wave < starts.length; wave++) starts[wave]! += starts[wave - 1]!;
  const order = new Int32Array(waves.length);
  for (let node = 0; node < waves.length; node++) order[starts[waves[node]!]!++] = node;
  return order;
}

function longestChain(edges: readonly Edge[], waves: Int32Array): number[] {
  let last = 0;
  for (let node = 1; node < waves.length; node++) if (waves[node]! > waves[last]!) last = node;
  if (waves.length === 0) return [];
  const before = new Int32Array(waves.length).fill(-1);
  for (const { from, to } of edges) {
    if (waves[from] === waves[to]! - 1 && before[to] === -1) before[to] = from;
  }
  const chain: number[] = [];
  for (let node = last; node !== -1; node = before[node]!) chain.push(node);
  return chain.toReversed();
}

export function describeCycles(ids: readonly string[], graph: Graph) {
  return findCycles(graph).map((component) => ({
    streams: component.map((node) => ids[node]!),
    witness: shortestCycle(graph, component).map((node) => ids[node]!),
  }));
}

export function planStreams(streams: ReadonlyMap<string, StreamShape>): Plan {
  const graph = readStreamGraph(streams);
  const { ids } = graph;
  const byDeps = toGraph(ids.length, graph.deps);
  const first = findWaves(byDeps);
  if (first.order.length < ids.length) {
    return { kind: 'cyclic', cycles: describeCycles(ids, byDeps) };
  }
  const owned = ownershipEdges(streams, graph, first.waves);
  const edges = graph.deps.concat(owned.edges);
  const { waves } = owned.edges.length === 0 ? first : findWaves(toGraph(ids.length, edges));
  return {
    kind: 'planned',
    ...describe(ids, waves, { deps: graph.deps, owned: owned.edges }),
    criticalPath: longestChain(edges, waves).map((node) => ids[node]!),
    widened: owned.widened,
  };
}

function describe(
  ids: readonly string[],
  waves: Int32Array,
  { deps, owned }: { deps: readonly Edge[]; owned: readonly Edge[] },
) {
  const planned: PlannedStream[] = [];
  const streams = new Map<string, PlannedStream>();
  const inWaves: string[][] = [];
  for (let node = 0; node < ids.length; node++) {
    const id = ids[node]!;
    const wave = waves[node]!;
    const stream: PlannedStream = { id, wave, waitsFor: [] };
    planned.push(stream);
    streams.set(id, stream);
    while (inWaves.length < wave) inWaves.push([]);
    inWaves[wave - 1]!.push(id);
  }
  const isDep = new Set<number>();
  for (const { from, to } of deps) {
    isDep.add(from * ids.length + to);
    planned[to]!.waitsFor.push({ id: ids[from]!, reason: 'dep' });
  }
  for (const { from, to } of owned) {
    if (isDep.has(from * ids.length + to)) continue;
    planned[to]!.waitsFor.push({ id: ids[from]!, reason: 'owns' });
  }
  return { waves: inWaves, streams };
}
