// What an execution has made, looked through hunk by hunk: before it is written (`apply exec_... --review`), or after that
// (`review exec_...`). What is accepted is written in one transaction, or what is turned down is taken back in one. Where
// changes are asked for, fix streams make them here, and it is asked about again.
import type { Execution, MillraceClient } from '../../client/index.ts';
import type { Artifact } from '../../contract/artifact.ts';
import type { FileChange } from '../apply/file-change.ts';
import { REVIEW, listApplied } from '../apply/record.ts';
import type { Staged } from '../apply/stage.ts';
import { applyChanges } from '../apply/transaction.ts';
import { appliedChanges } from '../changes/applied-changes.ts';
import {
  completedExecution,
  rejectedError,
  settledPaths,
  stageArtifacts,
  writeReviewed,
} from '../changes/executions.ts';
import { reasonsOf } from '../changes/diff-run.ts';
import { removeNewFolders } from '../changes/revert-applied.ts';
import { changeProblems } from '../checks/check-changes.ts';
import { OrchestratorError } from '../errors.ts';
import { hashOfChanges } from '../run/ask-approval.ts';
import { withProjectLock } from '../project/with-lock.ts';
import { stateWithin } from '../state/state-dir.ts';
import type { ProjectPlace } from '../state/state-dir.ts';
import { readDraft, writeDraft } from './draft.ts';
import { fixesOf, stepsOf, writeFixes } from './execution-fixes.ts';
import { enterExecutionRound, findFixes, recoverExecutionRound } from './execution-round.ts';
import { forgetReview } from './forget-review.ts';
import { keptAside, leftToDo, stageHeld } from './held-round.ts';
import { withAnswers, writtenFiles } from './open-review.ts';
import type { WrittenFiles } from './open-review.ts';
import { acceptedChange, toReviewed } from './reviewed-file.ts';
import { readRound, writeRound } from './round-record.ts';
import type { RoundRecord } from './round-record.ts';
import type { ReviewSubject } from './subject.ts';
import { checkRound } from './submit-review.ts';
import type { SubmitOptions, SubmittedReview } from './submit-review.ts';
import { conflict, countDecided, rejectAll, settledDecisions, wantedOf } from './take-back.ts';

interface Result {
  execution: Execution;
  artifacts: Artifact[];
}

interface Work {
  project: ProjectPlace;
  id: string;
  /** Of the server; asked for where it is needed, once. */
  result(): Promise<Result>;
}

export function reviewOfExecution(
  project: ProjectPlace,
  id: string,
  { isApplied, connect }: { isApplied: boolean; connect(): Promise<MillraceClient> },
): ReviewSubject {
  let known: Promise<Result> | undefined;
  const result = () => (known ??= connect().then((client) => completedExecution(client, id)));
  const work: Work = { project, id, result };
  const locked = <T>(does: () => Promise<T>) =>
    withProjectLock(project, { runId: id, work: 'review' }, async () => {
      await recoverExecutionRound(project, id);
      return does();
    });
  /** What the answers are about. */
  let shown: string | undefined;
  const filesOf = () => (isApplied ? writtenFiles(project, id) : unwrittenFiles(work));
  return {
    runId: id,
    isApplied,
    async writersOf(paths) {
      const { artifacts } = await result();
      const steps = [...stepsOf(artifacts)].filter(([path]) => paths.has(path));
      const byStep = Map.groupBy(steps, ([, step]) => step);
      return new Map([...byStep].map(([step, all]) => [step, all.map(([path]) => path)]));
    },
    open: () =>
      locked(async () => {
        const files = await filesOf();
        shown = hashOf(files);
        return withAnswers(project.stateDir, id, files);
      }),
    submit: (options) =>
      locked(async () => {
        await checkRound(project.stateDir, id, options);
        if (options.answers !== undefined) await writeDraft(project.stateDir, id, options.answers);
        const files = await filesOf();
        if (!isApplied && hashOf(files) !== shown) throw changedSinceShown();
        return isApplied ? takeBack(work, files, options) : write(work, files, options);
      }),
    findOpenRound: () => findFixes(project, id),
  };
}

const hashOf = ({ files }: WrittenFiles) => hashOfChanges(files.map(({ change }) => change));

const changedSinceShown = () =>
  new OrchestratorError({
    code: 'CONFLICT',
    message: 'Nothing was written: files have changed since the review.',
    hint: 'Review it again; your answers about what is the same are kept.',
  });

