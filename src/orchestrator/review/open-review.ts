// What a run has written, to be looked through hunk by hunk.
import { join } from 'node:path';
import type { CarriedComment } from '../../contract/review-api.ts';
import { isOutdated } from '../../domain/review/comment.ts';
import type { ReviewComment } from '../../domain/review/comment.ts';
import { projectionOf } from '../../domain/run/projection.ts';
import { isExecutable, modeAfter } from '../apply/file-change.ts';
import type { FileChange } from '../apply/file-change.ts';
import { appliedChanges } from '../changes/applied-changes.ts';
import { contentOf } from '../changes/revert-applied.ts';
import { OrchestratorError } from '../errors.ts';
import { withFilesOfRun } from '../git/with-files-of-run.ts';
import { findRun, stateOfRun } from '../project/find-run.ts';
import type { FoundRun } from '../project/find-run.ts';
import { lockedError, withProjectLock } from '../project/with-lock.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { readDraft } from './draft.ts';
import type { ReviewDraft } from './draft.ts';
import { hunkIdsOf, textAfter, textBefore, toReviewed } from './reviewed-file.ts';
import type { ReviewedFile } from './reviewed-file.ts';
import { recoverRound, settleRound } from './round.ts';
import { readRound } from './round-record.ts';

export interface WrittenFiles {
  files: ReviewedFile[];
  /** Changed after the run by others: nothing of them is decided here. */
  changedSince: ReviewedFile[];
}

export interface OpenedReview extends WrittenFiles, Omit<ReviewDraft, 'carried'> {
  runId: string;
  /** Of the comments to be submitted, those whose hunk is another one now. */
  outdated: ReadonlySet<string>;
  carried: CarriedComment[];
}

async function isAsWritten(root: string, change: FileChange): Promise<boolean> {
  const { path, after, newMode } = change;
  const now = await contentOf(join(root, path));
  if (after === null || now.bytes === null) return after === now.bytes;
  const hasMode =
    newMode === undefined || isExecutable(now.mode!) === isExecutable(modeAfter(change));
  return hasMode && now.bytes.equals(after);
}

export async function writtenFiles(
  { root, stateDir }: ProjectPlace,
  runId: string,
): Promise<WrittenFiles> {
  const { net } = await appliedChanges(stateDir, runId);
  const written: WrittenFiles = { files: [], changedSince: [] };
  for (const change of net) {
    const list = (await isAsWritten(root, change)) ? written.files : written.changedSince;
    list.push(toReviewed(change));
  }
  return written;
}

/** Whether a comment is about other lines than those that are there now. */
export function outdatedIn(files: readonly ReviewedFile[]): (comment: ReviewComment) => boolean {
  const byPath = new Map(
    files.map((file) => [
      file.change.path,
      { hunks: hunkIdsOf(file), before: textBefore(file), after: textAfter(file) },
    ]),
  );
  return (comment) => isOutdated(comment, byPath.get(comment.path));
}

export interface OpenRound {
  round: number;
  state: 'interrupted' | 'paused' | 'stopped';
  /** Of the manifest, in the project. */
  file: string;
  /** Flags to resume the run with. */
  args: readonly string[];
}

/**
 * A round whose changes are not made yet: the run has to be resumed first, and where it is paused, may be. What a crash
 * left of the submit is brought to an end.
 */
export async function findOpenRound(
  project: ProjectPlace,
  { runId }: FoundRun,
): Promise<OpenRound | undefined> {
  const { stateDir } = project;
  if ((await readRound(stateDir, runId))?.state !== 'begun') return undefined;
  return withProjectLock(project, { runId, work: 'review' }, async () => {
    await recoverRound(project, runId);
    await settleRound(stateDir, runId);
    const round = await readRound(stateDir, runId);
    if (round?.state !== 'begun') return undefined;
    const run = await findRun(stateDir, runId);
    const state = stateOfRun(stateDir, run);
    // Settled above, if nothing more of it will be made.
    const open = state === 'cancelled' ? 'stopped' : state;
    if (open !== 'interrupted' && open !== 'paused' && open !== 'stopped') return undefined;
    const { file, args } = projectionOf(run.events);
    return { round: round.round, state: open, file, args };
  });
}

/** Throws where files may be there that were never checked. */
export function checkWhole(stateDir: string, run: FoundRun): void {
  if (stateOfRun(stateDir, run) !== 'interrupted') return;
  throw new OrchestratorError({
    code: 'CONFLICT',
    message: `${run.runId} was cut off, and what it wrote last is not checked.`,
    hint: 'Run the manifest again to resume it, then review it.',
  });
}

/** With the answers so far. What a crash left half taken back is as it was before. */
export async function openReview(project: ProjectPlace, run: FoundRun): Promise<OpenedReview> {
  const { runId } = run;
  const { stateDir } = project;
  if (stateOfRun(stateDir, run) === 'running') {
    throw lockedError(`${runId} is still running; what it writes can be reviewed when it is over.`);
  }
  return withProjectLock(project, { runId, work: 'review' }, async () => {
    await recoverRound(project, runId);
    await settleRound(stateDir, runId);
    checkWhole(stateDir, await findRun(stateDir, runId));
    const needs = { copies: [], clonesPackages: false };
    const written = await withFilesOfRun(project, runId, needs, (place) =>
      writtenFiles(place, runId),
    );
    return withAnswers(stateDir, runId, written);
  });
}

/** What has been said about them so far. */
export async function withAnswers(
  stateDir: string,
  runId: string,
  written: WrittenFiles,
): Promise<OpenedReview> {
  const { carried, ...draft } = await readDraft(stateDir, runId);
  const outdated = outdatedIn(written.files);
  return {
    runId,
    ...written,
    ...draft,
    outdated: new Set([...draft.comments].flatMap(([id, one]) => (outdated(one) ? [id] : []))),
    carried: carried.map((comment) => ({ ...comment, outdated: outdated(comment) })),
  };
}
