// How a model is asked to cut a task into streams, from the map of a repository.
import { planningPrompt, planningRules } from './planning-prompt.ts';

const RULES = planningRules({
  intro:
    "You plan changes to a software project. You get a task and a map of the repository: its files, what they declare and what they import. Cut the task into streams: pieces of work that are done at the same time by models which see the files of their own stream, but not each other's work unless they wait for it.",
  commands: "the project's own checks are run after each stream.",
});

export interface ProposalRequest {
  task: string;
  /** As text of a prompt; empty for none. */
  instructions: string;
  map: string;
  maxStreams: number;
  /** What was wrong with the answer before. */
  problems?: readonly string[];
}

export function proposalPrompt(request: ProposalRequest): string {
  const { task, instructions, map, maxStreams, problems = [] } = request;
  const shown = [instructions, map];
  return planningPrompt({ rules: RULES, shown, task, maxStreams, problems: problems.join('\n') });
}
