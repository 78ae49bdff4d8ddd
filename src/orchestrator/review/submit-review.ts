// Takes back what a review has rejected: all of it at once, and only where the checks of the streams pass
// without it. Until they have, a crash leads back to the files as they were.
import { projectionOf } from '../../domain/run/projection.ts';
import type { RunProjection } from '../../domain/run/projection.ts';
import type { Decision, Decisions } from '../../domain/review/decision.ts';
import type { Manifest } from '../../manifest/model.ts';
import { modeAfter, modes } from '../apply/file-change.ts';
import type { FileChange } from '../apply/file-change.ts';
import { REVIEW, listApplied } from '../apply/record.ts';
import { applyChanges } from '../apply/transaction.ts';
import { appliedChanges } from '../changes/applied-changes.ts';
import { checkTask } from '../changes/check-task.ts';
import type { CheckOptions, FailedCheck } from '../changes/check-task.ts';
import { readManifestNow } from '../changes/read-manifest.ts';
import { removeNewFolders } from '../changes/revert-applied.ts';
import type { CommandSandboxOptions } from '../commands/command-sandbox.ts';
import { openSandboxes } from '../commands/open-sandboxes.ts';
import { OrchestratorError } from '../errors.ts';
import type { FoundRun } from '../project/find-run.ts';
import { withFilesOfRun } from '../git/with-files-of-run.ts';
import { withProjectLock } from '../project/with-lock.ts';
import { toTask } from '../run/task.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { readDraft, writeDraft } from './draft.ts';
import { noteReview } from './note-review.ts';
import { writtenFiles } from './open-review.ts';
import type { WrittenFiles } from './open-review.ts';
import { acceptedChange, hunksAsDecided } from './reviewed-file.ts';
import type { ReviewedFile } from './reviewed-file.ts';
import { touchedStreams, writersOf } from './touched-streams.ts';

export interface SubmitOptions extends CheckOptions {
  /** Files that the checks need and a branch does not have. */
  copies: readonly string[];
}

export interface ReviewCounts {
  accepted: number;
  /** Of those that were accepted. */
  edited: number;
  rejected: number;
  undecided: number;
}

export interface SubmittedReview extends ReviewCounts {
  runId: string;
  /** From which something was taken back. */
  files: string[];
  /** Why nothing was taken back. */
  failed?: { stream: string } & FailedCheck;
}

const NO_MODEL = { model: undefined, fallbackModel: undefined };

class CheckFailedError extends Error {
  readonly failed: { stream: string } & FailedCheck;
  constructor(failed: { stream: string } & FailedCheck) {
    super(failed.error);
    this.name = 'CheckFailedError';
    this.failed = failed;
  }
}

/** An edited hunk is accepted: not as it was, but as the person wants it. */
export function countDecided(files: readonly ReviewedFile[], decisions: Decisions): ReviewCounts {
  const counts: ReviewCounts = { accepted: 0, edited: 0, rejected: 0, undecided: 0 };
  for (const { id } of files.flatMap((file) => hunksAsDecided(file, decisions))) {
    const kind = decisions.get(id)?.kind ?? 'undecided';
    counts[kind] += 1;
    if (kind === 'edited') counts.accepted += 1;
  }
  return counts;
}

/** From what is there now to what is left of it; what is undecided stays. */
function changeBack(file: ReviewedFile, decisions: Decisions): FileChange | undefined {
  const { path, before, after, mode } = file.change;
  const left = acceptedChange(file, decisions, 'accepted');
  const now = modeAfter(file.change);
  const next = left === undefined ? before : left.after;
  const nextMode = left === undefined ? mode : modeAfter(left);
  const isSame = after === null || next === null ? after === next : after.equals(next);
  if (isSame && now === nextMode) return undefined;
  return { path, before: after, after: next, ...modes(now, next === null ? now : nextMode) };
}

/** A part of the file will be other than it is now. */
export const changesIt = (file: ReviewedFile, decisions: Decisions) =>
  hunksAsDecided(file, decisions).some(({ id }) => {
    const kind = decisions.get(id)?.kind;
    return kind === 'rejected' || kind === 'edited';
  });

function conflict(items: readonly string[]): OrchestratorError {
  const what = items.length === 1 ? 'a file' : `${items.length} files`;
  return new OrchestratorError({
    code: 'CONFLICT',
    message: `Nothing was taken back: ${what} changed since the review.`,
    items,
    hint: 'Review the run again; your other answers are kept.',
  });
}

function changesBack({ files, changedSince }: WrittenFiles, decisions: Decisions): FileChange[] {
  const others = changedSince.filter((file) => changesIt(file, decisions));
  if (others.length > 0) throw conflict(others.map(({ change }) => change.path));
  return files.flatMap((file) => changeBack(file, decisions) ?? []);
}

