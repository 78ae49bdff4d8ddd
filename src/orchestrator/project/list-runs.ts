// The runs of a project, newest first.
import type { RunTotals } from '../../contract/run-events.ts';
import { StateDamagedError } from '../state/state-errors.ts';
import { listRunIds } from '../state/run-folder.ts';
import { findRun } from './find-run.ts';
import type { RunState } from './find-run.ts';
import { statusOfRun } from './run-status.ts';
import { OrchestratorError } from '../errors.ts';

export interface ListedRun {
  runId: string;
  /** `damaged`: its journal cannot be read; nothing else is known of it. */
  state: RunState | 'damaged';
  /** Of the last start: a run may be resumed. Empty when it is damaged. */
  startedAt: string;
  manifest: string;
  file: string;
  model: string;
  simulated: boolean;
  totals: RunTotals | undefined;
}

export interface RunList {
  runs: ListedRun[];
  /** How many there are; the list may have fewer. */
  total: number;
}

export async function listRuns(
  project: { stateDir: string },
  { limit, now }: { limit: number; now: number },
): Promise<RunList> {
  const ids = (await listRunIds(project.stateDir)).toReversed();
  const runs: ListedRun[] = [];
  for (const runId of ids) {
    if (runs.length === limit) break;
    const listed = await describeRun(project, runId, now);
    if (listed !== undefined) runs.push(listed);
  }
  return { runs, total: ids.length };
}

/** Undefined for one that never came to start: there is nothing to look at. */
async function describeRun(
  project: { stateDir: string },
  runId: string,
  now: number,
): Promise<ListedRun | undefined> {
  try {
    const { state, projection, totals } = statusOfRun(
      project,
      await findRun(project.stateDir, runId),
      now,
    );
    const { manifest, file, model, simulated } = projection;
    const startedAt = new Date(projection.startedAt).toISOString();
    return { runId, state, startedAt, manifest, file, model, simulated, totals };
  } catch (error) {
    if (error instanceof OrchestratorError) return undefined;
    // One that is damaged must not hide the others.
    if (!(error instanceof StateDamagedError)) throw error;
    const unknown = { startedAt: '', manifest: '', file: '', model: '', simulated: false };
    return { runId, state: 'damaged', ...unknown, totals: undefined };
  }
}
