// From an answer to the steps of an execution: what the model proposes, repaired by the rules that all plans go through.
import { composeProposal } from '../../manifest/compose/compose-proposal.ts';
import type { ComposedPlan } from '../../manifest/compose/compose.ts';
import { planStreams } from '../../manifest/plan.ts';
import { readPlanAnswer } from '../prompt/plan-answer.ts';
import { repositoryOfTask } from './known-files.ts';
import type { PlannedTask } from './known-files.ts';
import type { PlannedStep } from './model.ts';
import { sizeProblem } from './plan-size.ts';

export type ReadPlan =
  | { kind: 'plan'; steps: PlannedStep[]; plan: ComposedPlan }
  /** No rule can repair it; the model may do better when it knows why. */
  | { kind: 'invalid'; problems: readonly string[] };

function toSteps({ streams }: ComposedPlan): PlannedStep[] | undefined {
  const order = planStreams(new Map(streams.map((stream) => [stream.id, stream])));
  if (order.kind === 'cyclic') return undefined;
  const positionOf = new Map(streams.map(({ id }, position) => [id, position]));
  return streams.map(({ id, name, plan, deps, owns, reads }) => {
    const { wave, waitsFor } = order.streams.get(id)!;
    return {
      streamId: id,
      name,
      wave,
      plan: plan === '' ? name : plan,
      deps,
      owns,
      reads,
      waitsFor: waitsFor.map((waited) => positionOf.get(waited.id)!),
    };
  });
}

export function readPlan(output: string, planned: PlannedTask): ReadPlan {
  const { maxSteps } = planned;
  const read = readPlanAnswer(output);
  const problem = read.kind === 'proposal' ? sizeProblem(read.proposal, maxSteps) : undefined;
  if (problem !== undefined) return { kind: 'invalid', problems: [problem] };
  const composed = composeProposal(read, repositoryOfTask(planned));
  if (composed.kind === 'invalid') return composed;
  const { plan } = composed;
  if (plan.streams.length > maxSteps) {
    const count = plan.streams.length;
    const problems = [`There are ${count} streams; at most ${maxSteps} are allowed.`];
    return { kind: 'invalid', problems };
  }
  const steps = toSteps(plan);
  if (steps !== undefined) return { kind: 'plan', steps, plan };
  return { kind: 'invalid', problems: ['The streams wait for each other.'] };
}
