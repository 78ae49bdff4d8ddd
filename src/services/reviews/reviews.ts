// Reviews in the browser. Their approval says who may answer; here are the files, what a reader has said so far, and what
// a command does with it.
import { APPROVAL_ID_PATTERN } from '../../contract/approval-api.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { MAX_COMMENTS, MAX_REVIEW_BYTES } from '../../contract/review-api.ts';
import type {
  ChangeReviewDraftRequest,
  Review,
  ReviewDraft,
  ReviewFiles,
  ReviewOutcome,
  ReviewSubmission,
  SendReviewFilesRequest,
} from '../../contract/review-api.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { whyNotAnswered } from '../../domain/approval/answering.ts';
import { findApproval } from '../../store/approvals/approvals.ts';
import type { ApprovalRow } from '../../store/approvals/approvals.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { findDraft, mergeDraft } from '../../store/reviews/review-drafts.ts';
import {
  countReviewBytes,
  listReviewFiles,
  listReviewTexts,
  putReviewFiles,
} from '../../store/reviews/review-files.ts';
import { findReview, lockReview, markTaken, writeOutcome } from '../../store/reviews/reviews.ts';
import type { ReviewRow } from '../../store/reviews/reviews.ts';
import type { Access } from '../access.ts';
import { tooLate } from '../approvals/too-late.ts';

export interface ReviewService {
  find(identity: Identity, approvalId: string): Promise<Review>;
  files(
    identity: Identity,
    approvalId: string,
    query: { from: number; limit: number },
  ): Promise<ReviewFiles>;
  sendFiles(
    identity: Identity,
    approvalId: string,
    sent: SendReviewFilesRequest,
  ): Promise<{ received: number; files: number }>;
  changeDraft(
    identity: Identity,
    approvalId: string,
    changes: ChangeReviewDraftRequest,
  ): Promise<ReviewDraft>;
  /** For the command that carries it out; null while nobody has submitted it. */
  take(identity: Identity, approvalId: string): Promise<ReviewSubmission | null>;
  end(identity: Identity, approvalId: string, outcome: ReviewOutcome): Promise<void>;
}

