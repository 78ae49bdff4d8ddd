// millrace_cancel
import { appliedFiles } from '../orchestrator/index.ts';
import { lookApplied } from './apply.ts';
import { MOST, within } from './bounds.ts';
import type { ToolAnswer } from './call.ts';
import type { SessionDeps } from './deps.ts';
import { checkCancelled, getExecution } from './get-execution.ts';
import { findId } from './latest.ts';
import { headOf, metricsOf, progressOf, stepsOf } from './outcome.ts';
import { currentStepOf } from './progress.ts';
import type { CancelOutput } from './tool-schemas.ts';

export async function cancel(
  deps: SessionDeps,
  { executionId }: { executionId: string },
): Promise<ToolAnswer> {
  const { workspace } = deps;
  const client = await deps.connect();
  const { id, origin } = await findId(client, deps, executionId);
  const { cancelled, finalState } = checkCancelled(await client.executions.cancel(id));
  const execution = await getExecution(client, id);
  const stopped = execution.steps.find(({ index }) => index === finalState.currentStep)?.name;
  const changed = within(finalState.filesChanged, MOST.files);
  const applied = workspace === undefined ? [] : await appliedFiles(workspace, id);
  const written = within(applied, MOST.files);
  const omitted = changed.omitted + written.omitted;
  const output: CancelOutput = {
    cancelled,
    finalState: {
      ...headOf(execution, { applied: await lookApplied(deps, execution), origin }),
      progress: progressOf(execution),
      currentStep: stopped ?? currentStepOf(execution),
      filesChanged: changed.shown,
      appliedFiles: written.shown,
      ...(omitted === 0 ? {} : { omittedFiles: omitted }),
      ...stepsOf(execution),
      metrics: metricsOf(execution),
    },
  };
  return { kind: 'output', output, isError: false };
}
