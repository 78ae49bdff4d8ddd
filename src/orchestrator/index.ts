// The public face of the orchestrator: all that a command line, a tool server or a dashboard needs to
// work with the runs of a project. It asks nobody anything: approvals and reviews come in as
// callbacks, and what it finds goes out as data.
import type { RunEnd, RunOptions } from './run/context.ts';
import type { FoundRun } from './project/find-run.ts';
import type { OpenedCopy } from './project/open-copy.ts';
import type { StreamPreview } from './run/preview-streams.ts';
import type { RunTask } from './run/task.ts';
import type { ProjectPlace } from './state/state-dir.ts';

// Projects and their runs.
export { OrchestratorError } from './errors.ts';
export type { OrchestratorErrorCode } from './errors.ts';
export { openProject } from './project/open-project.ts';
export { listRunsOn } from './state/branch-record.ts';
export { makeStateDir } from './state/state-dir.ts';
export type { ProjectPlace } from './state/state-dir.ts';
export { checkWritable } from './project/check-writable.ts';
export { checkUnlocked, lockedError } from './project/with-lock.ts';
export { findServer } from './find-server.ts';
export type { LocalServers, RunServer } from './find-server.ts';

// Plan and run.
export { ManifestProblemsError } from './run/read-plan.ts';
export type { KnownPlan } from './run/read-plan.ts';
export { withKnownState } from './run/known-state.ts';
export type { RunsOfManifest } from './run/known-state.ts';
export { findLastRun, isOpen } from './run/last-run.ts';
export { freshStatus, hasWork, namedIn, selected } from './run/prepare.ts';
export type { Selection } from './run/prepare.ts';
export { AnsweredElsewhere } from './run/agent-setting.ts';
export type { AgentSetting } from './run/agent-setting.ts';
export { agentOf, askedTierOf, toTask } from './run/task.ts';
export type { ModelDefaults, RunTask } from './run/task.ts';
export type { ContextPreview, PreviewedFile, StreamPreview } from './run/preview-streams.ts';
export {
  approvalOfHost,
  approvalOfLogin,
  approve,
  commandsOf,
  commandsOfStream,
  loadTrust,
  newCommands,
} from './commands/trust.ts';
export type { CommandSandboxOptions } from './commands/command-sandbox.ts';
export { firstWordOf, missingPrograms } from '../project/find-programs.ts';
export { adaptiveConcurrency } from '../domain/run/adaptive-concurrency.ts';
export type { AdaptiveConcurrency } from '../domain/run/adaptive-concurrency.ts';
export type { HaltKind } from '../domain/run/halt.ts';
export type { Review, RunEnd, RunOptions, WriteMode } from './run/context.ts';
export { RunLockedError } from './state/lock.ts';
export { checkGit, dirtyPaths } from './git/check-git.ts';
export { chooseBranch } from './git/choose-branch.ts';
export type { RunBranch } from './git/choose-branch.ts';
export type { GitWork } from './git/commit-work.ts';
export { programsOfRepository } from '../git/programs.ts';

/** What streams would be asked, and what of the project they would be shown. */
export async function previewStreams(
  root: string,
  tasks: readonly RunTask[],
  options: { instructions?: boolean | undefined } = {},
): Promise<Map<string, StreamPreview>> {
  return (await import('./run/preview-streams.ts')).previewStreams(root, tasks, options);
}

/** What agents would be given to do, by stream. */
export async function previewAgentTasks(
  root: string,
  tasks: readonly RunTask[],
  options: { instructions?: boolean | undefined; commands?: readonly string[] | undefined } = {},
): Promise<Map<string, string>> {
  return (await import('./run/preview-streams.ts')).previewAgentTasks(root, tasks, options);
}

/** Runs a manifest, or resumes a run that was cut off. */
export async function runManifest(options: RunOptions): Promise<RunEnd> {
  // Loaded only when something is run: commands that show runs need no parser of imports.
  return (await import('./run/run.ts')).runManifest(options);
}

/** A folder with what the agent of a stream wrote; throws where there is none. */
export async function openAgentCopy(
  project: ProjectPlace,
  run: FoundRun,
  stream: string,
  options: { keep: boolean },
): Promise<OpenedCopy> {
  return (await import('./project/open-copy.ts')).openAgentCopy(project, run, stream, options);
}

/** Folders of agents that are still there after the run. */
export async function keptCopies(project: ProjectPlace, runId: string): Promise<string[]> {
  return (await import('./project/open-copy.ts')).keptCopies(project, runId);
}

