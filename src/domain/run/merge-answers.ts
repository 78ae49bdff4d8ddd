// Several answers to one task: each later one holds what was asked for again, and sometimes more.
import type { Operation } from '../../contract/artifact.ts';

/** What is left of an answer without the parts that cannot be used. */
export function withoutFailed(
  operations: readonly Operation[],
  problems: readonly { path: string; editIndex?: number }[],
): Operation[] {
  return operations.flatMap((operation): Operation[] => {
    const own = problems.filter(({ path }) => path === operation.path);
    if (own.length === 0) return [operation];
    if (!('edits' in operation) || own.some(({ editIndex }) => editIndex === undefined)) return [];
    const edits = operation.edits.filter((_, at) => !own.some(({ editIndex }) => editIndex === at));
    return edits.length === 0 ? [] : [{ ...operation, edits }];
  });
}

/** For a file that both change the later answer counts; edits of both are made together. */
export function mergeAnswers(kept: readonly Operation[], later: readonly Operation[]): Operation[] {
  const answers = new Map(later.map((operation) => [operation.path, operation]));
  const merged = kept.map((operation) => {
    const answer = answers.get(operation.path);
    answers.delete(operation.path);
    if (answer === undefined) return operation;
    if (!('edits' in answer) || !('edits' in operation)) return answer;
    return { ...answer, edits: [...operation.edits, ...answer.edits] };
  });
  return [...merged, ...answers.values()];
}
