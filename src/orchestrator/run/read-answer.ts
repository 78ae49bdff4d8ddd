// From what the model said to what can be done with it, or to the end of the attempt.
import type { Operation } from '../../contract/artifact.ts';
import { parseArtifact } from '../../domain/artifact/parse-artifact.ts';
import type { CutOff } from '../../domain/run/cut-off.ts';
import type { Attempt } from './context.ts';
import { haltOf } from './model-caller.ts';
import type { Asked } from './model-caller.ts';
import type { Proposal } from '../../agents/worker.ts';
import type { StreamFailure } from '../../domain/run/failure-class.ts';

export type Answer =
  | { kind: 'changes'; operations: readonly Operation[]; summary: string }
  /** It wants to see these files first. */
  | { kind: 'reads'; paths: readonly string[] }
  /** Changes were meant, but not all of them can be read. */
  | { kind: 'unclear'; problems: readonly string[]; readable: Operation[]; unclear: string[] }
  | { kind: 'cut_off'; cut: CutOff }
  | { kind: 'ended'; proposal: Exclude<Proposal, { kind: 'changes' }> };

function ended(proposal: Exclude<Proposal, { kind: 'changes' }>): Answer {
  return { kind: 'ended', proposal };
}

const failed = (failure: StreamFailure): Answer => ended({ kind: 'failed', failure });

/** The others of the run can go on. */
function overStreamCap(
  { maxCostUsd = 0 }: Attempt['task'],
  { neededUsd, spentUsd }: Extract<Asked, { kind: 'over_budget' }>,
): StreamFailure {
  const next =
    neededUsd === null ? 'a call of unknown cost' : `a call of up to $${neededUsd.toFixed(4)}`;
  const error = `The stream may cost $${maxCostUsd.toFixed(2)}, $${spentUsd.toFixed(4)} is spent, and ${next} does not fit (maxCostUsd).`;
  return { kind: 'call', code: 'OVER_BUDGET', status: 402, error };
}

/** What becomes of an attempt whose question has no answer. */
export function withoutAnswer(
  { task }: Pick<Attempt, 'task'>,
  asked: Exclude<Asked, { kind: 'answered' }>,
): Exclude<Proposal, { kind: 'changes' }> {
  if (asked.kind === 'stopped') return { kind: 'stopped' };
  if (asked.kind === 'over_budget' && asked.isOfStream) {
    return { kind: 'failed', failure: overStreamCap(task, asked) };
  }
  const halt = haltOf(asked, task.model);
  if (halt !== undefined) return { kind: 'halted', halt };
  const { code, status, error } = asked as Extract<Asked, { kind: 'failed' }>;
  return { kind: 'failed', failure: { kind: 'call', code, status, error } };
}

export function readAnswer({ task }: Attempt, asked: Asked): Answer {
  if (asked.kind !== 'answered') return ended(withoutAnswer({ task }, asked));
  // Whole files may stand in it, and even a closed block: others that were to follow would be missing.
  if (asked.cutOff) return { kind: 'cut_off', cut: asked.cutOff };
  const parsed = asked.artifact
    ? { kind: 'found' as const, artifact: asked.artifact }
    : parseArtifact(asked.output, task.id);
  switch (parsed.kind) {
    case 'found': {
      const { status, operations, summary } = parsed.artifact;
      if (status !== 'failed') return { kind: 'changes', operations, summary };
      const error = `The model reports that it could not finish: ${summary}`;
      return failed({ kind: 'answer', error });
    }
    case 'reads':
      return parsed;
    case 'none': {
      // A task that owns nothing may be one that only asks for words.
      if (task.owns.length === 0) return { kind: 'changes', operations: [], summary: '' };
      const problems = ['it holds no file changes'];
      return { kind: 'unclear', problems, readable: [], unclear: [] };
    }
    case 'invalid': {
      const { problems, readable, unclear } = parsed;
      return { kind: 'unclear', problems, readable, unclear };
    }
  }
}