// Look at runs.
export { findRun, findTarget, matchStream, stateOfRun } from './project/find-run.ts';
export type { FoundRun, RunState, RunTarget } from './project/find-run.ts';
export type { OpenedCopy } from './project/open-copy.ts';
export { followRun } from './project/follow-run.ts';
export { listRuns } from './project/list-runs.ts';
export type { ListedRun } from './project/list-runs.ts';
export { stopRun } from './project/stop-run.ts';
export { shortLength } from '../domain/run/short-id.ts';
export { statusDocument, statusOfRun } from './project/run-status.ts';
export { explainRun } from './project/explain-run.ts';
export type { Explanation, FailureExplanation } from './project/explain-run.ts';
export { readEventLine } from './state/event-line.ts';
export { readJournal } from './state/journal.ts';
export { journalOf } from './state/run-folder.ts';
export { isRunEnd } from '../domain/run/events.ts';
export type { RunEvent } from '../contract/run-events.ts';
export { createRunReporter } from './run/report-run.ts';
export { createProjector, openCallsOf, projectionOf, wavesOf } from '../domain/run/projection.ts';
export type { Projector, RunProjection, StreamRow, StreamWait } from '../domain/run/projection.ts';
export { decisiveLines } from '../domain/run/decisive-lines.ts';

// What of a project may be shown to a model.
export { createWalker } from '../project/walk.ts';
export { createFileReader } from '../project/project-file.ts';
export { SKIPPED_FOLDERS } from '../project/never-shown.ts';
export { isSecret } from '../domain/artifact/secret-path.ts';

// Look through changes, hunk by hunk.
export {
  acceptedChange,
  hunkIdsOf,
  hunksAsDecided,
  split,
  textAfter,
  textBefore,
} from './review/reviewed-file.ts';
export type { Hunk, ReviewedFile } from './review/reviewed-file.ts';
export { readEditedHunk } from '../domain/review/edited-hunk.ts';
export { newRangeOf } from '../domain/review/hunks.ts';
export type { TextHunk } from '../domain/review/hunks.ts';
export { findOpenRound, openReview, outdatedIn } from './review/open-review.ts';
export type { OpenRound, OpenedReview } from './review/open-review.ts';
export { writeDraft } from './review/draft.ts';
export type { ReviewVerdict } from '../contract/review-api.ts';
export { submitReview } from './review/submit-review.ts';
export { reviewOfRun } from './review/subject.ts';
export type { ReviewSubject } from './review/subject.ts';
export { reviewOfExecution } from './review/execution-review.ts';
export { forgetReview } from './review/forget-review.ts';
export { answersOf, askOnServer, dropOnServer, endOnServer } from './review/ask-on-server.ts';
export { denialText } from './run/ask-approval.ts';
export type { AnsweredReview } from './run/ask-approval.ts';
export type { ReviewOutcome } from '../contract/review-api.ts';
export { changesIt, countDecided } from './review/take-back.ts';
export type { ReviewCounts } from './review/take-back.ts';
export type { SubmitOptions, SubmittedReview } from './review/submit-review.ts';
export type { Decision, Decisions } from '../domain/review/decision.ts';
export { linesText } from '../domain/review/comment.ts';
export type { Comments, ReviewComment } from '../domain/review/comment.ts';

// What runs changed.
export { diffRun } from './changes/diff-run.ts';
export type { ChangedFile } from './changes/changed-file.ts';
export type { RunDiff } from './changes/diff-run.ts';
export {
  applyExecution,
  appliedFiles,
  diffExecution,
  findExecutionId,
  revertExecution,
} from './changes/executions.ts';
export type { AppliedExecution } from './changes/executions.ts';
export { applyKept } from './changes/apply-kept.ts';
export type { AppliedKept } from './changes/apply-kept.ts';
export { revertBranch, revertRun } from './changes/revert-run.ts';
export { branchOfRun } from './git/drop-branch.ts';
export { manifestOnBranch, openRequest } from './git/request/open-request.ts';
export type { RequestOptions, RequestOutcome } from './git/request/open-request.ts';
export { readRequest } from './git/request/request-record.ts';
export type { RequestRecord } from './git/request/request-record.ts';
export { beginFix, endFix, findRunOfRequest } from './git/request/fix-request.ts';
export type { Answers as FixAnswers } from './git/request/answer-comments.ts';
export { idOfComment, listComments } from './git/request/gather-comments.ts';
export type { SaidComment } from './git/request/gather-comments.ts';
export { changedSince } from './changes/changed-since.ts';
export type { ChangedSince } from './changes/changed-since.ts';
export { lastWithChanges } from './changes/last-with-changes.ts';
