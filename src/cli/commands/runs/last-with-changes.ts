// The last run is not always the one that changed something: one with nothing to do comes after it.
import { listRunIds } from '../../../orchestrator/state/run-folder.ts';
import { commandLine } from '../../command-name.ts';
import { note } from '../../terminal/output.ts';
import { appliedChanges } from './applied-changes.ts';

/** What runs wrote is read for it: not the whole history of a project. */
const MOST_RUNS = 20;

/** Names the last run whose changes still stand, if there is one. */
export async function nameLastWithChanges(stateDir: string, command: string): Promise<void> {
  for (const runId of (await listRunIds(stateDir)).toReversed().slice(0, MOST_RUNS)) {
    const { net } = await appliedChanges(stateDir, runId);
    if (net.length === 0) continue;
    note(`The last run that changed files: ${commandLine(command, runId)}`);
    return;
  }
}
