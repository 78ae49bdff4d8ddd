// Streams that read what another one writes although neither waits for the other: which version they
// see is chance. Only reported, and within a budget: `learn` finds them all and adds the dependencies.
import { findWaves } from './graph.ts';
import type { Graph } from './graph.ts';
import { patternsOverlap } from './patterns/overlap.ts';
import { readPattern } from './patterns/pattern.ts';
import type { Pattern } from './patterns/pattern.ts';
import type { StreamShape } from './stream-graph.ts';

export interface UnorderedRead {
  reader: number;
  /** Place in `reads`. */
  entry: number;
  read: string;
  owner: number;
}

export interface UnorderedReads {
  found: UnorderedRead[];
  /** False when the budget was spent before the end. */
  isComplete: boolean;
}

/** An entry that so many own is context, not a dependency on each of them. */
const BROAD_READ = 256;

interface Owned {
  owner: number;
  pattern: Pattern;
}

interface PathNode {
  children: Map<string, PathNode> | undefined;
  /** Of patterns whose literal part ends here; files apart, they reach nothing below. */
  files: Owned[] | undefined;
  wider: Owned[] | undefined;
}

const newNode = (): PathNode => ({ children: undefined, files: undefined, wider: undefined });

interface Work {
  left: number;
}

/** Globs against globs are the product of their lengths; anything else is a step or two. */
function costOf(a: Pattern, b: Pattern): number {
  const isGlob = a.kind === 'glob' || b.kind === 'glob';
  return isGlob ? 1 + (a.text.length * b.text.length) / 16 : 1;
}

function patternsOfEntry(entry: string, work: Work): Pattern[] {
  work.left -= 1;
  const read = readPattern(entry);
  if (read.kind === 'problem') return [];
  work.left -= read.patterns.length - 1;
  return read.patterns;
}

function insert(root: PathNode, pattern: Pattern, owner: number): void {
  let node = root;
  for (const name of pattern.parts.slice(0, pattern.literalCount)) {
    node.children ??= new Map();
    let child = node.children.get(name);
    if (!child) node.children.set(name, (child = newNode()));
    node = child;
  }
  const list = pattern.kind === 'file' ? (node.files ??= []) : (node.wider ??= []);
  list.push({ owner, pattern });
}

/** Calls `found` with everybody whose pattern overlaps, until it says that is enough. */
function query(
  root: PathNode,
  pattern: Pattern,
  { work, found }: { work: Work; found: (owner: number) => boolean },
): void {
  const test = (list: readonly Owned[] | undefined): boolean => {
    for (const owned of list ?? []) {
      work.left -= costOf(owned.pattern, pattern);
      if (work.left <= 0) return false;
      if (patternsOverlap(owned.pattern, pattern) && !found(owned.owner)) return false;
    }
    return true;
  };
  let node = root;
  for (const name of pattern.parts.slice(0, pattern.literalCount)) {
    if (!test(node.wider)) return;
    const child = node.children?.get(name);
    if (!child) return;
    node = child;
  }
  const open = [node];
  for (let next = open.pop(); next; next = open.pop()) {
    work.left -= 1;
    if (!test(next.files) || !test(next.wider)) return;
    if (pattern.kind === 'file') return;
    for (const child of next.children?.values() ?? []) open.push(child);
  }
}

/** A step in the graph, measured in tests of patterns. */
const STEP_COST = 0.02;

/** Whether one stream waits for another, directly or not; false also when the budget is spent. */
function waitsFor(from: number, wanted: number, { graph, heights, work }: Order): boolean {
  const { starts, targets } = graph;
  const seen = new Set<number>();
  const open = [from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (let edge = starts[next]!; edge < starts[next + 1]!; edge++) {
      work.left -= STEP_COST;
      if (work.left <= 0) return false;
      const to = targets[edge]!;
      if (to === wanted) return true;
      // What is as high as the wanted one cannot lead up to it.
      if (heights[to]! >= heights[wanted]! || seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return false;
}

interface Order {
  /** From each stream to those it waits for; without circles. */
  graph: Graph;
  /** Higher for whatever is waited for. */
  heights: Int32Array;
  work: Work;
}

/** Grows with the manifest, and slowly enough that a small text cannot ask for seconds. */
function budgetFor(streams: readonly StreamShape[], graph: Graph): number {
  let entries = graph.targets.length;
  for (const { owns, reads } of streams) entries += (owns?.length ?? 0) + (reads?.length ?? 0);
  return 60_000 + 4 * entries;
}

export function findUnorderedReads(streams: readonly StreamShape[], graph: Graph): UnorderedReads {
  const found: UnorderedRead[] = [];
  const work: Work = { left: budgetFor(streams, graph) };
  const order: Order = { graph, heights: findWaves(graph).waves, work };
  const root = newNode();
  for (const [owner, { owns }] of streams.entries()) {
    for (const entry of owns ?? []) {
      for (const pattern of patternsOfEntry(entry, work)) insert(root, pattern, owner);
      if (work.left <= 0) return { found, isComplete: false };
    }
  }

  function ownersOf(read: string, reader: number): number[] {
    const owners = new Set<number>();
    const add = (owner: number) => {
      if (owner !== reader) owners.add(owner);
      return owners.size <= BROAD_READ;
    };
    for (const pattern of patternsOfEntry(read, work)) query(root, pattern, { work, found: add });
    return owners.size > BROAD_READ ? [] : [...owners].sort((a, b) => a - b);
  }

  for (const [reader, { reads }] of streams.entries()) {
    for (const [entry, read] of (reads ?? []).entries()) {
      for (const owner of ownersOf(read, reader)) {
        if (waitsFor(reader, owner, order) || waitsFor(owner, reader, order)) continue;
        if (work.left > 0) found.push({ reader, entry, read, owner });
      }
      if (work.left <= 0) return { found, isComplete: false };
    }
  }
  return { found, isComplete: true };
}
