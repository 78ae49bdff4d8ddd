// What is wrong with operations before any file is looked at. They were checked when they were read;
// what writes to a disk does not rely on it.
import type { Operation } from '../../contract/artifact.ts';
import { OF_AGENTS, OF_ANSWERS, checkOperations } from '../../domain/artifact/check-operations.ts';
import type { OperationLimits } from '../../domain/artifact/check-operations.ts';
import { checkPath } from '../../domain/artifact/check-path.ts';
import { createProblems } from '../../domain/artifact/problems.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';

export interface Shapes {
  problems: ApplyProblem[];
  /** Wrong in themselves: not to be taken to the disk. */
  unfit: Set<Operation>;
  /** Too much to look any further. */
  stop: boolean;
}

/** What a program changed may be more than what a model writes token by token. */
export function checkShapes(
  operations: readonly Operation[],
  { isExact = false }: { isExact?: boolean } = {},
): Shapes {
  const limits = isExact ? OF_AGENTS : OF_ANSWERS;
  const problems: ApplyProblem[] = [];
  const unfit = new Set<Operation>();
  const overall = createProblems();
  checkOperations(operations, overall, limits);
  for (const operation of operations.slice(0, OF_AGENTS.operations)) {
    const { path } = operation;
    const known = problems.length;
    const message = checkPath(path);
    if (message !== undefined) {
      problems.push({ path, code: 'BAD_PATH', message: `${message}.` });
    } else problems.push(...checkOne(operation, limits));
    if (problems.length > known) unfit.add(operation);
  }
  problems.push(...checkNames(operations.filter((each) => !unfit.has(each))));
  const listed = overall.list();
  const stop = listed.length > 0 && problems.length === 0;
  // Each alone is fine, so it is how many they are or how large together.
  if (stop) problems.push({ path: '', code: 'TOO_LARGE', message: `${listed.join('; ')}.` });
  return { problems, unfit, stop: stop || operations.length > OF_AGENTS.operations };
}

function checkOne(operation: Operation, limits: OperationLimits): ApplyProblem[] {
  const { path } = operation;
  const found = createProblems();
  checkOperations([operation], found, limits);
  const messages = found.list();
  if (messages.length === 0) return [];
  return [{ path, code: codeFor(operation), message: `${messages.join('; ')}.` }];
}

function codeFor(operation: Operation): string {
  if (operation.type === 'delete') return 'STALE';
  const texts =
    'content' in operation
      ? [operation.content]
      : operation.edits.flatMap(({ oldText, newText }) => [oldText, newText]);
  if (!texts.every((text) => text.isWellFormed())) return 'NOT_TEXT';
  if ('edits' in operation && operation.edits.some(({ oldText }) => oldText === '')) {
    return 'NO_MATCH';
  }
  const base = 'baseSha256' in operation ? operation.baseSha256 : undefined;
  return base !== undefined && !/^[0-9a-f]{64}$/.test(base) ? 'STALE' : 'TOO_LARGE';
}

/** Two names for one file, and a file that another operation needs as a folder. */
function checkNames(operations: readonly Operation[]): ApplyProblem[] {
  const problems: ApplyProblem[] = [];
  const seen = new Map<string, string>();
  for (const { path } of operations) {
    const earlier = seen.get(path.toLowerCase());
    if (earlier !== undefined) {
      const message =
        earlier === path
          ? 'Two operations name this file; put them into one.'
          : `${earlier} differs only by case: on many disks it is the same file.`;
      problems.push({ path, code: 'DUPLICATE', message });
    }
    seen.set(path.toLowerCase(), path);
  }
  for (const { path } of operations) {
    const parts = path.toLowerCase().split('/');
    for (let count = 1; count < parts.length; count++) {
      const folder = seen.get(parts.slice(0, count).join('/'));
      if (folder === undefined) continue;
      const message = `${folder} is a file in this artifact, so it cannot contain other files.`;
      problems.push({ path, code: 'DUPLICATE', message });
    }
  }
  return problems;
}