/** What would be written, with what the rounds so far have left and made of it. */
async function unwrittenFiles({ project, id, result }: Work): Promise<WrittenFiles> {
  const { stateDir, root } = project;
  const { artifacts } = await result();
  const done = await settledPaths(stateDir, id);
  if ([...stepsOf(artifacts).keys()].every((path) => done.has(path))) {
    // Of a process that was killed when all was written.
    await forgetReview(stateDir, id);
    return { files: [], changedSince: [] };
  }
  const round = await readRound(stateDir, id);
  if (round?.held !== undefined) {
    const { operations = [], isExact = false } = round.made ?? {};
    const protectedPaths = stateWithin(project);
    const place = { root, owns: [], protectedPaths };
    return reviewed(id, await stageHeld({ ...place, operations, isExact }, round.held));
  }
  const { changes, rejected } = await stageArtifacts(project, artifacts, done);
  const [first] = reasonsOf(rejected);
  if (first !== undefined) throw rejectedError(id, first);
  return { files: changes.map(toReviewed), changedSince: [] };
}

function reviewed(id: string, staged: Staged): WrittenFiles {
  if (staged.kind === 'staged') {
    const changes = staged.changes.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    return { files: changes.map(toReviewed), changedSince: [] };
  }
  const items = [...new Set(staged.problems.map(({ path }) => path))];
  throw new OrchestratorError({
    code: 'CONFLICT',
    message: `What the review has left of ${id} cannot be written: files have changed since.`,
    items,
    hint: 'Undo those changes, or begin the review anew with --again.',
  });
}

/** Problems that come with leaving something out; none where the whole has them, too. */
function problemsOf(
  root: string,
  left: readonly FileChange[],
  whole: readonly FileChange[],
): string[] {
  const expected = () => [];
  const said = (changes: readonly FileChange[]) =>
    changeProblems({ root, changes, expected }).map(({ path, message }) => `${path}: ${message}`);
  const before = new Set(said(whole));
  return said(left).filter((one) => !before.has(one));
}

async function fail(
  { project: { stateDir }, id }: Work,
  { files }: WrittenFiles,
  problems: readonly string[],
): Promise<SubmittedReview> {
  const { decisions } = await readDraft(stateDir, id);
  const failed = { stream: id, error: problems[0]!, output: problems.join('\n') };
  const kept = [...decisions].filter(([, { kind }]) => kind === 'accepted');
  await writeDraft(stateDir, id, { decisions: new Map(kept), failed });
  const counts = countDecided(files, decisions);
  return { runId: id, kind: 'failed', ...counts, files: [], failed };
}

/** Of changes that are not written yet. */
async function write(
  work: Work,
  written: WrittenFiles,
  { verdict = 'apply' }: SubmitOptions,
): Promise<SubmittedReview> {
  const { project, id } = work;
  const { root, stateDir } = project;
  const { files } = written;
  const draft = await readDraft(stateDir, id);
  const { comments, round } = draft;
  const decisions = verdict === 'reject' ? rejectAll(files) : draft.decisions;
  const counts = countDecided(files, decisions);
  const changes = files.map(({ change }) => change);
  if (verdict === 'changes' && comments.size > 0) {
    const todo = leftToDo(changes, { decisions, comments });
    const before = await readRound(stateDir, id);
    // The lines of the round before are in the draft.
    const about = { round: round + 1, previous: '', carried: [] };
    const held = { ...keptAside(changes, todo), ...about };
    // What a round has not come to make is made by this one, or turned down in it.
    const shown = new Set(changes.map(({ path }) => path));
    const unknown = todo.open.filter(([, { path }]) => !shown.has(path));
    const open = todo.open.filter(([, { path }]) => shown.has(path));
    const asked = {
      placed: [...todo.placed],
      left: unknown.map(([one, { path }]) => whyLeft(one, path)),
      attempt: (before?.attempt ?? 0) + 1,
      decisions: settledDecisions(files, decisions),
      // Nothing is written yet.
      files: [],
    };
    const record = await beginRound(work, { ...asked, ...counts, open, held, round, comments });
    return roundOf(id, record, counts);
  }
  const kept = files.flatMap((file) => acceptedChange(file, decisions, 'accepted') ?? []);
  const problems = problemsOf(root, kept, changes);
  if (problems.length > 0) return fail(work, written, problems);
  if (kept.length > 0) {
    const { artifacts } = await work.result();
    await writeReviewed(project, id, { kept, paths: [...stepsOf(artifacts).keys()] });
  }
  await forgetReview(stateDir, id);
  return { runId: id, kind: 'applied', ...counts, files: kept.map(({ path }) => path) };
}

