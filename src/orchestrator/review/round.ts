// The life of a submit that asks for changes:
//   begun   Its record is on disk, and nothing else has happened. It counts with the transaction that takes back what was
//           rejected, which only stands once the checks have passed: where that is missing, the submit never was.
//   entered The journal of the run says so, and names the fix streams that make the changes. With them the run is open
//           again: the process that resumes it makes them, by the rules of every fix.
//   over    The run has ended again. What became of each comment is in the draft of the next round.
// A process that was killed leaves one of these states, and each step can be made again.
import type { RunEvent } from '../../contract/run-events.ts';
import { endOf } from '../../domain/run/events.ts';
import type { KeptComment } from '../../domain/review/comment.ts';
import { createReplay, isResumable } from '../../domain/run/replay.ts';
import type { RunRecord } from '../../domain/run/replay.ts';
import { projectionOf } from '../../domain/run/projection.ts';
import type { FileChange } from '../apply/file-change.ts';
import { REVIEW, appliedDirOf } from '../apply/record.ts';
import { appliedChanges, changesByStream } from '../changes/applied-changes.ts';
import { removeNewFolders } from '../changes/revert-applied.ts';
import { withFilesOfRun } from '../git/with-files-of-run.ts';
import { readJournal } from '../state/journal.ts';
import { journalOf } from '../state/run-folder.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { readDraft, writeDraft } from './draft.ts';
import type { ReviewDraft } from './draft.ts';
import { noteReview } from './note-review.ts';
import { readRound, removeRound, writeRound } from './round-record.ts';
import type { RoundRecord } from './round-record.ts';

const eventsOf = async (stateDir: string, runId: string) =>
  (await readJournal(journalOf(stateDir, runId))).events;

const isEntered = (events: readonly RunEvent[], { round }: RoundRecord) =>
  events.some((event) => event.type === 'run.reviewed' && event.round === round);

/** What the round asks for is left to the run. `place`: where its files are. */
export async function enterRound(
  place: ProjectPlace,
  runId: string,
  round: RoundRecord,
  { onProblem }: { onProblem(message: string): void },
): Promise<void> {
  const { stateDir } = place;
  await removeNewFolders(place.root, await appliedChanges(stateDir, runId));
  // The draft first: once the journal says so, the run may be resumed and be over.
  await writeDraft(stateDir, runId, await draftAfter(stateDir, runId, round));
  const { commits, args } = projectionOf(await eventsOf(stateDir, runId));
  await noteReview(
    place,
    {
      runId,
      ...round,
      comments: round.comments.length,
      commits: { isWanted: commits > 0, signsOff: args.includes('--signoff') },
    },
    { onProblem },
  );
}

/** The next one, with nothing yet to say about what becomes of the comments that a stream works on. */
export async function draftAfter(
  stateDir: string,
  runId: string,
  { round, decisions, comments, placed, left }: RoundRecord,
): Promise<ReviewDraft> {
  const { carried } = await readDraft(stateDir, runId);
  const earlier = carried.filter((comment) => comment.round < round);
  const own = comments.map(([id, comment]): KeptComment => {
    const why = left.find((one) => one.id === id)?.why;
    const made = placed.includes(id) ? 'Done as suggested.' : undefined;
    const outcome = why === undefined ? made : `Not done: ${why}.`;
    return { ...comment, id, round, ...(outcome !== undefined && { outcome }) };
  });
  return {
    round: round + 1,
    decisions: new Map(decisions),
    comments: new Map(comments.filter(([id]) => left.some((one) => one.id === id))),
    carried: [...earlier, ...own],
    failed: undefined,
  };
}

/**
 * After a crash: a submit that counts is entered, one that does not never was. True when the journal says more than
 * before. The caller holds the lock of the project, and transactions have been recovered.
 */
export async function recoverRound(project: ProjectPlace, runId: string): Promise<boolean> {
  const { stateDir } = project;
  const round = await readRound(stateDir, runId);
  if (round === undefined || round.state === 'over') return false;
  const events = await eventsOf(stateDir, runId);
  if (isEntered(events, round)) return false;
  const { attempt } = round;
  const taken = appliedDirOf({ ...project, runId, streamId: REVIEW, attempt });
  // What is reverted by now has nothing to be changed.
  if (projectionOf(events).isReverted || (await taken.state()) !== 'applied') {
    await removeRound(stateDir, runId);
    return false;
  }
  const needs = { copies: [], clonesPackages: false };
  await withFilesOfRun(project, runId, needs, (place) =>
    // Files that are not committed now are with the next commit of their stream.
    enterRound(place, runId, round, { onProblem: () => undefined }),
  );
  return true;
}

interface FixEnd {
  isDone: boolean;
  outcome: string;
  failed?: { stream: string; error: string; output: string };
}

/** Of the fix that was asked for, and of those that followed where it failed. */
function endOfFix(
  record: RunRecord,
  { events, written }: { events: readonly RunEvent[]; written: ReadonlyMap<string, FileChange[]> },
  { stream, fix }: { stream: string; fix: string },
): FixEnd {
  const own = [...record.fixes].flatMap(([id, of]) => (of === stream ? [id] : []));
  const last = own.at(-1);
  if (last === undefined || !own.includes(fix)) {
    return { isDone: false, outcome: `Not done: ${stream} is not in the manifest any more.` };
  }
  const { status, error = 'it was not approved' } = record.streams.get(last)!;
  if (status === 'complete') {
    const isDone = (written.get(last) ?? []).length > 0;
    return { isDone, outcome: isDone ? `Done by ${last}.` : `Not done: ${last} changed nothing.` };
  }
  if (status === 'failed' || status === 'skipped') {
    const command = events.findLast(
      (event) => event.type === 'command.finished' && event.stream === last && !event.ok,
    );
    const output = command?.type === 'command.finished' ? (command.output ?? '') : '';
    const failed = { stream: last, error, output };
    return { isDone: false, outcome: `Not done: ${last}: ${error}`, failed };
  }
  return { isDone: false, outcome: 'Not done: the run was stopped before.' };
}

const MAX_OUTCOME = 1000;

/** Once the run is at rest again. The caller holds the lock of the project. */
export async function settleRound(stateDir: string, runId: string): Promise<void> {
  const round = await readRound(stateDir, runId);
  if (round === undefined || round.state === 'over') return;
  const events = await eventsOf(stateDir, runId);
  const end = endOf(events);
  const { record } = createReplay(events);
  if (end === undefined || isResumable(record) || !isEntered(events, round)) return;
  const draft = await readDraft(stateDir, runId);
  // On disk: the journal may not have come to say so.
  const written = await changesByStream(stateDir, runId, new Set(record.fixes.keys()));
  const comments = new Map(draft.comments);
  const outcomes = new Map<string, string>();
  let failed = draft.failed;
  for (const fix of round.fixes) {
    const ended = endOfFix(record, { events, written }, fix);
    failed ??= ended.failed;
    for (const id of fix.comments) {
      outcomes.set(id, ended.outcome.slice(0, MAX_OUTCOME));
      const comment = round.comments.find(([one]) => one === id)?.[1];
      // To be submitted again, or taken away.
      if (!ended.isDone && comment !== undefined) comments.set(id, comment);
    }
  }
  const carried = draft.carried.map((comment) => {
    const outcome = comment.round === round.round ? outcomes.get(comment.id) : undefined;
    return outcome === undefined ? comment : { ...comment, outcome };
  });
  await writeDraft(stateDir, runId, { comments, carried, ...(failed && { failed }) });
  await writeRound(stateDir, runId, { ...round, state: 'over' });
}
