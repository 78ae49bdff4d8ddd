// Writes a result into the workspace, where the user's settings say so. A result that cannot be written
// is still a result: it was paid for, and the user can apply it later.
import type { Execution, MillraceClient } from '../client/index.ts';
import { OrchestratorError, appliedFiles, applyExecution } from '../orchestrator/index.ts';
import type { ToolDeps } from './deps.ts';

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

export async function applyResult(
  deps: ToolDeps,
  client: MillraceClient,
  execution: Execution,
): Promise<Applied> {
  const { workspace, settings } = deps;
  if (settings.apply !== 'auto' || workspace === undefined || !hasChanges(execution)) {
    return lookApplied(deps, execution);
  }
  try {
    const connect = async () => client;
    await applyExecution(workspace, execution.id, { connect, file: undefined });
    return { ...NOTHING, applied: 'all' };
  } catch (error) {
    const command = workspace.applyCommand(execution.id);
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof OrchestratorError ? error.code : 'FAILED';
    return code === 'ARTIFACT_REJECTED' || code === 'CONFLICT'
      ? { applied: 'conflict', conflicts: [{ code: 'APPLY_CONFLICT', message }], command }
      : { applied: 'none', conflicts: [{ code, message }], command };
  }
}
