// A second question, for the part of an answer that could not be used.
import type { Artifact } from '../../contract/artifact.ts';
import { buildReaskPrompt } from '../../domain/prompt/reask.ts';
import type { BuiltPrompt } from '../../domain/prompt/prompt.ts';
import type { ApplyProblem } from '../apply/file-change.ts';
import { createFileReader } from '../context/project-file.ts';
import { applyAndVerify } from './apply-stream.ts';
import type { Applied } from './apply-stream.ts';
import { askModel } from './ask-model.ts';
import type { Attempt, RunContext } from './context.ts';
import { mergeAnswers, readAnswer } from './read-answer.ts';
import { settle } from './stream-outcome.ts';
import type { StreamOutcome } from './stream-outcome.ts';

/** Edits that missed their place are asked for once more; anything else is not a matter of words. */
export function blocksToAsk(applied: Applied): readonly ApplyProblem[] | undefined {
  if (applied.kind !== 'failed' || applied.problems === undefined) return undefined;
  const isMiss = ({ code }: ApplyProblem) => code === 'NO_MATCH' || code === 'AMBIGUOUS';
  return applied.problems.every(isMiss) ? applied.problems : undefined;
}

export async function askAgain(
  context: RunContext,
  start: Attempt,
  first: { artifact: Artifact; problems: readonly ApplyProblem[] },
): Promise<StreamOutcome> {
  const asked = await askModel(context, start, 2, () => reaskPrompt(context, start, first));
  const second = readAnswer(start, asked);
  if (second.kind === 'done') return second.outcome;
  const paths = [...new Set(first.problems.map(({ path }) => path))];
  const failedBlocks = paths.map((path) => ({
    path,
    editIndexes: first.problems.flatMap((problem) =>
      problem.path === path && problem.editIndex !== undefined ? [problem.editIndex] : [],
    ),
  }));
  const operations = mergeAnswers(
    first.artifact.operations,
    failedBlocks,
    second.artifact.operations,
  );
  return settle(context, await applyAndVerify(context, start, operations));
}

async function reaskPrompt(
  context: RunContext,
  { task }: Attempt,
  { artifact, problems }: { artifact: Artifact; problems: readonly ApplyProblem[] },
): Promise<BuiltPrompt> {
  const paths = [...new Set(problems.map(({ path }) => path))];
  // As the context is read: a path of the model's must not lead out of the project either.
  const reader = createFileReader(context.root);
  const files = paths.map((path) => {
    const file = reader.read(path, { isOwned: true });
    return { path, text: file.kind === 'text' ? file.text : '' };
  });
  const failures = problems.map((problem) => {
    const operation = artifact.operations.find(({ path }) => path === problem.path);
    const edits = operation && 'edits' in operation ? operation.edits : [];
    const oldText = edits[problem.editIndex ?? -1]?.oldText;
    return { ...problem, ...(oldText !== undefined && { oldText }) };
  });
  return buildReaskPrompt({ task, failures, files });
}
