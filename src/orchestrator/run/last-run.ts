// The run before this one: to go on with, or to learn from.
import { didNothing } from '../../domain/run/events.ts';
import { createReplay, isResumable } from '../../domain/run/replay.ts';
import type { Replay } from '../../domain/run/replay.ts';
import { readJournal } from '../state/journal.ts';
import { checkRunId, journalOf, listRunIds } from '../state/run-folder.ts';
import type { RunsOfManifest } from './known-state.ts';

/** Of this manifest; one that found nothing to do has nothing to resume or to learn from. */
export async function findLastRun(
  stateDir: string,
  { file, origin }: RunsOfManifest,
): Promise<Replay | undefined> {
  for (const runId of (await listRunIds(stateDir)).toReversed()) {
    const { events, bytes } = await readJournal(journalOf(stateDir, runId));
    const [first] = events;
    if (first?.type !== 'run.started' || first.file !== file) continue;
    if (first.branch?.origin !== origin) continue;
    if (didNothing(events)) continue;
    checkRunId(stateDir, runId, first.runId);
    return createReplay(events, bytes);
  }
  return undefined;
}

/** The next process resumes it. */
export const isOpen = ({ record }: Replay): boolean => isResumable(record);
