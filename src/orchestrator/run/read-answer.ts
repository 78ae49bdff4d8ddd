// From what the model said to an artifact, or to the end of the attempt.
import type { Artifact, Operation } from '../../contract/artifact.ts';
import { parseArtifact } from '../../domain/artifact/parse-artifact.ts';
import type { Attempt } from './context.ts';
import { haltOf } from './model-caller.ts';
import type { Asked } from './model-caller.ts';
import { failed } from './stream-outcome.ts';
import type { StreamOutcome } from './stream-outcome.ts';

export type Answer =
  | { kind: 'artifact'; artifact: Artifact }
  | { kind: 'done'; outcome: StreamOutcome };

function done(outcome: StreamOutcome): Answer {
  return { kind: 'done', outcome };
}

export function readAnswer({ task }: Attempt, asked: Asked): Answer {
  if (asked.kind === 'stopped') return done({ kind: 'stopped' });
  if (asked.kind === 'over_budget')
    return done({ kind: 'halted', halt: haltOf(asked, task.model)! });
  if (asked.kind === 'failed') {
    const halt = haltOf(asked, task.model);
    if (halt) return done({ kind: 'halted', halt });
    const { code, status, error } = asked;
    return done(failed({ kind: 'call', code, status, error }));
  }
  // Whole files may stand in it, and even a closed block: others that were to follow would be missing.
  if (asked.cutOff) return done(failed({ kind: 'cut_off', cut: asked.cutOff }));
  const parsed = asked.artifact
    ? { kind: 'found' as const, artifact: asked.artifact }
    : parseArtifact(asked.output, task.id);
  if (parsed.kind === 'found') {
    const { artifact } = parsed;
    if (artifact.status !== 'failed') return { kind: 'artifact', artifact };
    const error = `The model reports that it could not finish: ${artifact.summary}`;
    return done(failed({ kind: 'answer', error }));
  }
  if (parsed.kind === 'reads') {
    const error = `The answer cannot be used: it asks for files (${parsed.paths.join(', ')})`;
    return done(failed({ kind: 'answer', error }));
  }
  if (parsed.kind === 'none' && task.owns.length === 0) {
    // A task that owns nothing may be one that only asks for words.
    return done({ kind: 'complete', files: [], appliedAt: undefined });
  }
  const why = parsed.kind === 'none' ? 'it holds no file changes' : parsed.problems.join('; ');
  return done(failed({ kind: 'answer', error: `The answer cannot be used: ${why}` }));
}

// The answer to a second question holds only what failed in the first one: both together are the
// artifact.

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
