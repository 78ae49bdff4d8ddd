// What an answer would leave, looked at before anything of it is written.
import { patternsOverlap } from '../../manifest/patterns/overlap.ts';
import { filePattern } from '../../manifest/patterns/pattern.ts';
import type { Pattern } from '../../manifest/patterns/pattern.ts';
import { patternsOf } from '../../manifest/stream-graph.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import type { FileChange } from '../apply/file-change.ts';
import { importProblems } from './imports.ts';
import { syntaxProblems } from './syntax.ts';

export function changeProblems(options: {
  root: string;
  changes: readonly FileChange[];
  /** What other streams own that have not written it yet; asked for where something is missing only. */
  expected(): readonly string[];
}): ApplyProblem[] {
  const { root, changes } = options;
  const syntax = syntaxProblems(changes);
  let patterns: Pattern[] | undefined;
  const isExpected = (path: string) => {
    const file = filePattern(path);
    patterns ??= patternsOf(options.expected());
    return patterns.some((pattern) => patternsOverlap(pattern, file));
  };
  // What cannot be parsed names nothing that could be relied on.
  const broken = new Set(syntax.map(({ path }) => path));
  const whole = changes.filter(({ path }) => !broken.has(path));
  return [...syntax, ...importProblems(root, whole, isExpected)];
}
