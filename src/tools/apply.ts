// Writes a result into the workspace, where the user's settings say so. A result that cannot be written
// is still a result: it was paid for, and the user can apply it later.
import type { Execution, MillraceClient } from '../client/index.ts';
import { OrchestratorError, appliedFiles, applyExecution } from '../orchestrator/index.ts';
import type { AppliedExecution } from '../orchestrator/index.ts';
import type { ToolCall } from './call.ts';
import type { ToolDeps, Workspace } from './deps.ts';
import { findUndecided, forgetUndecided } from './undecided.ts';

export interface Applied {
  applied: 'none' | 'all' | 'conflict';
  conflicts: { code: string; message: string }[];
  /** Writes what is not written yet. */
  command: string | undefined;
  /** How to get at the changes from where the project is, if it is not here. */
  elsewhere?: string;
}

const NOTHING: Applied = { applied: 'none', conflicts: [], command: undefined };

function elsewhere(id: string): Applied {
  const text =
    `The changes are on the server. Ask the user to run, in the project: millrace diff ${id} to see ` +
    `them, millrace apply ${id} to write them. Or get the artifacts from /v1/executions/${id}.`;
  return { ...NOTHING, elsewhere: text };
}

function hasChanges({ status, result }: Execution): boolean {
  return (
    status === 'completed' && (result?.artifacts ?? []).some((each) => each.operations.length > 0)
  );
}

/** As far as it is written, without writing anything. */
async function lookApplied(
  { workspace, settings }: ToolDeps,
  execution: Execution,
): Promise<Applied> {
  if (!hasChanges(execution)) return NOTHING;
  if (workspace === undefined) return elsewhere(execution.id);
  const files = await appliedFiles(workspace, execution.id);
  if (files.length > 0) return { ...NOTHING, applied: 'all' };
  const command = settings.apply === 'never' ? undefined : workspace.applyCommand(execution.id);
  return { ...NOTHING, command };
}

/** Another process of the workspace may be writing just now. */
const LOCKED_MS = 5000;
const LOCKED_STEP_MS = 50;

async function applyOnce(
  { clock }: ToolDeps,
  workspace: Workspace,
  client: MillraceClient,
  id: string,
): Promise<AppliedExecution> {
  const until = clock.now() + LOCKED_MS;
  for (;;) {
    try {
      const connect = async () => client;
      return await applyExecution(workspace, id, { connect, file: undefined, isAutomatic: true });
    } catch (error) {
      if (!isLocked(error) || clock.now() >= until) throw error;
      await clock.sleep(LOCKED_STEP_MS);
    }
  }
}

const isLocked = (error: unknown) =>
  error instanceof OrchestratorError && error.code === 'RUN_LOCKED';

async function write(
  deps: ToolDeps,
  workspace: Workspace,
  client: MillraceClient,
  execution: Execution,
): Promise<Applied> {
  const { id } = execution;
  try {
    const { isRepeated } = await applyOnce(deps, workspace, client, id);
    forgetUndecided(workspace, id);
    return isRepeated ? await lookApplied(deps, execution) : { ...NOTHING, applied: 'all' };
  } catch (error) {
    const command = workspace.applyCommand(id);
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof OrchestratorError ? error.code : 'FAILED';
    const isConflict = code === 'ARTIFACT_REJECTED' || code === 'CONFLICT';
    // Told once, and not tried again later, when nobody expects it.
    if (isConflict) forgetUndecided(workspace, id);
    return isConflict
      ? { applied: 'conflict', conflicts: [{ code: 'APPLY_CONFLICT', message }], command }
      : { applied: 'none', conflicts: [{ code, message }], command };
  }
}

/** For an answer that tells the end of an execution: that is when results are written, and only once. */
export async function applyResult(
  deps: ToolDeps,
  client: MillraceClient,
  execution: Execution,
  { signal }: ToolCall,
): Promise<Applied> {
  const { workspace, settings } = deps;
  if (workspace === undefined || execution.status === 'running') {
    return lookApplied(deps, execution);
  }
  if (!hasChanges(execution)) {
    forgetUndecided(workspace, execution.id);
    return NOTHING;
  }
  // Whoever gave up on the call does not hear of it.
  const isDue =
    settings.apply === 'auto' &&
    !signal.aborted &&
    findUndecided(workspace, execution.id) !== undefined;
  return isDue ? write(deps, workspace, client, execution) : lookApplied(deps, execution);
}
