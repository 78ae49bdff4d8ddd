// The last run is not always the one that changed something: one with nothing to do comes after it.
import { listRunIds } from '../state/run-folder.ts';
import { appliedChanges } from './applied-changes.ts';

/** What runs wrote is read for it: not the whole history of a project. */
const MOST_RUNS = 20;

/** The last run whose changes are still there, if there is one. */
export async function lastWithChanges(stateDir: string): Promise<string | undefined> {
  for (const runId of (await listRunIds(stateDir)).toReversed().slice(0, MOST_RUNS)) {
    const { net } = await appliedChanges(stateDir, runId);
    if (net.length > 0) return runId;
  }
  return undefined;
}