/** Of all reviews of a team whose texts are still kept. */
const MAX_TEAM_BYTES = 2 * 1024 * 1024 * 1024;
const MAX_DRAFT_BYTES = 16 * 1024 * 1024;
/** Of one response. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

interface Found {
  row: ApprovalRow;
  review: ReviewRow;
}

function stateOf({ row, review }: Found): Review['state'] {
  const { received, files, outcome, isTaken, verdict } = review;
  if (row.status === 'open') return received < files ? 'loading' : 'open';
  // Nobody answered in time, or who asked took it back.
  if (verdict === null || outcome !== null) return 'closed';
  return isTaken ? 'taken' : 'submitted';
}

function submissionOf({ row, review }: Found): ReviewSubmission | null {
  const { verdict, decisions, said } = review;
  if (verdict === null) return null;
  const { resolvedBy, resolverEmail, resolverName, resolvedAt } = row;
  return {
    verdict,
    by: { userId: resolvedBy!, email: resolverEmail!, name: resolverName },
    at: resolvedAt!.toISOString(),
    decisions: decisions!,
    comments: said!,
  };
}

export function createReviews({ db, access }: { db: Db; access: Access }): ReviewService {
  async function findOwn(identity: Identity, id: string) {
    const row = APPROVAL_ID_PATTERN.test(id) ? await findApproval(db, id) : undefined;
    if (row === undefined)
      throw new ServiceError('NOT_FOUND', 'There is no approval with this id.');
    await access.mayWrite(identity, row, 'approval');
    const role = await access.mayInTeam(identity, row.teamId, 'write');
    const review = await findReview(db, id);
    if (review === undefined) {
      throw new ServiceError('NOT_FOUND', 'This approval has no review by hunk.');
    }
    return { row, review, caller: { role, userId: identity.userId } };
  }

  async function findAsked(identity: Identity, id: string) {
    const found = await findOwn(identity, id);
    if (found.row.userId !== identity.userId) {
      const message =
        'Only the command that asked for this review, with a key of its person, does this.';
      throw new ServiceError('FORBIDDEN', message);
    }
    return found;
  }

  /** While nobody has answered; an answer waits. */
  async function whileOpen<T>(id: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return db.tx(async (tx) => {
      await lockReview(tx, id);
      const row = (await findApproval(tx, id))!;
      if (row.status !== 'open') throw tooLate(row, row.hash);
      return work(tx);
    });
  }

  return {
    async find(identity, id) {
      const { row, review, caller } = await findOwn(identity, id);
      const { round, isApplied, previous, failed, comments, command, outcome } = review;
      const [files, draft] = await Promise.all([
        listReviewFiles(db, id),
        findDraft(db, { approvalId: id, userId: identity.userId }),
      ]);
      return {
        approvalId: id,
        runId: row.runId,
        streamId: row.streamId,
        state: stateOf({ row, review }),
        hash: row.hash,
        round,
        isApplied,
        previous,
        failed,
        comments,
        command,
        mayAnswer: row.status === 'open' && whyNotAnswered(row, caller) === undefined,
        byOther: row.byOther,
        files,
        draft,
        submission: submissionOf({ row, review }),
        outcome,
      };
    },
    async files(identity, id, query) {
      await findOwn(identity, id);
      return { files: await listReviewTexts(db, id, { ...query, maxBytes: MAX_ANSWER_BYTES }) };
    },
    async sendFiles(identity, id, { from, files }) {
      const { row, review } = await findAsked(identity, id);
      if (from + files.length > review.files) {
        const said = `The review was opened for ${review.files} files.`;
        throw invalid('files', 'too_many', said);
      }
      return whileOpen(id, async (tx) => {
        // What a user may be reading does not change under their eyes.
        const { received } = (await findReview(tx, id))!;
        if (received >= review.files) return { received, files: review.files };
        await putReviewFiles(tx, id, { from, files });
        const bytes = await countReviewBytes(tx, { approvalId: id, teamId: row.teamId });
        if (bytes.own > MAX_REVIEW_BYTES) {
          throw invalid(
            'files',
            'too_large',
            `A review has at most ${MAX_REVIEW_BYTES} bytes of text.`,
          );
        }
        if (bytes.team > MAX_TEAM_BYTES) {
          const message = 'The reviews of this team are too large together. Answer some first.';
          throw new ServiceError('CONFLICT', message);
        }
        return { received: (await findReview(tx, id))!.received, files: review.files };
      });
    },
    async changeDraft(identity, id, changes) {
      const { row, caller } = await findOwn(identity, id);
      const why = whyNotAnswered(row, caller);
      if (why !== undefined) throw new ServiceError('FORBIDDEN', why);
      return whileOpen(id, async (tx) => {
        const reader = { approvalId: id, userId: identity.userId };
        const { bytes, said, ...draft } = await mergeDraft(tx, reader, changes);
        if (said > MAX_COMMENTS) {
          throw invalid('comments', 'too_many', `A review has at most ${MAX_COMMENTS} comments.`);
        }
        if (bytes > MAX_DRAFT_BYTES) {
          throw invalid(
            'comments',
            'too_large',
            `What is said has at most ${MAX_DRAFT_BYTES} bytes.`,
          );
        }
        return draft;
      });
    },
    async take(identity, id) {
      const found = await findAsked(identity, id);
      const submission = submissionOf(found);
      if (submission !== null) await markTaken(db, id);
      return submission;
    },
    async end(identity, id, outcome) {
      const { review } = await findAsked(identity, id);
      if (review.verdict === null) {
        throw new ServiceError('CONFLICT', 'Nobody has submitted this review.');
      }
      await writeOutcome(db, id, outcome);
    },
  };
}
