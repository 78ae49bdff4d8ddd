// Which files are nearest to a task, by what names what.
import type { ImportGraph } from './imports/edges.ts';
import { indexWords } from './path-words.ts';
import type { WordScores } from './path-words.ts';

export interface Ranked {
  path: string;
  role: 'import' | 'importer' | 'ranked';
}

const DAMPING = 0.85;
const ROUNDS = 20;
/** Who uses a file says less about it than what it uses. */
const BACKWARDS = 0.5;

function byScore(scores: ReadonlyMap<string, number>, words: WordScores) {
  return (a: string, b: string) =>
    (scores.get(b) ?? 0) - (scores.get(a) ?? 0) ||
    (words.get(b) ?? 0) - (words.get(a) ?? 0) ||
    (a < b ? -1 : a > b ? 1 : 0);
}

/** One step away: what the seeds name, then who names those that may change. */
export function rankNeighbours(
  graph: ImportGraph,
  seeds: readonly string[],
  changing: readonly string[],
  plan: string,
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
  const words = indexWords([...imports.keys(), ...importers.keys()]).scoresOf(plan);
  return [
    ...[...imports.keys()]
      .sort(byScore(imports, words))
      .map((path) => ({ path, role: 'import' as const })),
    ...[...importers.keys()]
      .sort(byScore(importers, words))
      .map((path) => ({ path, role: 'importer' as const })),
  ];
}

/** What one snapshot found, as numbers: where each file leads to, all in one list. */
export interface RankedProject {
  files: readonly string[];
  numberOf: ReadonlyMap<string, number>;
  /** The edges of a file are from its place in `starts` up to the next one's. */
  starts: Uint32Array;
  ends: Uint32Array;
  weights: Float64Array;
  /** Of all edges of a file. */
  sums: Float64Array;
}

export function toRankedProject(graph: ImportGraph, files: readonly string[]): RankedProject {
  const numberOf = new Map(files.map((path, at) => [path, at]));
  const starts = new Uint32Array(files.length + 1);
  const sums = new Float64Array(files.length);
  const ends: number[] = [];
  const weights: number[] = [];
  for (const [at, path] of files.entries()) {
    const add = (targets: readonly string[] | undefined, weight: number) => {
      for (const target of targets ?? []) {
        const end = numberOf.get(target);
        if (end === undefined) continue;
        ends.push(end);
        weights.push(weight);
        sums[at]! += weight;
      }
    };
    add(graph.imports.get(path), 1);
    add(graph.importers.get(path), BACKWARDS);
    starts[at + 1] = ends.length;
  }
  const lists = { ends: Uint32Array.from(ends), weights: Float64Array.from(weights) };
  return { files, numberOf, starts, sums, ...lists };
}

/** PageRank whose walk starts over at the seeds: near and much used files come first. */
function pageRank(project: RankedProject, seeds: readonly string[]): Float64Array {
  const { files, numberOf, starts, ends, weights, sums } = project;
  const found = seeds.flatMap((seed) => numberOf.get(seed) ?? []);
  const start = new Float64Array(files.length);
  for (const at of found.length > 0 ? found : files.keys()) start[at]! += 1;
  const all = start.reduce((sum, value) => sum + value, 0);
  for (const at of start.keys()) start[at]! /= all;
  let rank = start;
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(files.length);
    let lost = 0;
    for (let at = 0; at < files.length; at++) {
      const own = rank[at]!;
      const sum = sums[at]!;
      if (sum === 0) lost += own;
      for (let edge = starts[at]!; edge < starts[at + 1]!; edge++) {
        next[ends[edge]!]! += (own * weights[edge]!) / sum;
      }
    }
    for (let at = 0; at < files.length; at++) {
      next[at] = DAMPING * (next[at]! + lost * start[at]!) + (1 - DAMPING) * start[at]!;
    }
    rank = next;
  }
  return rank;
}

function sharedFolders(left: readonly string[], right: readonly string[]): number {
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return shared;
}

/** How many folders a file has in common with the nearest of these; asked once for a folder. */
function nearness(seeds: readonly string[]): (path: string) => number {
  const foldersOf = (path: string) => path.split('/').slice(0, -1);
  const near = seeds.map(foldersOf);
  const known = new Map<string, number>();
  return (path) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    let shared = known.get(folder);
    if (shared === undefined) {
      const own = foldersOf(path);
      shared = Math.max(0, ...near.map((seed) => sharedFolders(own, seed)));
      known.set(folder, shared);
    }
    return shared;
  };
}

/** The whole project; what no import leads to comes after, with the words of the plan first, then the same folders. */
export function rankAll(
  project: RankedProject,
  seeds: readonly string[],
  words: WordScores,
): Ranked[] {
  const { files } = project;
  const rank = pageRank(project, seeds);
  const shared = nearness(seeds.slice(0, 20));
  const order = files.map((path, at) => ({
    path,
    score: rank[at]!,
    words: words.get(path) ?? 0,
    shared: shared(path),
  }));
  order.sort(
    (a, b) =>
      b.score - a.score ||
      b.words - a.words ||
      b.shared - a.shared ||
      (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
  );
  const known = new Set(seeds);
  return order.flatMap(({ path }) => (known.has(path) ? [] : [{ path, role: 'ranked' as const }]));
}
