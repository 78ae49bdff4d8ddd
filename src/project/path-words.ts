// Which paths have words of a plan in them: of files that are equally near, those are shown first.

const COMMON: ReadonlySet<string> = new Set(
  'and the for with that this from into file files add src lib test tests use new all are not its'.split(
    ' ',
  ),
);
const SHORTEST = 3;

/** In lower case, with names such as `readFile` and `read_file` taken apart. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const name of text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []) {
    const word = name.toLowerCase();
    if (word.length >= SHORTEST && !COMMON.has(word)) words.add(word);
  }
  return words;
}

/** How many words of a plan each path has; those with none are left out. */
export type WordScores = ReadonlyMap<string, number>;

export interface PathWords {
  scoresOf(plan: string): WordScores;
}

export function indexWords(paths: readonly string[]): PathWords {
  const pathsWith = new Map<string, string[]>();
  for (const path of paths) {
    for (const word of wordsOf(path)) {
      const known = pathsWith.get(word);
      if (known) known.push(path);
      else pathsWith.set(word, [path]);
    }
  }
  return {
    scoresOf(plan) {
      const scores = new Map<string, number>();
      for (const word of wordsOf(plan)) {
        for (const path of pathsWith.get(word) ?? []) {
          scores.set(path, (scores.get(path) ?? 0) + 1);
        }
      }
      return scores;
    },
  };
}
