// One round of what a request asks for: comments of people who may push, and checks that failed. It is a round of the
// review of the run, so it is done, verified, paused and resumed as one. What is asked for is on disk before it begins;
// answers are given once the commits that do it are pushed, and each only once.
import type { Forge, PullRequest } from '../../../git/forges/forge.ts';
import type { Comments, ReviewComment } from '../../../domain/review/comment.ts';
import { projectionOf } from '../../../domain/run/projection.ts';
import { appliedChanges } from '../../changes/applied-changes.ts';
import type { FoundRun } from '../../project/find-run.ts';
import { readDraft, writeDraft } from '../../review/draft.ts';
import { findOpenRound, openReview } from '../../review/open-review.ts';
import { submitReview } from '../../review/submit-review.ts';
import type { SubmitOptions, SubmittedReview } from '../../review/submit-review.ts';
import { readBranch } from '../../state/branch-record.ts';
import { listRunIds } from '../../state/run-folder.ts';
import type { ProjectPlace } from '../../state/state-dir.ts';
import { checkBranch } from '../with-files-of-run.ts';
import { answerRound, isDone } from './answer-comments.ts';
import type { Answers } from './answer-comments.ts';
import { conflictError } from './conflict-error.ts';
import { gatherComments } from './gather-comments.ts';
import type { Gathered, SaidComment } from './gather-comments.ts';
import { readRequest, writeRequest } from './request-record.ts';
import type { RequestRecord } from './request-record.ts';

export interface FixOptions {
  forge: Forge;
  review: SubmitOptions;
  onStep(text: string): void;
}

export type BegunFix =
  | { kind: 'nothing'; strangers: SaidComment[] }
  /** To be continued: what of it is not done yet is known to the review of the run. */
  | { kind: 'begun'; submitted: SubmittedReview | undefined; strangers: SaidComment[] };

/** The run that made the request of this number. */
export async function findRunOfRequest(
  stateDir: string,
  number: number,
): Promise<string | undefined> {
  for (const runId of (await listRunIds(stateDir)).toReversed()) {
    const branch = await readBranch(stateDir, runId);
    const known = branch && (await readRequest(stateDir, branch.origin));
    if (known === undefined) continue;
    const numbers = [known.number, ...known.parts.map((part) => part.number)];
    if (numbers.includes(number)) return runId;
  }
  return undefined;
}

/** Those that are open, of a stack the uppermost last. Throws when there is nothing more to be fixed. */
async function openRequestsOf(
  forge: Forge,
  { number, parts, commits }: RequestRecord,
): Promise<PullRequest[]> {
  const top = await forge.get(number!);
  if (top.state !== 'open') {
    throw conflictError(
      `The ${forge.word} ${forge.sign}${top.number} is ${top.state}: there is nothing to fix any more.`,
      [],
      'A new run with --git branch makes a new one.',
    );
  }
  if (!commits.includes(top.commit)) {
    throw conflictError(
      `${top.head} has commits over there that are not from here.`,
      [],
      `Take them in first: git fetch, then merge ${top.commit.slice(0, 12)} into ${top.head}.`,
    );
  }
  const below = parts.flatMap((part) => (part.number === null ? [] : [part.number]));
  const others = await Promise.all(below.map((one) => forge.get(one)));
  return [...others.filter(({ state }) => state === 'open'), top];
}

async function known(stateDir: string, runId: string) {
  const branch = await readBranch(stateDir, runId);
  const record = branch && (await readRequest(stateDir, branch.origin));
  if (branch === undefined || record === undefined || record.number === null) return undefined;
  return { branch, record };
}

/** Not to be mixed with what a person has begun to say. */
function checkNoDraft({
  runId,
  decisions,
  comments,
  carried,
}: Awaited<ReturnType<typeof openReview>>): void {
  const isCarried = new Set(carried.map(({ id }) => id));
  const isOpen =
    [...decisions.values()].some(({ kind }) => kind !== 'accepted') ||
    [...comments.keys()].some((id) => !isCarried.has(id));
  if (!isOpen) return;
  throw conflictError(
    `A review of ${runId} was begun and not submitted.`,
    [],
    'Submit the review first: its answers would be mixed with these.',
  );
}

/** A suggestion as words: made to the letter, the checks did not pass. */
function asWords({ suggestion, ...comment }: ReviewComment): ReviewComment {
  if (suggestion === undefined) return comment;
  const text = `${comment.text}\n\nSuggested in their place, but the checks fail with it as it is:\n${suggestion}`;
  return { ...comment, text: text.slice(0, 20_000).toWellFormed() };
}

