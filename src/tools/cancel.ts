// millrace_cancel
import { appliedFiles } from '../orchestrator/index.ts';
import type { ToolAnswer } from './call.ts';
import type { ToolDeps } from './deps.ts';
import { checkCancelled, getExecution } from './get-execution.ts';
import { findId } from './latest.ts';
import { metricsOf, progressOf, statusOf, stepsOf } from './outcome.ts';
import { currentStepOf } from './progress.ts';
import type { CancelOutput } from './tool-schemas.ts';

export async function cancel(
  deps: ToolDeps,
  { executionId }: { executionId: string },
): Promise<ToolAnswer> {
  const { workspace } = deps;
  const client = await deps.connect();
  const id = await findId(client, workspace, executionId);
  const { cancelled, finalState } = checkCancelled(await client.executions.cancel(id));
  const execution = await getExecution(client, id);
  const stopped = execution.steps.find(({ index }) => index === finalState.currentStep)?.name;
  const output: CancelOutput = {
    cancelled,
    finalState: {
      executionId: id,
      status: statusOf(execution),
      progress: progressOf(execution),
      currentStep: stopped ?? currentStepOf(execution),
      steps: stepsOf(execution),
      filesChanged: finalState.filesChanged,
      appliedFiles: workspace === undefined ? [] : await appliedFiles(workspace, id),
      metrics: metricsOf(execution),
    },
  };
  return { kind: 'output', output, isError: false };
}
