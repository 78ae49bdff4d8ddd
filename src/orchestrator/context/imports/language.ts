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

/** The first group of each match; the expression must be global. */
export function matchesOf(text: string, shape: RegExp): string[] {
  return [...text.matchAll(shape)].flatMap((match) => {
    const name = match.slice(1).find((group) => group !== undefined);
    return name === undefined || name === '' ? [] : [name];
  });
}
