// Which files of a repository a task is about: those that it names, their neighbours, then those that many others use
// and whose paths have its words.
import type { ImportGraph } from '../project/imports/edges.ts';
import type { ProjectIndex } from '../project/imports/project-index.ts';
import { isMadeElsewhere } from '../project/made-elsewhere.ts';
import { namedFiles } from '../project/named-files.ts';
import { isMadeByTools, isOnlyNamed } from '../project/never-shown.ts';
import type { PathWords } from '../project/path-words.ts';
import { rankNeighbours } from '../project/rank.ts';

export interface RankedFiles {
  named: readonly string[];
  /** All that may be shown, the nearest first. */
  files: readonly string[];
}

/** A word of the task in a path says more than a few files that use it. */
const WORD_WEIGHT = 4;

export function isShown(path: string): boolean {
  return !isOnlyNamed(path) && !isMadeByTools(path) && !isMadeElsewhere(path);
}

export function rankFiles(
  task: string,
  snapshot: { index: ProjectIndex; graph: ImportGraph; words(): PathWords },
): RankedFiles {
  const { index, graph } = snapshot;
  const named = namedFiles(task, index).filter(isShown);
  const near = rankNeighbours(graph, named, named, task).map(({ path }) => path);
  const words = snapshot.words().scoresOf(task);
  const first = new Set([...named, ...near.filter(isShown)]);
  const scoreOf = (path: string) =>
    (words.get(path) ?? 0) * WORD_WEIGHT + Math.log2(1 + (graph.importers.get(path)?.length ?? 0));
  const others = index.files
    .filter((path) => !first.has(path) && isShown(path))
    .map((path) => ({ path, score: scoreOf(path) }));
  others.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  return { named, files: [...first, ...others.map(({ path }) => path)] };
}
