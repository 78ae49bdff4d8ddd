// What a call of millrace_execute is answered with, now or later.
import type { Execution } from '../client/index.ts';
import type { ToolAnswer } from './call.ts';
import { decide } from './decide.ts';
import type { Deciding } from './decide.ts';
import { outcomeOf } from './outcome.ts';
import type { ExecuteOutput } from './tool-schemas.ts';
import type { TaskFiles } from './workspace-files.ts';

const MOST_LEFT_OUT = 50;

export async function answerOf(
  deciding: Deciding,
  execution: Execution,
  files?: TaskFiles,
): Promise<Exclude<ToolAnswer, { kind: 'task' }>> {
  const decision = await decide(deciding, execution);
  if (decision.kind === 'question') return decision;
  const { applied } = decision;
  const leftOut = (files?.leftOut ?? [])
    .slice(0, MOST_LEFT_OUT)
    .map(({ path, why }) => ({ path, why }));
  const output: ExecuteOutput = {
    ...outcomeOf(execution, { applied, files }),
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
  return { kind: 'output', output, isError: execution.status === 'failed' };
}
