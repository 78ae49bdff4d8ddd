// What a prompt about "the last run" is about: the last run of a manifest, or the last execution that an
// assistant started, whichever is newer. Nothing is asked of a server to know it: ids begin with their time.
import { findRun, listRuns } from '../../orchestrator/index.ts';
import { EXECUTION_ID_PATTERN } from '../../contract/fields.ts';
import type { SessionDeps, Workspace } from '../deps.ts';
import { readLatest } from '../latest.ts';

export type Work = { kind: 'run' } | { kind: 'execution'; id: string };

const timeOf = (id: string): string => id.slice(id.indexOf('_') + 1);

export async function latestWork(
  { attempts, clock }: SessionDeps,
  workspace: Workspace,
): Promise<Work> {
  const id = attempts.latest() ?? readLatest(workspace);
  if (id === undefined || !EXECUTION_ID_PATTERN.test(id)) return { kind: 'run' };
  const { total } = await listRuns(workspace, { limit: 0, now: clock.now() });
  if (total === 0) return { kind: 'execution', id };
  const { runId } = await findRun(workspace.stateDir, undefined);
  return timeOf(runId) > timeOf(id) ? { kind: 'run' } : { kind: 'execution', id };
}