export async function beginFix(
  project: ProjectPlace,
  run: FoundRun,
  { forge, review, onStep }: FixOptions,
): Promise<BegunFix> {
  const { runId } = run;
  const { stateDir, root } = project;
  const { branch, record } = (await known(stateDir, runId))!;
  await checkBranch(root, branch.branch);
  // What a crash left of the submit is brought to an end.
  const open = await findOpenRound(project, run);
  const begun = (await readDraft(stateDir, runId)).round;
  // Of a run before this one, what is not answered is read again.
  if (record.fixing?.runId === runId && record.fixing.round < begun) {
    return { kind: 'begun', submitted: undefined, strangers: [] };
  }
  if (open !== undefined) {
    throw conflictError(
      `The changes that round ${open.round} of the review of ${runId} asked for are not made yet.`,
      [],
      'Run the manifest again to resume the run.',
    );
  }
  const opened = await openReview(project, run);
  const { round } = opened;
  checkNoDraft(opened);
  const requests = await openRequestsOf(forge, record);
  onStep(
    `Reading reviews and checks of ${requests.map(({ number }) => forge.sign + number).join(', ')}`,
  );
  const gathered = await gatherComments(forge, requests, {
    known: record,
    branch: { root, branch: branch.branch, base: record.base, prefix: branch.prefix },
    files: { paths: await writtenPaths(stateDir, run) },
  });
  const { comments, checks, strangers } = gathered;
  if (comments.length + checks.length === 0) return { kind: 'nothing', strangers };
  await writeRequest(stateDir, branch.origin, {
    ...record,
    fixing: { runId, round, comments, checks },
  });
  const submitted = await submitOnce(project, run, { gathered, opened, review });
  return { kind: 'begun', submitted, strangers };
}

async function submitOnce(
  project: ProjectPlace,
  run: FoundRun,
  {
    gathered,
    opened: { decisions, round },
    review,
  }: {
    gathered: Gathered;
    opened: Awaited<ReturnType<typeof openReview>>;
    review: SubmitOptions;
  },
): Promise<SubmittedReview> {
  const submit = (comments: Comments) =>
    submitReview(project, run, {
      ...review,
      verdict: 'changes',
      round,
      onlyWritten: false,
      answers: { decisions, comments },
    });
  const first = await submit(gathered.review);
  if (first.kind !== 'failed' || review.signal.aborted) return first;
  return submit(new Map([...gathered.review].map(([id, one]) => [id, asWords(one)])));
}

/** The last one first. */
async function writtenPaths(stateDir: string, run: FoundRun): Promise<string[]> {
  const { net } = await appliedChanges(stateDir, run.runId);
  const still = new Set(net.flatMap(({ path, after }) => (after === null ? [] : [path])));
  const { streams } = projectionOf(run.events);
  const rows = [...streams.values()].sort((a, b) => b.wave - a.wave);
  const ordered = rows.flatMap(({ changes }) => changes.map(({ path }) => path));
  return [...new Set([...ordered, ...still])].filter((path) => still.has(path));
}

/** After the commits are pushed: what became of each comment, said at it. */
export async function endFix(
  project: ProjectPlace,
  runId: string,
  { forge, onStep }: Pick<FixOptions, 'forge' | 'onStep'>,
): Promise<Answers> {
  const { stateDir } = project;
  const { branch, record } = (await known(stateDir, runId))!;
  const { fixing } = record;
  if (fixing?.runId !== runId) return { done: 0, left: [], unsaid: [] };
  const { carried, comments } = await readDraft(stateDir, runId);
  const outcomes = new Map(
    carried.flatMap(({ id, round, outcome }) =>
      round === fixing.round ? [[id, outcome ?? 'Not done: the run was stopped before.']] : [],
    ),
  );
  onStep('Answering comments');
  const answers = await answerRound(forge, { fixing, outcomes, commit: record.pushed! });
  // What is not done is asked for again by the next round, from the forge.
  const asked = new Set([...fixing.comments, ...fixing.checks].map(({ id }) => id));
  const own = new Map([...comments].filter(([id]) => !asked.has(id)));
  await writeDraft(stateDir, runId, { comments: own, failed: undefined });
  const handled = [...asked].filter((id) => isDone(outcomes.get(id) ?? ''));
  const { fixing: _, ...rest } = record;
  await writeRequest(stateDir, branch.origin, {
    ...rest,
    handled: [...new Set([...record.handled, ...handled])],
  });
  return answers;
}
