// The files that entries of `owns` and `reads` stand for, as they are on disk now.
import { checkPath } from '../domain/artifact/check-path.ts';
import { filePattern, readPattern } from '../manifest/patterns/pattern.ts';
import type { Pattern } from '../manifest/patterns/pattern.ts';
import { patternsOverlap } from '../manifest/patterns/overlap.ts';
import type { ProjectIndex } from './imports/project-index.ts';
import { isOnlyNamed } from './never-shown.ts';

export interface EntryFile {
  path: string;
  /** By its own name, not by a folder or a pattern that covers it. */
  isExact: boolean;
}

export interface EntryFinder {
  /** In the order of the entries, each file once. */
  filesOf(entries: readonly string[]): EntryFile[];
}

/** Where in a sorted list the first path is that does not come before this one. */
function firstIndexOf(files: readonly string[], path: string): number {
  let low = 0;
  let high = files.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (files[middle]! < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of a sorted list of files; `known` has the same. */
export function createEntryFinder(
  files: readonly string[],
  known: Pick<ProjectIndex, 'has'>,
): EntryFinder {
  // Made for the first caller, and kept for the others.
  const patterns: (Pattern | undefined)[] = [];

  /** What is below the literal beginning of a pattern is together. */
  function rangeOf({ parts, literalCount }: Pattern): { from: number; to: number } {
    if (literalCount <= 0) return { from: 0, to: files.length };
    const folder = parts.slice(0, literalCount).join('/');
    // The sign after a slash.
    return { from: firstIndexOf(files, `${folder}/`), to: firstIndexOf(files, `${folder}0`) };
  }

  return {
    filesOf(entries) {
      const found = new Map<string, EntryFile>();
      for (const entry of entries) {
        const read = readPattern(entry);
        if (read.kind === 'problem') continue;
        let named: string | undefined;
        for (const pattern of read.patterns) {
          // A name with brackets is not also a set of characters.
          if (pattern.text === named) continue;
          const exact = pattern.parts.join('/');
          const isPlain = pattern.kind === 'file' || pattern.kind === 'either';
          // Named in full: also what is kept out of version control.
          if (isPlain && (pattern.kind === 'file' || known.has(exact))) {
            if (checkPath(exact) === undefined) found.set(exact, { path: exact, isExact: true });
            if (known.has(exact)) named = pattern.text;
            continue;
          }
          const { from, to } = rangeOf(pattern);
          for (let at = from; at < to; at++) {
            const path = files[at]!;
            if (found.has(path)) continue;
            if (!patternsOverlap(pattern, (patterns[at] ??= filePattern(path)))) continue;
            if (!isOnlyNamed(path)) found.set(path, { path, isExact: false });
          }
        }
      }
      return [...found.values()];
    },
  };
}
