// millrace_status: how an execution is doing. It waits for news, because models that get the same
// answer again and again ask in a loop.
import type { ToolAnswer, ToolCall } from './call.ts';
import { answeredId, decide } from './decide.ts';
import type { ToolDeps } from './deps.ts';
import { follow } from './follow.ts';
import { findId } from './latest.ts';
import { statusOutput } from './outcome.ts';
import { deadlineOf } from './soft-deadline.ts';

export async function status(
  deps: ToolDeps,
  { executionId }: { executionId: string },
  call: ToolCall,
): Promise<ToolAnswer> {
  const { clock, settings, workspace } = deps;
  const answerBy = deadlineOf(deps, call) + settings.answerGraceMs;
  const client = await deps.connect();
  const id = answeredId(deps, call) ?? (await findId(client, workspace, executionId));
  const waitMs = Math.min(settings.statusWaitMs, settings.softDeadlineMs ?? Infinity);
  const until = clock.now() + waitMs;
  const { signal } = call;
  const execution = await follow({ client, clock }, id, {
    signal,
    until,
    returnsNews: true,
    waitsForServer: deps.settings.waitsForServer,
  });
  const decision = await decide({ deps, client, call, answerBy }, execution);
  if (decision.kind === 'question') return decision;
  const { applied } = decision;
  const output = statusOutput(execution, { applied });
  return { kind: 'output', output, isError: false };
}
