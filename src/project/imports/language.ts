import type { ProjectIndex } from './project-index.ts';

/** How a language names other files of its project. */
export interface Language {
  endings: readonly string[];
  /** What a file names, as it names it. */
  scan(text: string, path: string): string[];
  /** The files that such a name stands for; none when it is not of this project. */
  resolve(name: string, from: string, index: ProjectIndex): readonly string[];
  /**
   * The keys of changes after which such a name must be resolved again. A language that resolves by
   * the index alone needs none: what it asks the index is noted.
   */
  watchedFor?(name: string, from: string): string[];
}

/** The texts from each opening to the next closing, in one pass; both expressions must be global. */
export function blocksAfter(text: string, opening: RegExp, closing: RegExp): string[] {
  const blocks: string[] = [];
  for (let from = 0; ;) {
    opening.lastIndex = from;
    const opened = opening.exec(text);
    if (opened === null) return blocks;
    const start = opened.index + opened[0].length;
    closing.lastIndex = start;
    const closed = closing.exec(text);
    if (closed === null) return blocks;
    blocks.push(text.slice(start, closed.index));
    from = closed.index + closed[0].length;
  }
}

/** The first group of each match; the expression must be global. */
export function matchesOf(text: string, shape: RegExp): string[] {
  return [...text.matchAll(shape)].flatMap((match) => {
    const name = match.slice(1).find((group) => group !== undefined);
    return name === undefined || name === '' ? [] : [name];
  });
}
