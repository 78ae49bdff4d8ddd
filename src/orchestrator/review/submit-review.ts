// Carries out what a review has decided: what was rejected is taken back, all of it at once, and only where the checks of
// the streams pass without it. Until they have, a crash leads back to the files as they were. Where changes are asked
// for, the run continues with them (see `round.ts`).
import { projectionOf } from '../../domain/run/projection.ts';
import type { RunProjection } from '../../domain/run/projection.ts';
import type { Comments } from '../../domain/review/comment.ts';
import type { Decisions } from '../../domain/review/decision.ts';
import type { ReviewVerdict } from '../../contract/review-api.ts';
import type { Manifest } from '../../manifest/model.ts';
import { REVIEW, listApplied } from '../apply/record.ts';
import { appliedChanges } from '../changes/applied-changes.ts';
import type { CheckOptions, FailedCheck } from '../changes/check-task.ts';
import { readManifestNow } from '../changes/read-manifest.ts';
import { removeNewFolders } from '../changes/revert-applied.ts';
import type { CommandSandboxOptions } from '../commands/command-sandbox.ts';
import { OrchestratorError } from '../errors.ts';
import { withFilesOfRun } from '../git/with-files-of-run.ts';
import { findRun } from '../project/find-run.ts';
import type { FoundRun } from '../project/find-run.ts';
import { withProjectLock } from '../project/with-lock.ts';
import { NO_MODEL, toTask } from '../run/task.ts';
import { fixFileOf, writeRecord } from '../state/run-folder.ts';
import { stateWithin } from '../state/state-dir.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { applyChecked } from './apply-checked.ts';
import { checkMayContinue } from './may-continue.ts';
import { readDraft, writeDraft } from './draft.ts';
import { noteReview } from './note-review.ts';
import type { Writer } from './note-review.ts';
import { checkWhole, writtenFiles } from './open-review.ts';
import { planRound } from './plan-round.ts';
import type { RoundPlan } from './plan-round.ts';
import { enterRound, recoverRound, settleRound } from './round.ts';
import { removeRound, writeRound } from './round-record.ts';
import type { RoundRecord } from './round-record.ts';
import { countDecided, rejectAll, settledDecisions, wantedOf } from './take-back.ts';
import type { ReviewCounts } from './take-back.ts';
import { touchedStreams, writersOf } from './touched-streams.ts';

export interface SubmitOptions extends CheckOptions {
  /** Files that the checks need and a branch does not have. */
  copies: readonly string[];
  /** `apply` unless it says something else. */
  verdict?: ReviewVerdict;
  /** Instead of what the draft has. */
  answers?: { decisions: Decisions; comments: Comments };
  /** That the answers are about: refused when another one has begun since. */
  round?: number;
  /** Unless false, only files are changed that the run has written and that are as it left them. */
  onlyWritten?: boolean;
}

export interface SubmittedReview extends ReviewCounts {
  runId: string;
  kind: 'applied' | 'failed' | 'round';
  /** In which something was taken back, or made as suggested. */
  files: string[];
  /** Why nothing of it was done. */
  failed?: { stream: string } & FailedCheck;
  /** What was asked for: the run is open again, and has to be resumed where there are fixes. */
  round?: { number: number } & Pick<RoundRecord, 'fixes' | 'placed' | 'left'>;
}

export async function submitReview(
  project: ProjectPlace,
  run: FoundRun,
  options: SubmitOptions,
): Promise<SubmittedReview> {
  const { runId } = run;
  const { stateDir } = project;
  const projection = projectionOf(run.events);
  const { manifest } = await readManifestNow(project.root, projection.file);
  const isSandboxed = projection.sandbox !== undefined;
  const { decisions } = options.answers ?? (await readDraft(stateDir, runId));
  const { verdict = 'apply' } = options;
  const mayTakeBack =
    verdict !== 'apply' || [...decisions.values()].some(({ kind }) => kind !== 'accepted');
  // Asked before the lock is taken: an answer may take its time.
  const sandbox = mayTakeBack ? await options.approve(manifest, { isSandboxed }) : undefined;
  return withProjectLock(project, { runId, work: 'review' }, async () => {
    await recoverRound(project, runId);
    await settleRound(stateDir, runId);
    const { events } = await findRun(stateDir, runId);
    checkWhole(stateDir, { ...run, events });
    await checkRound(stateDir, runId, options);
    if (options.answers !== undefined) await writeDraft(stateDir, runId, options.answers);
    const needs = { copies: options.copies, clonesPackages: sandbox === undefined };
    return withFilesOfRun(project, runId, needs, (place) =>
      submit(
        { project, place, run: { ...run, events }, projection, manifest, sandbox, verdict },
        options,
      ),
    );
  });
}

/** Throws where the answers are about a round that is over. */
export async function checkRound(
  stateDir: string,
  runId: string,
  { round }: Pick<SubmitOptions, 'round'>,
): Promise<void> {
  const now = await readDraft(stateDir, runId);
  if (round === undefined || round === now.round) return;
  throw new OrchestratorError({
    code: 'CONFLICT',
    message: `Round ${round} of the review of ${runId} is over: it was submitted elsewhere.`,
    hint: 'Review the run again.',
  });
}

