// What an answer would leave, looked at before anything of it is written.
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import { filePattern } from '../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import type { ApplyProblem, FileChange } from '../apply/file-change.ts';
import { importProblems } from './imports.ts';
import { syntaxProblems } from './syntax.ts';

export function changeProblems(options: {
  root: string;
  changes: readonly FileChange[];
  /** What other streams own that have not written it yet. */
  expected: readonly string[];
}): ApplyProblem[] {
  const { root, changes, expected } = options;
  const syntax = syntaxProblems(changes);
  const patterns = patternsOf([...expected]);
  const isExpected = (path: string) => {
    const file = filePattern(path);
    return patterns.some((pattern) => patternsOverlap(pattern, file));
  };
  // What cannot be parsed names nothing that could be relied on.
  const broken = new Set(syntax.map(({ path }) => path));
  const whole = changes.filter(({ path }) => !broken.has(path));
  return [...syntax, ...importProblems(root, whole, isExpected)];
}
