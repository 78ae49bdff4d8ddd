// A gate of the manifest: a person is asked on the server, and the run waits without holding anything. What is about to be
// done is compared with what was approved; a process that resumes the run asks the same and finds the answer.
import { MillraceConnectionError, MillraceError } from '../../client/index.ts';
import type { Approval } from '../../client/index.ts';
import { MAX_DETAIL } from '../../contract/approval-api.ts';
import type { NewReview, ReviewFile, ReviewSubmission } from '../../contract/review-api.ts';
import type { ApprovalKind } from '../../contract/approval-api.ts';
import type { Halt } from '../../domain/run/halt.ts';
import { sha256 } from '../../platform/sha256.ts';
import { unifiedDiff } from '../apply/diff.ts';
import type { FileChange } from '../apply/file-change.ts';
import { summaryOf } from '../apply/summary.ts';
import { sendReviewFiles } from '../review/review-files.ts';
import type { RunContext, RunOptions } from './context.ts';

export interface GateQuestion {
  kind: ApprovalKind;
  streamId?: string;
  title: string;
  detail: string;
  format: 'text' | 'diff';
  /** Of all that is shown, also of what does not fit. */
  hash: string;
  /** Looked through hunk by hunk: nothing is open before the files are there. */
  review?: { about: Omit<NewReview, 'files'>; files: readonly ReviewFile[] };
}

/** What was said about each hunk, now in the hands of this command. */
export interface AnsweredReview {
  approvalId: string;
  submission: ReviewSubmission;
}

export type GateAnswer =
  | {
      kind: 'approved';
      by: string | undefined;
      answer: string | undefined;
      review?: AnsweredReview;
    }
  | {
      kind: 'denied';
      by: string | undefined;
      comment: string | undefined;
      review?: AnsweredReview;
    }
  | { kind: 'stopped' }
  | { kind: 'halted'; halt: Halt };

/** One request of the wait; the server answers as soon as there is an answer. */
const WAIT_SECONDS = 50;
/** A reader needs more than a moment for a review, and may come back to it. */
const REVIEW_LIFE_S = 30 * 24 * 3600;
const CUT = '\n… cut: it is too long to be shown whole.\n';

const shownText = (text: string) => {
  const whole = text.toWellFormed().replaceAll('\0', '\ufffd');
  return whole.length <= MAX_DETAIL ? whole : whole.slice(0, MAX_DETAIL - CUT.length) + CUT;
};

/** Names, contents and modes before and after. */
export function hashOfChanges(changes: readonly FileChange[]): string {
  const digest = (bytes: Buffer | null) => (bytes === null ? null : sha256(bytes));
  const all = changes.map(({ path, before, after, mode, newMode }) => {
    return [path, digest(before), digest(after), mode, newMode ?? null];
  });
  return sha256(JSON.stringify(all));
}

/** As in `Review run_01...: 2 files, +3 -1`. */
export function titleOfChanges(what: string, changes: readonly FileChange[]): string {
  const summaries = changes.map(summaryOf);
  const sum = (name: 'additions' | 'deletions') =>
    summaries.reduce((all, each) => all + each[name], 0);
  const files = `${changes.length} file${changes.length === 1 ? '' : 's'}`;
  return `${what}: ${files}, +${sum('additions')} -${sum('deletions')}`;
}

export function questionOfChanges(
  { options: { scrub } }: RunContext,
  streamId: string,
  changes: readonly FileChange[],
): GateQuestion {
  return {
    kind: 'changes',
    streamId,
    title: titleOfChanges(`Write the changes of ${streamId}`, changes),
    detail: scrub(changes.map(unifiedDiff).join('')),
    format: 'diff',
    hash: hashOfChanges(changes),
  };
}

function haltOf(error: unknown): Halt | undefined {
  if (error instanceof MillraceConnectionError) {
    return { kind: 'unreachable', reason: error.message };
  }
  if (!(error instanceof MillraceError)) return undefined;
  const isKey = error.status === 401 || error.status === 403;
  return { kind: isKey ? 'not_authorised' : 'limited', reason: error.message };
}

function answerOf({
  status,
  resolution,
}: Approval): Extract<GateAnswer, { kind: 'approved' | 'denied' }> {
  const by = resolution?.by?.email;
  if (status === 'approved')
    return { kind: 'approved', by, answer: resolution?.answer ?? undefined };
  return { kind: 'denied', by, comment: resolution?.comment ?? undefined };
}

export async function askApproval(
  { options: { client }, runId }: { options: Pick<RunOptions, 'client'>; runId: string },
  question: GateQuestion,
  {
    signal,
    onOpen,
    stays = false,
  }: {
    signal: AbortSignal;
    onOpen(approval: Approval): void | Promise<void>;
    /** Also when nobody waits for it any more: what was said in it so far holds when the command comes back. */
    stays?: boolean;
  },
): Promise<GateAnswer> {
  let approval: Approval | undefined;
  try {
    const { review, ...rest } = question;
    const asked = { ...rest, runId, detail: shownText(question.detail) };
    approval = await client.approvals.create(
      review === undefined
        ? asked
        : {
            ...asked,
            expiresInSeconds: REVIEW_LIFE_S,
            review: { ...review.about, files: review.files.length },
          },
      { signal },
    );
    if (approval.status === 'open' && review !== undefined) {
      await sendReviewFiles(client, approval.id, review.files, signal);
    }
    if (approval.status === 'open') await onOpen(approval);
    while (approval.status === 'open' && !signal.aborted) {
      approval = await client.approvals.get(approval.id, { waitSeconds: WAIT_SECONDS, signal });
    }
    if (signal.aborted) return { kind: 'stopped' };
    const answer = answerOf(approval);
    if (review === undefined) return answer;
    const { id: approvalId } = approval;
    const { submission } = await client.reviews.take(approvalId, { signal });
    return { ...answer, ...(submission && { review: { approvalId, submission } }) };
  } catch (error) {
    if (signal.aborted) return { kind: 'stopped' };
    const halt = haltOf(error);
    if (halt === undefined) throw error;
    return { kind: 'halted', halt };
  } finally {
    // Nobody waits for it any more. Where that does not arrive, its time ends it.
    if (signal.aborted && approval?.status === 'open' && !stays) {
      await client.approvals.withdraw(approval.id).catch(() => undefined);
    }
  }
}

const WHAT: Readonly<Record<string, string>> = { plan: 'the plan', changes: 'the changes' };

/** In one sentence: who denied what. */
export function denialText(
  { kind, streamId }: Pick<GateQuestion, 'kind' | 'streamId'>,
  { by, comment }: Extract<GateAnswer, { kind: 'denied' }>,
): string {
  const what = `${WHAT[kind] ?? `the ${kind}`}${streamId === undefined ? '' : ` of ${streamId}`}`;
  const why = comment === undefined ? '' : ` ${comment}`;
  return by === undefined
    ? `Nobody approved ${what} in time.`
    : `${by} denied ${what}${why === '' ? '.' : `:${why}`}`;
}
