// The files that entries of `owns` and `reads` stand for, as they are on disk now.
import { checkPath } from '../../domain/artifact/check-path.ts';
import { readPattern } from '../../domain/manifest/patterns/pattern.ts';
import type { Pattern } from '../../domain/manifest/patterns/pattern.ts';
import { patternsOverlap } from '../../domain/manifest/patterns/overlap.ts';
import { isSecret } from './never-shown.ts';

export interface EntryFile {
  path: string;
  /** By its own name, not by a folder or a pattern that covers it. */
  isExact: boolean;
}

function filePattern(path: string): Pattern {
  const parts = path.split('/');
  return { kind: 'file', parts, literalCount: parts.length, text: path };
}

/** In the order of the entries, each file once. */
export function filesOfEntries(entries: readonly string[], files: readonly string[]): EntryFile[] {
  const found = new Map<string, EntryFile>();
  const known = new Set(files);
  let all: Pattern[] | undefined;
  for (const entry of entries) {
    const read = readPattern(entry);
    if (read.kind === 'problem') continue;
    for (const pattern of read.patterns) {
      const exact = pattern.parts.join('/');
      const isPlain = pattern.kind === 'file' || pattern.kind === 'either';
      // Named in full: also what is kept out of version control.
      if (isPlain && (pattern.kind === 'file' || known.has(exact))) {
        if (checkPath(exact) === undefined) found.set(exact, { path: exact, isExact: true });
        continue;
      }
      all ??= files.map(filePattern);
      for (const file of all) {
        if (found.has(file.text) || !patternsOverlap(pattern, file)) continue;
        if (!isSecret(file.text)) found.set(file.text, { path: file.text, isExact: false });
      }
    }
  }
  return [...found.values()];
}
