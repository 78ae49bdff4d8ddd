// An approval that is a review: its row is made with the approval, and what was drafted counts when that is answered.
import { ServiceError, invalid } from '../../contract/errors.ts';
import type { NewReview, ReviewVerdict } from '../../contract/review-api.ts';
import { findApproval } from '../../store/approvals/approvals.ts';
import type { NewApproval } from '../../store/approvals/approvals.ts';
import type { Queryable } from '../../store/postgres/db.ts';
import { copyDrafts } from '../../store/reviews/review-drafts.ts';
import { completeReview, findReview, insertReview } from '../../store/reviews/reviews.ts';

export async function addReview(
  tx: Queryable,
  { id, teamId, runId }: NewApproval,
  review: NewReview,
): Promise<void> {
  const { previous, failed } = review;
  if (previous !== undefined) {
    const before = await findApproval(tx, previous);
    // One that was taken back may have been of a run before, which was stopped.
    const isOfRun = before?.runId === runId || before?.status === 'withdrawn';
    if (before?.teamId !== teamId || !isOfRun || !before.hasReview) {
      throw invalid('review.previous', 'unknown', 'This run has no such review.');
    }
  }
  await insertReview(tx, id, review);
  if (previous === undefined) return;
  await copyDrafts(tx, { from: previous, to: id, hasFailed: failed !== undefined });
}

/** With the answer, in the same transaction. */
export async function submitReview(
  tx: Queryable,
  id: string,
  { userId, verdict }: { userId: string; verdict: ReviewVerdict },
): Promise<void> {
  const { received, files } = (await findReview(tx, id))!;
  if (received < files && verdict !== 'reject') {
    throw new ServiceError('CONFLICT', 'The files of this review are still being sent. Try again.');
  }
  await completeReview(tx, id, { userId, verdict });
}