export async function submitReview(
  project: ProjectPlace,
  run: FoundRun,
  options: SubmitOptions,
): Promise<SubmittedReview> {
  const { runId } = run;
  const { stateDir } = project;
  const projection = projectionOf(run.events);
  const { decisions } = await readDraft(stateDir, runId);
  const { manifest } = await readManifestNow(project.root, projection.file);
  const isSandboxed = projection.sandbox !== undefined;
  const takesBack = [...decisions.values()].some(({ kind }) => kind !== 'accepted');
  // Asked before the lock is taken: an answer may take its time.
  const sandbox = takesBack ? await options.approve(manifest, { isSandboxed }) : undefined;
  return withProjectLock(project, { runId, work: 'review' }, async () => {
    const needs = { copies: options.copies, clonesPackages: sandbox === undefined };
    return withFilesOfRun(project, runId, needs, (place) =>
      submit({ project, place, runId, projection, manifest, decisions, sandbox }, options),
    );
  });
}

interface Submit {
  project: ProjectPlace;
  /** Where the files of the run are. */
  place: ProjectPlace;
  runId: string;
  projection: RunProjection;
  manifest: Manifest;
  decisions: Decisions;
  sandbox: CommandSandboxOptions | undefined;
}

async function submit(work: Submit, options: SubmitOptions): Promise<SubmittedReview> {
  const { place, runId, projection, manifest, decisions } = work;
  const { stateDir } = place;
  const written = await writtenFiles(place, runId);
  const changes = changesBack(written, decisions);
  const files = changes.map(({ path }) => path);
  const applied = await appliedChanges(stateDir, runId);
  const writers = await writersOf(applied.entries, projection, new Set(files));
  const result = { runId, ...countDecided(written.files, decisions), files };
  if (changes.length > 0) {
    const streams = touchedStreams(projection, writers.keys());
    const failed = await takeBack(work, { changes, streams }, options);
    if (failed !== undefined) {
      // What was turned down is asked about again: the same answers would come to the same end.
      const kept = [...decisions].filter(([, { kind }]) => kind === 'accepted');
      await writeDraft(stateDir, runId, { decisions: new Map(kept), failed });
      return { ...result, files: [], failed };
    }
    await removeNewFolders(place.root, applied);
  }
  const commits = { isWanted: projection.commits > 0, signsOff: isSigned(projection), writers };
  await noteReview(place, manifest, { ...result, commits }, options);
  await writeDraft(stateDir, runId, { decisions: await settled(work, written) });
  return result;
}

const isSigned = ({ args }: RunProjection) => args.includes('--signoff');

async function takeBack(
  { project, place, runId, manifest, sandbox }: Submit,
  { changes, streams }: { changes: readonly FileChange[]; streams: readonly string[] },
  options: SubmitOptions,
): Promise<SubmittedReview['failed']> {
  const tasks = streams.flatMap((id) => {
    const stream = manifest.streams.get(id);
    return stream === undefined ? [] : [toTask(manifest, stream, NO_MODEL)];
  });
  // In a folder that was just opened, nothing is installed but what the project has.
  const isOnBranch = place.root !== project.root;
  const sandboxes = await openSandboxes(
    place.root,
    { sandbox },
    isOnBranch ? project.root : undefined,
  );
  const site = { root: place.root, sandbox: sandboxes?.commands };
  const check = async () => {
    for (const task of tasks) {
      if (task.verify.length + task.commands.length === 0) continue;
      options.onStream(task);
      const checked = isOnBranch ? task : { ...task, setup: [] };
      const failed = await checkTask(site, checked, options);
      if (failed !== undefined) throw new CheckFailedError({ stream: task.id, ...failed });
    }
  };
  try {
    const earlier = await listApplied(place.stateDir, runId, new Set([REVIEW]));
    const attempt = 1 + Math.max(0, ...earlier.map((one) => one.attempt));
    const at = { ...place, runId, streamId: REVIEW, attempt };
    const done = await applyChanges(at, changes, { check });
    if (done.kind === 'conflict') throw conflict(done.problems.map(({ path }) => path));
    return undefined;
  } catch (error) {
    if (error instanceof CheckFailedError) return error.failed;
    throw error;
  } finally {
    await sandboxes?.run.close();
  }
}

/** Files that are decided to the end are agreed to as they are now. */
async function settled(
  { place, runId, decisions }: Submit,
  { files }: WrittenFiles,
): Promise<Decisions> {
  const next = new Map<string, Decision>();
  const open = new Set(
    files.flatMap((file) =>
      countDecided([file], decisions).undecided > 0 ? [file.change.path] : [],
    ),
  );
  for (const file of (await writtenFiles(place, runId)).files) {
    const isOpen = open.has(file.change.path);
    for (const { id } of isOpen ? hunksAsDecided(file, decisions) : file.hunks) {
      const decision = isOpen ? decisions.get(id) : ({ kind: 'accepted' } as const);
      if (decision !== undefined) next.set(id, decision);
    }
  }
  return next;
}
