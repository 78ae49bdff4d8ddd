// What a call of millrace_execute is answered with, now or later.
import type { Execution } from '../client/index.ts';
import type { ToolAnswer } from './call.ts';
import { decide } from './decide.ts';
import type { Deciding } from './decide.ts';
import type { Origin } from './headline.ts';
import { executeOutput } from './outcome.ts';
import type { TaskFiles } from './workspace-files.ts';

export async function answerOf(
  deciding: Deciding,
  execution: Execution,
  about: { files?: TaskFiles; origin?: Origin | undefined } = {},
): Promise<Exclude<ToolAnswer, { kind: 'task' }>> {
  const decision = await decide(deciding, execution);
  if (decision.kind === 'question') {
    return { ...decision, question: { ...decision.question, origin: about.origin } };
  }
  const { applied } = decision;
  const output = executeOutput(execution, { applied, ...about });
  return { kind: 'output', output, isError: execution.status === 'failed' };
}
