// Says in the journal of the run that it was reviewed, and makes commits of what was taken back where the
// work of the streams became commits.
import { createReplay } from '../../domain/run/replay.ts';
import type { Manifest } from '../../manifest/model.ts';
import { commitStream } from '../../git/commit-stream.ts';
import { toTask } from '../run/task.ts';
import { openJournal, readJournal } from '../state/journal.ts';
import { journalOf } from '../state/run-folder.ts';
import type { ProjectPlace } from '../state/state-dir.ts';

interface Reviewed {
  runId: string;
  accepted: number;
  rejected: number;
  files: readonly string[];
  commits: {
    /** The streams of the run became some. */
    isWanted: boolean;
    signsOff: boolean;
    /** By stream: the files that it wrote. */
    writers: ReadonlyMap<string, readonly string[]>;
  };
}

const NO_MODEL = { model: undefined, fallbackModel: undefined };

/** `place`: where the files of the run are. */
export async function noteReview(
  place: ProjectPlace,
  manifest: Manifest,
  reviewed: Reviewed,
  { onProblem }: { onProblem(message: string): void },
): Promise<void> {
  const { runId, accepted, rejected } = reviewed;
  const commits = reviewed.commits.isWanted
    ? await commitAll(place.root, manifest, reviewed, onProblem)
    : [];
  const file = journalOf(place.stateDir, runId);
  const { events, bytes } = await readJournal(file);
  const { lastSeq: seq } = createReplay(events, bytes).record;
  const journal = await openJournal(file, { now: () => new Date(), from: { seq, bytes } });
  try {
    const files = [...reviewed.files];
    journal.append({ type: 'run.reviewed', files, accepted, rejected, commits });
  } finally {
    await journal.close();
  }
}

/** One for each stream; a file that several wrote goes with the last of them. */
async function commitAll(
  root: string,
  manifest: Manifest,
  { runId, commits: { writers, signsOff } }: Reviewed,
  onProblem: (message: string) => void,
): Promise<string[]> {
  const commits: string[] = [];
  for (const [id, files] of [...writers].toReversed()) {
    const stream = manifest.streams.get(id);
    const { name } = stream === undefined ? { name: id } : toTask(manifest, stream, NO_MODEL);
    try {
      const commit = { id, name: `Review of ${name}`, runId, signsOff };
      const { id: made } = await commitStream(root, commit, files);
      if (made !== undefined) commits.push(made);
    } catch (error) {
      onProblem(`What was taken back of ${id} was not committed: ${(error as Error).message}`);
    }
  }
  return commits;
}
