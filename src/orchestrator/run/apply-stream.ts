// From an answer to files that pass their checks, or to the tree as it was.
import type { Operation } from '../../contract/artifact.ts';
import { ANSWER } from '../../manifest/model.ts';
import { rejection } from '../../domain/run/rejection.ts';
import type { HeldChanges } from '../../domain/review/held-changes.ts';
import { NotWritableError } from '../apply/commit.ts';
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import type { FileChange } from '../apply/file-change.ts';
import { summaryOf } from '../apply/summary.ts';
import { applyChanges } from '../apply/transaction.ts';
import { changeProblems } from '../checks/check-changes.ts';
import {
  asksForChanges,
  askedFor,
  endReview,
  heldReview,
  keptOf,
} from '../review/hold-in-browser.ts';
import { askedChanges, questionHash, stageHeld } from '../review/held-round.ts';
import { forgetLeftReview, noteLeftReview, withLeftReview } from '../review/left-reviews.ts';
import { acceptedChange, toReviewed } from '../review/reviewed-file.ts';
import type { Attempt, RunContext } from './context.ts';
import type { FileTurn } from './file-lane.ts';
import { problemsOfDropped } from './keep-others-lines.ts';
import { askApproval, denialText, hashOfChanges, questionOfChanges } from './ask-approval.ts';
import type { AnsweredReview, GateQuestion } from './ask-approval.ts';
import type { Applied } from './stream-outcome.ts';
import type { RunTask } from './task.ts';
import { runSetupOf, verifyWritten } from './verify-stream.ts';

/** In a turn of its own. The time of the stream does not run while it waits for one. */
export async function withFiles<T>(
  context: RunContext,
  { task, attempt, clock }: Attempt,
  work: (turn: FileTurn) => Promise<T>,
): Promise<T> {
  clock.pause();
  if (context.lane.isBusy()) {
    context.emit({ type: 'stream.waiting', stream: task.id, attempt, reason: 'files' });
  }
  return context.lane.take(async (turn) => {
    clock.resume();
    return work(turn);
  });
}

/** Undefined when all went well. */
export async function setUp(context: RunContext, start: Attempt): Promise<Applied | undefined> {
  if (start.task.setup.length === 0) return undefined;
  // Others must not see a project in which something is just being installed.
  return withFiles(context, start, (turn) => turn.alone(() => runSetupOf(context, start, turn)));
}

export async function applyAndVerify(
  context: RunContext,
  start: Attempt,
  operations: readonly Operation[],
  { isLast, isExact }: { isLast: boolean; isExact: boolean },
): Promise<Applied> {
  const gate: Gate = {
    approved: new Set(),
    reviewed: undefined,
    answered: undefined,
    asked: [],
    held: start.fix?.review?.held,
    isAsAsked: false,
  };
  for (;;) {
    const end = await withFiles(context, start, async (turn) => {
      for (;;) {
        if (start.signal.aborted) return { kind: 'stopped' } as const;
        const written = await turn.alone(() =>
          write(context, start, turn, { operations, isLast, isExact, gate }),
        );
        if (written === 'written') return verifyWritten(context, start, turn);
        if ('kind' in written || 'ask' in written) return written;
        // Another one is being checked with one of these files: after it they are others.
        await written.taken;
      }
    });
    if (!('ask' in end)) return end;
    // Asked without holding the files: other streams write meanwhile, and then it is asked about other changes.
    const refusal = await passGate(context, start, end.ask, gate);
    if (refusal !== undefined) return refusal;
    gate.approved.add(end.ask.hash);
  }
}

/** What a person has decided about the changes of one attempt; each by the hash of what they saw. */
interface Gate {
  approved: Set<string>;
  reviewed: { hash: string; changes: FileChange[] } | undefined;
  /** In the browser, hunk by hunk. */
  answered: ({ hash: string } & AnsweredReview) | undefined;
  /** What it was about. */
  asked: readonly FileChange[];
  /** What the review before has left of the changes. */
  held: HeldChanges | undefined;
  /** Nothing but that is proposed: all that was asked for has been suggested. */
  isAsAsked: boolean;
}

/** Undefined when the changes were approved. */
async function passGate(
  context: RunContext,
  { task, attempt, clock, signal }: Attempt,
  question: GateQuestion,
  gate: Gate,
): Promise<Applied | undefined> {
  clock.pause();
  const asked = await withLeftReview(context, question);
  const isKnown = asked !== question;
  let approvalId: string | undefined;
  const answer = await askApproval(context, asked, {
    signal,
    onOpen({ id, title, byOther }) {
      approvalId = id;
      const advice = byOther === 'advised' ? '; the team wants another person to approve it' : '';
      const before = isKnown ? '; what was said before the run was stopped is in it' : '';
      const detail = `${id}: ${title}${advice}${before}`;
      context.emit({
        type: 'stream.waiting',
        stream: task.id,
        attempt,
        reason: 'approval',
        detail,
      });
    },
  });
  clock.resume();
  if (answer.kind === 'stopped' && question.review !== undefined && approvalId !== undefined) {
    await noteLeftReview(context, question, approvalId);
  }
  if (answer.kind === 'stopped' || answer.kind === 'halted') return answer;
  if (question.review !== undefined) await forgetLeftReview(context, question);
  const { review } = answer;
  if (review !== undefined && (answer.kind === 'denied' || asksForChanges(review.submission))) {
    await endReview(context, review.approvalId, {
      kind: answer.kind === 'denied' ? 'applied' : 'round',
    });
  }
  if (answer.kind === 'approved') {
    if (review !== undefined && asksForChanges(review.submission)) {
      const asked = askedChanges(gate.asked, review, gate.held);
      if (asked.comments.length > 0) return askedFor(asked);
      Object.assign(gate, { held: asked.held, isAsAsked: true });
      return undefined;
    }
    gate.answered = review && { hash: question.hash, ...review };
    return undefined;
  }
  const { kind: what } = question;
  const { by, comment } = answer;
  return { kind: 'denied', what, by, comment, error: denialText(question, answer) };
}

