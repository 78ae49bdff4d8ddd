import type { Operation } from '../../contract/artifact.ts';
import { checkPath } from './check-path.ts';
import { quote, type Problems } from './problems.ts';
import { MAX_OPERATIONS } from './read-json.ts';
import { utf8Length } from './utf8-length.ts';

const MEBIBYTE = 1024 * 1024;

export interface OperationLimits {
  operations: number;
  fileMebibytes: number;
  totalMebibytes: number;
}

export const OF_ANSWERS: OperationLimits = {
  operations: MAX_OPERATIONS,
  fileMebibytes: 5,
  totalMebibytes: 50,
};

/** What was changed by a program in a copy of the project was not written token by token. */
export const OF_AGENTS: OperationLimits = {
  operations: 2000,
  fileMebibytes: 8,
  totalMebibytes: 128,
};
const SHA256 = /^[0-9a-f]{64}$/;

/** The rules that hold for operations of either form, over all operations of one artifact. */
export function checkOperations(
  operations: readonly Operation[],
  problems: Problems,
  limits = OF_ANSWERS,
): void {
  if (operations.length > limits.operations) {
    problems.add(
      `there are ${operations.length} operations; at most ${limits.operations} are allowed`,
    );
    return;
  }
  const seen = new Map<string, string>();
  let total = 0;
  for (const operation of operations) {
    const { path } = operation;
    const problem = checkPath(path);
    if (problem !== undefined) problems.add(`${quote(path)}: ${problem}`);
    checkTwice(path, seen, problems);
    checkTexts(operation, problems);
    const bytes = textsOf(operation).reduce((sum, text) => sum + utf8Length(text), 0);
    if (bytes > limits.fileMebibytes * MEBIBYTE) {
      problems.add(`${quote(path)} is larger than ${limits.fileMebibytes} MiB`);
    }
    total += bytes;
  }
  if (total > limits.totalMebibytes * MEBIBYTE) {
    problems.add(`all files together are larger than ${limits.totalMebibytes} MiB`);
  }
}

// On file systems that ignore case the second would overwrite the first.
function checkTwice(path: string, seen: Map<string, string>, problems: Problems): void {
  const key = path.toLowerCase();
  const earlier = seen.get(key);
  if (earlier === path) problems.add(`${quote(path)} is named by two operations`);
  else if (earlier !== undefined) {
    problems.add(`${quote(path)} and ${quote(earlier)} differ only by case`);
  }
  seen.set(key, path);
}

function checkTexts(operation: Operation, problems: Problems): void {
  const { path } = operation;
  if ('edits' in operation && operation.edits.some((edit) => edit.oldText === '')) {
    problems.add(`${quote(path)}: an edit has an empty oldText`);
  }
  const base = 'baseSha256' in operation ? operation.baseSha256 : undefined;
  if (base !== undefined && !SHA256.test(base)) {
    problems.add(`${quote(path)}: baseSha256 must be 64 hexadecimal digits`);
  }
  // A lone surrogate has no UTF-8 form: the file written would not be the text that was meant.
  if (!textsOf(operation).every((text) => text.isWellFormed())) {
    problems.add(`${quote(path)}: the text is not valid Unicode`);
  }
}

function textsOf(operation: Operation): string[] {
  if (operation.type === 'delete') return [];
  if ('content' in operation) return [operation.content];
  return operation.edits.flatMap((edit) => [edit.oldText, edit.newText]);
}
