// Which files are nearest to a task, by what names what.
import type { ImportGraph } from './imports/graph.ts';

export interface Ranked {
  path: string;
  role: 'import' | 'importer' | 'ranked';
}

const DAMPING = 0.85;
const ROUNDS = 20;
/** Who uses a file says less about it than what it uses. */
const BACKWARDS = 0.5;

function byScore(scores: ReadonlyMap<string, number>) {
  return (a: string, b: string) =>
    (scores.get(b) ?? 0) - (scores.get(a) ?? 0) || (a < b ? -1 : a > b ? 1 : 0);
}

/** One step away: what the seeds name, then who names those that may change. */
export function rankNeighbours(
  graph: ImportGraph,
  seeds: readonly string[],
  changing: readonly string[],
): Ranked[] {
  const known = new Set(seeds);
  const count = (from: readonly string[], edges: ImportGraph['imports']) => {
    const counts = new Map<string, number>();
    for (const seed of from) {
      for (const path of edges.get(seed) ?? []) {
        if (!known.has(path)) counts.set(path, (counts.get(path) ?? 0) + 1);
      }
    }
    return counts;
  };
  const imports = count(seeds, graph.imports);
  const importers = count(changing, graph.importers);
  for (const path of imports.keys()) importers.delete(path);
  return [
    ...[...imports.keys()]
      .sort(byScore(imports))
      .map((path) => ({ path, role: 'import' as const })),
    ...[...importers.keys()]
      .sort(byScore(importers))
      .map((path) => ({ path, role: 'importer' as const })),
  ];
}

/** PageRank whose walk starts over at the seeds: near and much used files come first. */
function pageRank(graph: ImportGraph, files: readonly string[], seeds: readonly string[]) {
  const numberOf = new Map(files.map((path, at) => [path, at]));
  const starts = seeds.flatMap((seed) => numberOf.get(seed) ?? []);
  const start = new Float64Array(files.length);
  for (const at of starts.length > 0 ? starts : files.keys()) start[at]! += 1;
  const all = start.reduce((sum, value) => sum + value, 0);
  for (const at of start.keys()) start[at]! /= all;
  const edges = files.map((path) => {
    const to = (map: ImportGraph['imports'], weight: number) =>
      (map.get(path) ?? []).flatMap((target) => {
        const at = numberOf.get(target);
        return at === undefined ? [] : [{ at, weight }];
      });
    const list = [...to(graph.imports, 1), ...to(graph.importers, BACKWARDS)];
    return { list, sum: list.reduce((sum, { weight }) => sum + weight, 0) };
  });
  let rank = start;
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(files.length);
    let lost = 0;
    for (const [at, { list, sum }] of edges.entries()) {
      if (sum === 0) lost += rank[at]!;
      for (const edge of list) next[edge.at]! += (rank[at]! * edge.weight) / sum;
    }
    for (const at of next.keys()) {
      next[at] = DAMPING * (next[at]! + lost * start[at]!) + (1 - DAMPING) * start[at]!;
    }
    rank = next;
  }
  return rank;
}

function sharedFolders(a: string, b: string): number {
  const left = a.split('/').slice(0, -1);
  const right = b.split('/').slice(0, -1);
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return shared;
}

/** The whole project; what no import leads to comes after, the same folders first. */
export function rankAll(
  graph: ImportGraph,
  files: readonly string[],
  seeds: readonly string[],
): Ranked[] {
  const rank = pageRank(graph, files, seeds);
  const near = seeds.slice(0, 20);
  const order = files.map((path, at) => ({
    path,
    score: rank[at]!,
    shared: Math.max(0, ...near.map((seed) => sharedFolders(path, seed))),
  }));
  order.sort(
    (a, b) =>
      b.score - a.score || b.shared - a.shared || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
  );
  const known = new Set(seeds);
  return order.flatMap(({ path }) => (known.has(path) ? [] : [{ path, role: 'ranked' as const }]));
}
