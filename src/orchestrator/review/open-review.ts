// What a run has written, to be looked through hunk by hunk.
import { join } from 'node:path';
import { isExecutable, modeAfter } from '../apply/file-change.ts';
import type { FileChange } from '../apply/file-change.ts';
import { appliedChanges } from '../changes/applied-changes.ts';
import { contentOf } from '../changes/revert-applied.ts';
import { OrchestratorError } from '../errors.ts';
import { withFilesOfRun } from '../git/with-files-of-run.ts';
import { stateOfRun } from '../project/find-run.ts';
import type { FoundRun } from '../project/find-run.ts';
import { lockedError, withProjectLock } from '../project/with-lock.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { readDraft } from './draft.ts';
import type { ReviewDraft } from './draft.ts';
import { toReviewed } from './reviewed-file.ts';
import type { ReviewedFile } from './reviewed-file.ts';

export interface WrittenFiles {
  files: ReviewedFile[];
  /** Changed after the run by others: nothing of them is decided here. */
  changedSince: ReviewedFile[];
}

export interface OpenedReview extends WrittenFiles, ReviewDraft {
  runId: string;
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

/** With the answers so far. What a crash left half taken back is as it was before. */
export async function openReview(project: ProjectPlace, run: FoundRun): Promise<OpenedReview> {
  const { runId } = run;
  const state = stateOfRun(project.stateDir, run);
  if (state === 'running') {
    throw lockedError(`${runId} is still running; what it writes can be reviewed when it is over.`);
  }
  // Files may be there that were never checked.
  if (state === 'interrupted') {
    throw new OrchestratorError({
      code: 'CONFLICT',
      message: `${runId} was cut off, and what it wrote last is not checked.`,
      hint: 'Run the manifest again to resume it, then review it.',
    });
  }
  const { stateDir } = project;
  return withProjectLock(project, { runId, work: 'review' }, async () => {
    const needs = { copies: [], clonesPackages: false };
    const written = await withFilesOfRun(project, runId, needs, (place) =>
      writtenFiles(place, runId),
    );
    return { runId, ...written, ...(await readDraft(stateDir, runId)) };
  });
}
