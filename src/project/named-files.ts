// Files that the words of a plan name.
import type { ProjectIndex } from './imports/project-index.ts';

const WORD = /[\w@.+~/-]+/g;
/** No path that a plan names is longer, and a long word is read again from each of its letters. */
const LONGEST_WORD = 500;
const PATH_LIKE = /[\w@.+~-]*(?:\/[\w@.+~-]+)*\.[A-Za-z]\w{0,9}\b/g;
const MAX_NAMED = 20;

/** A whole path, or the end of one that only one file has; in the order of the plan. */
export function namedFiles(plan: string, index: ProjectIndex): string[] {
  const found = new Set<string>();
  const words = (plan.match(WORD) ?? []).filter((word) => word.length <= LONGEST_WORD);
  for (const word of words.flatMap((each) => each.match(PATH_LIKE) ?? [])) {
    if (found.size >= MAX_NAMED) break;
    const path = word.replace(/^(?:\.\/)+/, '');
    if (index.has(path)) found.add(path);
    else {
      const ending = index.endingWith(path);
      if (ending.length === 1) found.add(ending[0]!);
    }
  }
  return [...found];
}
