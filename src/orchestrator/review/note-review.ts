// Says in the journal of the run that it was reviewed, and makes commits of what was taken back where the
// work of the streams became commits.
import { createReplay } from '../../domain/run/replay.ts';
import { commitStream } from '../../git/commit-stream.ts';
import { openJournal, readJournal } from '../state/journal.ts';
import { journalOf } from '../state/run-folder.ts';
import type { ProjectPlace } from '../state/state-dir.ts';

export interface Writer {
  stream: string;
  name: string;
  /** Those of the review that it wrote. */
  files: readonly string[];
}

interface Reviewed {
  runId: string;
  accepted: number;
  rejected: number;
  files: readonly string[];
  writers: readonly Writer[];
  commits: {
    /** The streams of the run became some. */
    isWanted: boolean;
    signsOff: boolean;
  };
  /** Where changes are asked for. */
  round?: number;
  comments?: number;
  fixes?: readonly { stream: string; fix: string }[];
}

/** `place`: where the files of the run are. */
export async function noteReview(
  place: ProjectPlace,
  reviewed: Reviewed,
  { onProblem }: { onProblem(message: string): void },
): Promise<void> {
  const { runId, accepted, rejected, round, comments, fixes = [] } = reviewed;
  const commits = reviewed.commits.isWanted ? await commitAll(place.root, reviewed, onProblem) : [];
  const file = journalOf(place.stateDir, runId);
  const { events, bytes } = await readJournal(file);
  const { lastSeq: seq } = createReplay(events, bytes).record;
  const journal = await openJournal(file, { now: () => new Date(), from: { seq, bytes } });
  try {
    const files = [...reviewed.files];
    const asked = {
      ...(round !== undefined && { round }),
      ...(comments !== undefined && { comments }),
      ...(round !== undefined && { fixes: fixes.map(({ stream, fix }) => ({ stream, fix })) }),
    };
    journal.append({ type: 'run.reviewed', files, accepted, rejected, commits, ...asked });
  } finally {
    await journal.close();
  }
}

/** One for each stream; a file that several wrote goes with the last of them. */
async function commitAll(
  root: string,
  { runId, writers, commits: { signsOff } }: Reviewed,
  onProblem: (message: string) => void,
): Promise<string[]> {
  const commits: string[] = [];
  for (const { stream: id, name, files } of writers.toReversed()) {
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
