// Streams by number, in the order of the manifest, and what they say about each other.
import type { Edge } from './graph.ts';
import { readPattern } from './patterns/pattern.ts';
import type { Pattern } from './patterns/pattern.ts';

export interface StreamShape {
  deps?: readonly string[] | undefined;
  owns?: readonly string[] | undefined;
  reads?: readonly string[] | undefined;
}

export interface StreamGraph {
  ids: string[];
  indexOf: ReadonlyMap<string, number>;
  /** From a dependency to the stream that waits for it; unknown ids are left out. */
  deps: Edge[];
}

export function readStreamGraph(streams: ReadonlyMap<string, StreamShape>): StreamGraph {
  const ids = [...streams.keys()];
  const indexOf = new Map<string, number>();
  for (let node = 0; node < ids.length; node++) indexOf.set(ids[node]!, node);
  const deps: Edge[] = [];
  let to = 0;
  for (const stream of streams.values()) {
    const given = stream.deps ?? [];
    for (const dep of given.length > 1 ? new Set(given) : given) {
      const from = indexOf.get(dep);
      if (from !== undefined) deps.push({ from, to });
    }
    to += 1;
  }
  return { ids, indexOf, deps };
}

/** Patterns of the entries that make sense; the others are the validation's business. */
export function patternsOf(entries: readonly string[] | undefined): Pattern[] {
  const patterns: Pattern[] = [];
  for (const entry of entries ?? []) {
    const read = readPattern(entry);
    if (read.kind === 'patterns') for (const pattern of read.patterns) patterns.push(pattern);
  }
  return patterns;
}
