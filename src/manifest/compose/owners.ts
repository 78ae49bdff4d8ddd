// Which streams own a file, and whether by its name or by a folder or pattern around it.
import { patternsOverlap } from '../patterns/overlap.ts';
import type { Pattern } from '../patterns/pattern.ts';
import { patternsOf } from '../stream-graph.ts';
import type { DraftStream } from './draft.ts';
import type { Repository } from './repository.ts';

/** Whether an entry can stand for more than one file. */
export function isWide(entry: string, repository: Repository): boolean {
  return !repository.hasFile(entry) && patternsOf([entry])[0]?.kind !== 'file';
}

export interface Owner {
  stream: string;
  entry: string;
}

export interface Owners {
  /** Entries that can name the same file as this one, of all streams. */
  of(entry: string): Owner[];
}

export function indexOwners(streams: readonly DraftStream[], repository: Repository): Owners {
  const byName = new Map<string, Owner[]>();
  const wide: { owner: Owner; patterns: Pattern[] }[] = [];
  for (const { id, owns } of streams) {
    for (const entry of owns) {
      const owner = { stream: id, entry };
      byName.set(entry, [...(byName.get(entry) ?? []), owner]);
      if (isWide(entry, repository)) wide.push({ owner, patterns: patternsOf([entry]) });
    }
  }
  const all = [...byName].flatMap(([entry, owners]) =>
    isWide(entry, repository) ? [] : [{ owners, patterns: patternsOf([entry]) }],
  );
  const overlap = (a: readonly Pattern[], b: readonly Pattern[]) =>
    a.some((x) => b.some((y) => patternsOverlap(x, y)));
  return {
    of(entry) {
      const patterns = patternsOf([entry]);
      const covering = wide.filter((each) => overlap(each.patterns, patterns));
      const isOne = !isWide(entry, repository);
      const named = isOne
        ? (byName.get(entry) ?? [])
        : all.flatMap((each) => (overlap(each.patterns, patterns) ? each.owners : []));
      return [...named, ...covering.map(({ owner }) => owner)];
    },
  };
}