export interface Submit {
  project: ProjectPlace;
  /** Where the files of the run are. */
  place: ProjectPlace;
  run: FoundRun;
  projection: RunProjection;
  manifest: Manifest;
  sandbox: CommandSandboxOptions | undefined;
  verdict: ReviewVerdict;
}

async function submit(work: Submit, options: SubmitOptions): Promise<SubmittedReview> {
  const { place, projection, verdict, run } = work;
  const { runId } = run;
  const { stateDir } = place;
  const draft = await readDraft(stateDir, runId);
  const written = await writtenFiles(place, runId);
  const decisions = verdict === 'reject' ? rejectAll(written.files) : draft.decisions;
  const applied = await appliedChanges(stateDir, runId);
  const isRound = verdict === 'changes' && draft.comments.size > 0;
  const plan = isRound
    ? await planRound({
        written,
        projection,
        decisions,
        entries: applied.entries,
        events: run.events,
        manifest: work.manifest,
        protectedPaths: [projection.file, ...stateWithin(place)],
        comments: draft.comments,
        onlyWritten: options.onlyWritten ?? true,
      })
    : undefined;
  if (plan !== undefined && plan.fixes.length > 0) await checkMayContinue(work);
  const { changes } = plan ?? wantedOf(written, decisions);
  const files = changes.map(({ path }) => path);
  const writers = await writersOf(applied.entries, projection, new Set(files));
  const counts = countDecided(written.files, decisions);
  const earlier = await listApplied(stateDir, runId, new Set([REVIEW]));
  const attempt = 1 + Math.max(0, ...earlier.map((one) => one.attempt));
  const reviewed = { files, writers: namedWriters(work, writers), ...counts };
  const known = { attempt, decisions: settledDecisions(written.files, decisions) };
  const round = plan && (await beginRound(work, { ...plan, ...reviewed, ...known }));
  // With nothing to take back there is nothing to check, and the record still says that the round counts.
  if (changes.length > 0 || round !== undefined) {
    const streams = changes.length > 0 ? touchedStreams(projection, writers.keys()) : [];
    let failed: SubmittedReview['failed'];
    try {
      failed = await applyChecked(work, { changes, streams, attempt }, options);
    } catch (error) {
      if (round !== undefined) await removeRound(stateDir, runId);
      throw error;
    }
    if (failed !== undefined) {
      if (round !== undefined) await removeRound(stateDir, runId);
      // What was turned down is asked about again: the same answers would come to the same end.
      const kept = [...decisions].filter(([, { kind }]) => kind === 'accepted');
      await writeDraft(stateDir, runId, { decisions: new Map(kept), failed });
      return { runId, kind: 'failed', ...counts, files: [], failed };
    }
  }
  if (round !== undefined) {
    await enterRound(place, runId, round, options);
    await settleRound(stateDir, runId);
    const { fixes, placed, left } = round;
    const asked = { number: round.round, fixes, placed, left };
    return { runId, kind: 'round', ...counts, files, round: asked };
  }
  if (changes.length > 0) await removeNewFolders(place.root, applied);
  const commits = { isWanted: projection.commits > 0, signsOff: isSigned(projection) };
  await noteReview(place, { runId, ...reviewed, commits }, options);
  await writeDraft(stateDir, runId, { decisions: known.decisions, failed: undefined });
  return { runId, kind: 'applied', ...counts, files };
}

const isSigned = ({ args }: RunProjection) => args.includes('--signoff');

const namedWriters = ({ manifest }: Submit, writers: ReadonlyMap<string, string[]>): Writer[] =>
  [...writers].map(([id, files]) => {
    const stream = manifest.streams.get(id);
    const { name } = stream === undefined ? { name: id } : toTask(manifest, stream, NO_MODEL);
    return { stream: id, name, files };
  });

interface Begun extends RoundPlan, ReviewCounts {
  attempt: number;
  files: string[];
  writers: Writer[];
  /** About the hunks once it counts. */
  decisions: Decisions;
}

/** On disk before anything is touched: what each stream will be asked, and that this is a round. */
async function beginRound({ place, run }: Submit, begun: Begun): Promise<RoundRecord> {
  const { stateDir } = place;
  const { runId } = run;
  const { attempt, files, accepted, rejected, fixes, placed, left } = begun;
  const { round, comments } = await readDraft(stateDir, runId);
  for (const { fix, comments: ids } of fixes) {
    const review = { comments: ids.map((id) => comments.get(id)!) };
    const nothing = { failed: [], error: '', diff: '', attempt: 1, of: 1 };
    await writeRecord(fixFileOf(stateDir, runId, fix), { ...nothing, review });
  }
  const record: RoundRecord = {
    v: 1,
    round,
    state: 'begun',
    attempt,
    accepted,
    rejected,
    files,
    writers: begun.writers.map((writer) => ({ ...writer, files: [...writer.files] })),
    decisions: [...begun.decisions],
    comments: [...comments],
    fixes,
    placed,
    left,
  };
  await writeRound(stateDir, runId, record);
  return record;
}
