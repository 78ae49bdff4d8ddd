// From what was proposed to a plan that can be used, or to what is wrong with it in words for the model.
import { compose } from './compose.ts';
import type { ComposedPlan } from './compose.ts';
import type { ReadProposal } from './proposal.ts';
import type { Repository } from './repository.ts';
import { wideProblem } from './wide-entries.ts';

export type ComposedProposal =
  | { kind: 'plan'; plan: ComposedPlan }
  | { kind: 'invalid'; problems: readonly string[] };

const MAX_PROBLEMS = 20;

export function composeProposal(read: ReadProposal, repository: Repository): ComposedProposal {
  if (read.kind === 'invalid') return read;
  const tooWide = wideProblem(read.proposal, repository);
  if (tooWide !== undefined) return { kind: 'invalid', problems: [tooWide] };
  const composed = compose(read.proposal, repository);
  if (composed.kind === 'composed') return { kind: 'plan', plan: composed.plan };
  const problems = [
    'No stream is left with a file that it may write.',
    ...composed.remarks.map(({ text }) => text),
  ];
  return { kind: 'invalid', problems: problems.slice(0, MAX_PROBLEMS) };
}
