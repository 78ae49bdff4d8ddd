import type { ApplyProblem } from '../artifact/apply-problem.ts';
import type { StreamFailure } from './failure-class.ts';

/** Changes that cannot be applied, as the failure of their stream. */
/** `whose`: what an agent did is no answer. */
export function rejection(
  problems: readonly ApplyProblem[],
  whose: 'The answer' | 'The changes' = 'The answer',
): StreamFailure {
  const lines = problems.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const more =
    problems.length > lines.length ? ` (and ${problems.length - lines.length} more)` : '';
  const error = `${whose} cannot be applied: ${lines.join('; ')}${more}`;
  return { kind: 'artifact', codes: problems.map(({ code }) => code), error };
}