/** Of files that an earlier process wrote and did not come to check. */
export async function verifyApplied(context: RunContext, start: Attempt): Promise<Applied> {
  return withFiles(context, start, (turn) => verifyWritten(context, start, turn));
}

async function write(
  context: RunContext,
  start: Attempt,
  lane: FileTurn,
  {
    operations,
    isLast,
    isExact,
    gate,
  }: { operations: readonly Operation[]; isLast: boolean; isExact: boolean; gate: Gate },
): Promise<Applied | 'written' | { taken: Promise<void> } | { ask: GateQuestion }> {
  const { task, attempt, signal, clock } = start;
  const { root, stateDir, runId, protectedPaths } = context;
  const owns = [...task.owns];
  const { held, isAsAsked } = gate;
  const proposed = isAsAsked ? [] : operations;
  const place = { root, owns, protectedPaths };
  const staged = await stageHeld({ ...place, operations: proposed, isExact }, held);
  const rejectedBy = (problems: readonly ApplyProblem[]) => rejected(task, problems);
  if (staged.kind === 'rejected') return rejectedBy(staged.problems);
  const taken = lane.claim(staged.changes.map(({ path }) => path));
  if (taken !== undefined) return { taken };
  const dropped = await problemsOfDropped(context, task, {
    operations: proposed,
    changes: staged.changes,
  });
  if (dropped.length > 0) return rejectedBy(dropped);
  const expected = () => expectedBy(context, task);
  const found = changeProblems({ root, changes: staged.changes, expected });
  const unfit = isLast ? found.filter((problem) => isFinal(problem, task)) : found;
  if (unfit.length > 0) return rejectedBy(unfit);
  clock.pause();
  const hash = hashOfChanges(staged.changes);
  const seen = gate.reviewed?.hash === hash ? gate.reviewed.changes : undefined;
  const answered = gate.answered?.hash === questionHash(hash, held) ? gate.answered : undefined;
  const isInBrowser = context.options.reviewInBrowser !== undefined && staged.changes.length > 0;
  if (isInBrowser && answered === undefined) {
    clock.resume();
    gate.asked = staged.changes;
    return { ask: heldReview(context, start, { changes: staged.changes, held }) };
  }
  const changes =
    answered === undefined
      ? (seen ?? (await reviewed(context, start, staged.changes)))
      : keptOf(staged.changes, answered.submission);
  clock.resume();
  // A user who leaves in the middle of a review has turned nothing down.
  if (signal.aborted) return { kind: 'stopped' };
  if (changes === undefined) {
    const error = 'The changes were declined in the review.';
    return { kind: 'failed', failure: { kind: 'call', code: 'REVIEW', status: 400, error } };
  }
  const isApproved = answered !== undefined || gate.approved.has(hashOfChanges(changes));
  if (task.approvesChanges && changes.length > 0 && !isApproved) {
    gate.reviewed = { hash, changes };
    return { ask: questionOfChanges(context, task.id, changes) };
  }
  // Files that stand without the answer they came from would look as if they had cost nothing.
  await context.settled();
  const record = { root, stateDir, runId, streamId: task.id, attempt };
  const written = await applyChanges(record, changes).catch((error: unknown) => {
    if (error instanceof NotWritableError) return error;
    throw error;
  });
  if (written instanceof NotWritableError) {
    return { kind: 'failed', failure: { kind: 'disk', error: written.message } };
  }
  if (written.kind === 'conflict') return rejectedBy(written.problems);
  const files = changes.map(summaryOf);
  await context.record({ type: 'stream.applied', stream: task.id, attempt, files });
  if (answered !== undefined) await endReview(context, answered.approvalId, { kind: 'applied' });
  return 'written';
}

/** Where nobody can be asked any more, the commands of the stream judge better than we do. */
function isFinal({ code }: ApplyProblem, { verify, commands }: RunTask): boolean {
  return code === 'SYNTAX' && verify.length === 0 && commands.length === 0;
}

/** Files of streams that have not come to write them; one that names none may write any. */
function expectedBy({ tasks, scheduler }: RunContext, task: RunTask): string[] {
  return [...tasks.values()].flatMap(({ id, owns }) => {
    if (id === task.id || scheduler.stream(id).status === 'complete') return [];
    return owns.length > 0 ? owns : ['**'];
  });
}

function rejected({ agent }: RunTask, problems: readonly ApplyProblem[]): Applied {
  const whose = agent === ANSWER ? 'The answer' : 'The changes';
  return { kind: 'failed', failure: rejection(problems, whose), problems };
}

async function reviewed(
  context: RunContext,
  { task, attempt }: Attempt,
  changes: FileChange[],
): Promise<FileChange[] | undefined> {
  if (
    context.options.apply !== 'review' ||
    context.options.review === undefined ||
    changes.length === 0
  )
    return changes;
  context.emit({ type: 'stream.waiting', stream: task.id, attempt, reason: 'review' });
  const files = changes.map(toReviewed);
  const decisions = await context.options.review(task, files);
  const accepted = files.flatMap((file) => acceptedChange(file, decisions) ?? []);
  return accepted.length === 0 ? undefined : accepted;
}
