// From a task to a plan: by a model that sees the map of the repository, or from a task list alone.
import type { CommandOptions } from '../../../command.ts';
import { openClient } from '../../../open-client.ts';
import { composeProposal } from '../../../../manifest/compose/compose-proposal.ts';
import { readTaskList } from '../../../../manifest/compose/spec-kit.ts';
import type { ComposedPlan } from '../../../../manifest/compose/compose.ts';
import { propose } from '../../../../planner/propose.ts';
import type { Proposed, Usage } from '../../../../planner/propose.ts';
import type { Survey } from '../../../../planner/survey.ts';
import { CommandError } from '../../../command-error.ts';
import { EXIT } from '../../../exit-codes.ts';
import { jobHint } from '../../../failure-hints.ts';
import { countOf, showTokens, showUsd } from '../../../terminal/figures.ts';
import { note } from '../../../terminal/output.ts';
import { plain } from '../../../terminal/plain-text.ts';
import { untilEnded } from '../../jobs/until-ended.ts';
import type { PlanningView } from './progress.ts';

export type Planned = { plan: ComposedPlan; usage: Usage | undefined } | { stopped: number };

export function usageText({ calls, input, output, costUsd }: Usage): string {
  const tokens = `${showTokens(input)} tokens in, ${showTokens(output)} out`;
  return `${countOf(calls, 'call')}, ${tokens}, ${showUsd(costUsd)}`;
}

function unusable(problems: readonly string[], hint: string): CommandError {
  const [first = ''] = problems;
  const more = problems.slice(1).map((problem) => `\n  ${plain(problem)}`);
  return new CommandError({
    code: 'NO_USABLE_PLAN',
    message: `There is no usable plan: ${plain(first)}${more.join('')}`,
    hint,
    exit: EXIT.failed,
  });
}

export function planOfList(list: string, { repository }: Survey): ComposedPlan {
  const result = composeProposal(readTaskList(list), repository);
  if (result.kind === 'plan') return result.plan;
  throw unusable(
    result.problems,
    'Name files in the tasks, or let a model plan the text with --as text.',
  );
}

function failed({ error, code, provider }: Extract<Proposed, { kind: 'failed' }>): CommandError {
  return new CommandError({
    code,
    message: `The model could not be asked: ${plain(error)}`,
    hint: jobHint(code, provider) ?? 'Run the command again, or choose another model with --model.',
    exit: code === 'TIMEOUT' ? EXIT.timedOut : EXIT.failed,
  });
}

export async function planOfTask(
  survey: Survey,
  { model, view, onAsking }: { model: string; view: PlanningView; onAsking: () => void },
  options: CommandOptions,
): Promise<Planned> {
  const { request } = await survey.request();
  // A server that has to be started is announced.
  view.hide();
  const client = await openClient(options, { waits: true });
  onAsking();
  let proposed: Proposed | undefined;
  const { stopped } = await untilEnded<void>(
    async (signal) => {
      proposed = await propose({
        client,
        model,
        request,
        repository: survey.repository,
        signal,
        onProgress(length, call) {
          if (length > 0) view.detail(`${showTokens(length)} characters`);
          else view.step(call === 1 ? `Asking ${plain(model)} for a plan` : 'Asking again');
        },
      });
      signal.throwIfAborted();
    },
    async () => {},
  ).finally(() => view.close());
  if (proposed === undefined) return { stopped: stopped ?? EXIT.interrupted };
  const { usage } = proposed;
  if (stopped !== undefined) {
    note(`Stopped. Nothing was written. Used: ${usageText(usage)}.`);
    return { stopped };
  }
  switch (proposed.kind) {
    case 'plan':
      return { plan: proposed.plan, usage };
    case 'failed':
      throw failed(proposed);
    case 'unusable':
      note(`Used: ${usageText(usage)}.`);
      throw unusable(proposed.problems, 'Say more about the task, or choose another model.');
    case 'stopped':
      return { stopped: EXIT.interrupted };
  }
}
