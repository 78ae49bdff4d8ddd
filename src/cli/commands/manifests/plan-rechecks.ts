// Whose checks run again after a stream: those of streams before it that own some of the same files.
import type { Manifest } from '../../../manifest/model.ts';
import { patternsOverlap } from '../../../manifest/patterns/overlap.ts';
import type { Pattern } from '../../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../../manifest/stream-graph.ts';

/** A file that everybody owns would fill the plan. */
const MOST_LISTED = 20;

export interface Rechecks {
  /** In the order of the plan: what a stream waits for comes before it. */
  of(id: string, waitsFor: readonly string[]): string[];
}

export function createRechecks(manifest: Manifest): Rechecks {
  const owned = new Map<string, Pattern[]>();
  const known = new Map<string, readonly string[]>();
  const verifyOf = (id: string): readonly string[] => {
    const stream = manifest.streams.get(id);
    return stream && 'verify' in stream ? stream.verify : [];
  };
  const ownsOf = (id: string): Pattern[] => {
    let patterns = owned.get(id);
    if (patterns === undefined) {
      const stream = manifest.streams.get(id);
      patterns = patternsOf(stream && 'owns' in stream ? stream.owns : []);
      owned.set(id, patterns);
    }
    return patterns;
  };
  const share = (a: string, b: string) =>
    ownsOf(a).some((mine) => ownsOf(b).some((theirs) => patternsOverlap(mine, theirs)));

  return {
    of(id, waitsFor) {
      const before = new Set(waitsFor.flatMap((each) => [...(known.get(each) ?? []), each]));
      const shared = [...before].filter((each) => share(id, each)).slice(-MOST_LISTED);
      known.set(id, shared);
      const own = new Set(verifyOf(id));
      return shared.filter((each) => verifyOf(each).some((command) => !own.has(command)));
    },
  };
}
