// Writes a result into the workspace, or sees whether it is written. A result that cannot be written
// is still a result: it was paid for, and the user can apply it later.
import type { Execution, MillraceClient } from '../client/index.ts';
import { OrchestratorError, appliedFiles, applyExecution } from '../orchestrator/index.ts';
import type { AppliedExecution } from '../orchestrator/index.ts';
import type { ToolDeps, Workspace } from './deps.ts';
import type { Said } from './question.ts';
import { forgetUndecided } from './undecided.ts';

export interface Applied {
  applied: 'none' | 'all' | 'conflict';
  conflicts: { code: string; message: string }[];
  /** Writes what is not written yet. */
  command: string | undefined;
  /** How to get at the changes from where the project is, if it is not here. */
  elsewhere?: string;
  /** What the user answered, if they were asked: `none` when nobody did. */
  answer?: Exclude<Said, 'yes'>;
}

export const NOTHING: Applied = { applied: 'none', conflicts: [], command: undefined };

function elsewhere(id: string): Applied {
  const text =
    `The changes are on the server. Ask the user to run, in the project: millrace diff ${id} to see ` +
    `them, millrace apply ${id} to write them. Or get the artifacts from /v1/executions/${id}.`;
  return { ...NOTHING, elsewhere: text };
}

export function hasChanges({ status, result }: Execution): boolean {
  return (
    status === 'completed' && (result?.artifacts ?? []).some((each) => each.operations.length > 0)
  );
}

/** As far as it is written, without writing anything. */
export async function lookApplied(
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

export async function writeResult(
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
    // Reported once, and not tried again later, when nobody expects it.
    if (isConflict) forgetUndecided(workspace, id);
    return isConflict
      ? { applied: 'conflict', conflicts: [{ code: 'APPLY_CONFLICT', message }], command }
      : { applied: 'none', conflicts: [{ code, message }], command };
  }
}
