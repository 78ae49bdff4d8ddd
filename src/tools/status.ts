// millrace_status: how an execution is doing. It waits for news, because models that get the same
// answer again and again ask in a loop.
import { applyResult } from './apply.ts';
import type { ToolAnswer, ToolCall } from './call.ts';
import type { ToolDeps } from './deps.ts';
import { follow } from './follow.ts';
import { findId } from './latest.ts';
import { outcomeOf, progressOf } from './outcome.ts';
import { currentStepOf } from './progress.ts';
import type { StatusOutput } from './tool-schemas.ts';

export async function status(
  deps: ToolDeps,
  { executionId }: { executionId: string },
  call: ToolCall,
): Promise<ToolAnswer> {
  const { clock, settings, workspace } = deps;
  const client = await deps.connect();
  const id = await findId(client, workspace, executionId);
  const waitMs = Math.min(settings.statusWaitMs, settings.softDeadlineMs ?? Infinity);
  const until = clock.now() + waitMs;
  const { signal } = call;
  const execution = await follow({ client, clock }, id, { signal, until, returnsNews: true });
  const applied = await applyResult(deps, client, execution, call);
  const { status: state, ...outcome } = outcomeOf(execution, { applied });
  const output: StatusOutput = {
    status: state,
    progress: progressOf(execution),
    currentStep: currentStepOf(execution),
    elapsed: execution.metrics.duration,
    ...outcome,
  };
  return { output, isError: false };
}
