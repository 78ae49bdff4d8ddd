// Problems as they are found: by path or by place in the text. Lines and columns come at the end, and
// only if there is a problem at all, because finding them costs a second look at the whole text.
import type { Problem, ValuePath } from '../problem.ts';
import type { Position } from './line-index.ts';
import { showPath } from './show.ts';

export interface Finding {
  code: string;
  message: string;
  hint: string;
  path: ValuePath;
  /** Where in the text, when that is known better than the path says. */
  offset?: number;
  /** Point at the key instead of its value. */
  atKey?: boolean;
  cycle?: string[];
}

type Found = Finding & { severity: Problem['severity'] };

export interface Locator {
  of(path: ValuePath): Position;
  ofKey(path: ValuePath): Position;
  at(offset: number): Position;
}

export interface ProblemList {
  readonly hasErrors: boolean;
  readonly isEmpty: boolean;
  /** `find` is only called while there is room for one more. */
  error(find: () => Finding): void;
  warning(find: () => Finding): void;
  /** In the order of the text. `locate` is asked for once, and only if there is something to place. */
  toProblems(locate: () => Locator, file: string | undefined): Problem[];
}

function byPlace(a: Problem, b: Problem): number {
  if (a.line !== b.line) return a.line - b.line;
  if (a.column !== b.column) return a.column - b.column;
  if (a.severity !== b.severity) return a.severity === 'error' ? -1 : 1;
  return 0;
}

function place(found: Found, locator: Locator, file: string | undefined): Problem {
  const { severity, code, message, hint, path, offset, atKey, cycle } = found;
  const position =
    offset !== undefined ? locator.at(offset) : atKey ? locator.ofKey(path) : locator.of(path);
  return {
    severity,
    code,
    message,
    hint,
    path: showPath(path),
    ...(file === undefined ? {} : { file }),
    line: position.line,
    column: position.column,
    ...(cycle === undefined ? {} : { cycle }),
  };
}

export function createProblemList(maxProblems: number): ProblemList {
  // Apart, so that a thousand warnings never hide the one error.
  const errors: Found[] = [];
  const warnings: Found[] = [];
  let uncounted = 0;

  function add(list: Found[], severity: Problem['severity'], find: () => Finding): void {
    if (list.length < maxProblems) list.push({ severity, ...find() });
    else uncounted += 1;
  }

  return {
    get hasErrors() {
      return errors.length > 0;
    },
    get isEmpty() {
      return errors.length + warnings.length === 0;
    },
    error: (find) => add(errors, 'error', find),
    warning: (find) => add(warnings, 'warning', find),
    toProblems(locate, file) {
      if (errors.length + warnings.length === 0) return [];
      const locator = locate();
      const kept = [...errors, ...warnings].slice(0, maxProblems);
      const problems = kept.map((found) => place(found, locator, file)).sort(byPlace);
      const more = errors.length + warnings.length - kept.length + uncounted;
      if (more > 0) {
        problems.push({
          severity: errors.length > 0 ? 'error' : 'warning',
          code: 'MORE_PROBLEMS',
          message: `${more} more problems are not shown.`,
          hint: 'Fix the ones shown, then validate again.',
          path: '',
          ...(file === undefined ? {} : { file }),
          line: 1,
          column: 1,
        });
      }
      return problems;
    },
  };
}
