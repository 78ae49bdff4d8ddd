// The events of a run as its process writes them down.
import { isAtWork } from './find-run.ts';
import type { FoundRun } from './find-run.ts';
import { followJournal } from './follow-journal.ts';
import type { RunEvent } from '../../contract/run-events.ts';

/** From the first event on; over with the run, or with the process that ran it. */
export function followRun(
  { stateDir }: { stateDir: string },
  { journal, runId }: FoundRun,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  return followJournal(journal, { signal, isAlive: () => isAtWork(stateDir, runId) });
}
