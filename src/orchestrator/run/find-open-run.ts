// Whether there is a run to go on with.
import { createReplay } from '../../domain/run/replay.ts';
import type { Replay } from '../../domain/run/replay.ts';
import { readJournal } from '../state/journal.ts';
import { journalOf, listRunIds } from '../state/run-folder.ts';

/** The run of this manifest that was cut off or paused, if the last one was. */
export async function findOpenRun(root: string, file: string): Promise<Replay | undefined> {
  for (const runId of (await listRunIds(root)).toReversed()) {
    const { events, bytes } = await readJournal(journalOf(root, runId));
    const [first] = events;
    if (first?.type !== 'run.started' || first.file !== file) continue;
    const replay = createReplay(events, bytes);
    const { end } = replay.record;
    return end === undefined || end === 'run.paused' ? replay : undefined;
  }
  return undefined;
}