/** Of changes that are written. */
async function takeBack(
  work: Work,
  written: WrittenFiles,
  { verdict = 'apply' }: SubmitOptions,
): Promise<SubmittedReview> {
  const { project, id } = work;
  const { root, stateDir } = project;
  const { files, changedSince } = written;
  const draft = await readDraft(stateDir, id);
  const { comments, round } = draft;
  const isRound = verdict === 'changes' && comments.size > 0;
  const decisions = verdict === 'reject' ? rejectAll(files) : draft.decisions;
  const counts = countDecided(files, decisions);
  const suggestionsFor = (path: string) =>
    new Map([...comments].filter(([, one]) => one.path === path && one.suggestion !== undefined));
  const { changes, placed } = isRound
    ? wantedOf(written, decisions, suggestionsFor)
    : wantedOf(written, decisions);
  const whole = files.map(({ change }) => change);
  const problems = problemsOf(root, changes, whole);
  if (problems.length > 0) return fail(work, written, problems);
  const earlier = await listApplied(stateDir, id, new Set([REVIEW]));
  const attempt = 1 + Math.max(0, ...earlier.map((one) => one.attempt));
  const paths = changes.map(({ path }) => path);
  const settled = settledDecisions(files, decisions);
  let record: RoundRecord | undefined;
  if (isRound) {
    const shown = new Set([...files, ...changedSince].map(({ change }) => change.path));
    const asked = [...comments].filter(([one]) => !placed.includes(one));
    const open = asked.filter(([, { path }]) => shown.has(path));
    const left = asked.flatMap(([one, { path }]) => (shown.has(path) ? [] : [whyLeft(one, path)]));
    const known = { placed, left, attempt, decisions: settled, files: paths };
    record = await beginRound(work, { ...known, ...counts, open, round, comments });
  }
  if (changes.length > 0 || record !== undefined) {
    const place = { root, stateDir, runId: id, streamId: REVIEW, attempt };
    const done = await applyChanges(place, changes);
    if (done.kind === 'conflict') throw conflict(done.problems.map(({ path }) => path));
    await removeNewFolders(root, await appliedChanges(stateDir, id));
  }
  if (record !== undefined) {
    await enterExecutionRound(stateDir, id, record);
    return roundOf(id, record, counts);
  }
  await writeDraft(stateDir, id, { decisions: settled, failed: undefined });
  return { runId: id, kind: 'applied', ...counts, files: paths };
}

const whyLeft = (id: string, path: string) => ({
  id,
  why: `${path} is no part of the review any more`,
});

function roundOf(
  id: string,
  { round: number, fixes, placed, left, files }: RoundRecord,
  counts: ReturnType<typeof countDecided>,
): SubmittedReview {
  const round = { number, fixes, placed, left };
  return { runId: id, kind: 'round', ...counts, files, round };
}

interface Begun extends Pick<
  RoundRecord,
  'placed' | 'left' | 'attempt' | 'files' | 'accepted' | 'rejected' | 'round'
> {
  decisions: ReturnType<typeof settledDecisions>;
  comments: Awaited<ReturnType<typeof readDraft>>['comments'];
  open: ReturnType<typeof leftToDo>['open'];
  held?: NonNullable<RoundRecord['held']>;
}

/** On disk before anything is touched. One that holds changes back counts with that. */
async function beginRound(
  { project, id, result }: Work,
  { open, held, comments, decisions, ...begun }: Begun,
): Promise<RoundRecord> {
  const { stateDir } = project;
  const { round } = begun;
  const { execution, artifacts } = await result();
  const fixes = fixesOf(open, { steps: stepsOf(artifacts), round });
  const manifest =
    fixes.length === 0
      ? undefined
      : await writeFixes(project, execution, {
          round,
          fixes,
          comments,
          ...(held && { held }),
        });
  const { placed, left, attempt, files, accepted, rejected } = begun;
  const record: RoundRecord = {
    v: 1,
    round,
    state: 'begun',
    attempt,
    accepted,
    rejected,
    files,
    writers: [],
    decisions: [...decisions],
    comments: [...comments],
    fixes,
    placed,
    left,
    ...(manifest !== undefined && { manifest }),
    ...(held && { held }),
  };
  await writeRound(stateDir, id, record);
  if (held !== undefined) await enterExecutionRound(stateDir, id, record);
  return record;
}
