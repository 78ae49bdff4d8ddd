import type { ApplyProblem } from '../artifact/apply-problem.ts';
import type { StreamFailure } from './failure-class.ts';

/** Changes that cannot be applied, as the failure of their stream. */
export function rejection(problems: readonly ApplyProblem[]): StreamFailure {
  const lines = problems.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const error = `The answer cannot be applied: ${lines.join('; ')}`;
  return { kind: 'artifact', codes: problems.map(({ code }) => code), error };
}
