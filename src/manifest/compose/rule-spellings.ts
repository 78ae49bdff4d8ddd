// Two spellings of one file would be two files to the plan and one to the disk: two streams would write it at
// the same time. Existing files are named as the project spells them, new ones as they are named first.
import { patternsOverlap } from '../patterns/overlap.ts';
import { patternsOf } from '../stream-graph.ts';
import { remark } from './draft.ts';
import type { Draft, DraftStream, Remark } from './draft.ts';
import { isWide } from './owners.ts';
import { folded } from './repository.ts';
import type { Repository } from './repository.ts';

/** Spells every part of a path alike in the whole plan. */
function createSpeller(repository: Repository): (entry: string) => string {
  const first = new Map<string, string>();
  return (entry) => {
    const isTree = entry.endsWith('/');
    const path = repository.spelled(isTree ? entry.slice(0, -1) : entry);
    // What is listed may be a folder where only some of the files are known.
    if (repository.hasFile(path) && !(isTree && repository.isPartial)) return path;
    let spelled = '';
    for (const part of path.split('/')) {
      const next = spelled === '' ? part : `${spelled}/${part}`;
      const key = folded(next);
      const isKnown = repository.hasFolder(next) || repository.hasFile(next);
      if (!isKnown && !first.has(key)) first.set(key, next);
      spelled = isKnown ? next : first.get(key)!;
    }
    return isTree ? `${spelled}/` : spelled;
  };
}

/** What a folder or pattern of the same stream covers anyway. */
function withoutCovered(owns: readonly string[], repository: Repository): string[] {
  const trees = owns.flatMap((entry) =>
    patternsOf([entry])
      .filter(({ kind }) => kind === 'tree')
      .map((pattern) => ({ entry, pattern })),
  );
  const files = owns.filter((entry) => isWide(entry, repository) && !entry.endsWith('/'));
  const globs = files.map((entry) => ({ entry, patterns: patternsOf([entry]) }));
  return owns.filter((entry) => {
    const [mine] = patternsOf([entry]);
    const isInTree = trees.some(({ entry: other, pattern }) => {
      const isAbove = pattern.parts.every((part, at) => mine!.parts[at] === part);
      const literal = Math.min(mine!.literalCount, mine!.parts.length);
      return other !== entry && isAbove && literal >= pattern.parts.length;
    });
    if (isInTree) return false;
    if (isWide(entry, repository)) return true;
    return !globs.some(
      ({ entry: other, patterns }) =>
        other !== entry && patterns.some((pattern) => patternsOverlap(pattern, mine!)),
    );
  });
}

export function ruleSpellings(draft: Draft, repository: Repository): Draft {
  const remarks: Remark[] = [];
  const spell = createSpeller(repository);
  function spellAll(entries: readonly string[], stream: DraftStream): string[] {
    const spelled = entries.map((entry) => {
      const right = spell(entry);
      if (right !== entry) {
        remarks.push(remark('spellings', `${entry} is written as ${right}`, stream.id));
      }
      return right;
    });
    return [...new Set(spelled)];
  }
  const owning = draft.streams.map((stream) => ({
    ...stream,
    owns: withoutCovered(spellAll(stream.owns, stream), repository),
  }));
  const streams = owning.map((stream) => {
    const owned = new Set(stream.owns);
    const reads = spellAll(stream.reads, stream).filter((read) => !owned.has(read));
    return { ...stream, reads };
  });
  return { ...draft, streams, remarks: [...draft.remarks, ...remarks] };
}
