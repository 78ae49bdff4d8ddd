// The answer to a second question holds only what failed in the first one: both together are the
// artifact.
import type { Operation } from '../../contract/artifact.ts';

export interface FailedBlocks {
  path: string;
  /** Places of the edits that failed; undefined when the whole operation did. */
  editIndexes: readonly number[] | undefined;
}

export function mergeAnswers(
  first: readonly Operation[],
  failed: readonly FailedBlocks[],
  second: readonly Operation[],
): Operation[] {
  const failedAt = new Map(failed.map((blocks) => [blocks.path, blocks.editIndexes]));
  const answers = new Map(second.map((operation) => [operation.path, operation]));
  const merged = first.flatMap((operation): Operation[] => {
    if (!failedAt.has(operation.path)) return [operation];
    const answer = answers.get(operation.path);
    answers.delete(operation.path);
    const good = goodEdits(operation, failedAt.get(operation.path));
    if (answer === undefined) return [operation];
    if (answer.type !== 'edit' || !('edits' in answer) || good.length === 0) return [answer];
    return [{ ...answer, edits: [...good, ...answer.edits] }];
  });
  return merged;
}

function goodEdits(operation: Operation, failed: readonly number[] | undefined) {
  if (operation.type !== 'edit' || !('edits' in operation) || failed === undefined) return [];
  return operation.edits.filter((_, index) => !failed.includes(index));
}
