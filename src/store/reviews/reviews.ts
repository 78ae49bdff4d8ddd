// Reviews below their approvals: what is looked at, and what was said about it when the approval was answered.
import type {
  CarriedComment,
  NewReview,
  ReviewDraft,
  ReviewOutcome,
  ReviewVerdict,
} from '../../contract/review-api.ts';
import type { Queryable } from '../postgres/db.ts';

export interface ReviewRow {
  files: number;
  received: number;
  round: number;
  isApplied: boolean;
  previous: string | null;
  failed: NonNullable<NewReview['failed']> | null;
  comments: CarriedComment[];
  command: string;
  verdict: ReviewVerdict | null;
  decisions: ReviewDraft['decisions'] | null;
  said: ReviewDraft['comments'] | null;
  isTaken: boolean;
  outcome: ReviewOutcome | null;
}

export async function insertReview(
  tx: Queryable,
  approvalId: string,
  { files, round, isApplied, previous, failed, comments, command }: NewReview,
): Promise<void> {
  await tx.query(
    `insert into reviews (approval_id, files, round, is_applied, previous, failed, comments, command)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      approvalId,
      files,
      round,
      isApplied,
      previous ?? null,
      failed === undefined ? null : JSON.stringify(failed),
      JSON.stringify(comments),
      command,
    ],
  );
}

/** Until the end of the transaction nothing else changes it, and it is not answered. */
export async function lockReview(tx: Queryable, approvalId: string): Promise<void> {
  await tx.query('select 1 from approvals where id = $1 for update', [approvalId]);
}

export async function findReview(
  db: Queryable,
  approvalId: string,
): Promise<ReviewRow | undefined> {
  const { rows } = await db.query<ReviewRow>(
    `select files, (select count(*)::int from review_files f where f.approval_id = r.approval_id) as received,
       round, is_applied as "isApplied", previous, failed, comments, command, verdict, decisions, said,
       taken_at is not null as "isTaken", outcome
     from reviews r where approval_id = $1`,
    [approvalId],
  );
  return rows[0];
}

/** What was drafted becomes what was said. The caller has just resolved the approval. */
export async function completeReview(
  tx: Queryable,
  approvalId: string,
  { userId, verdict }: { userId: string; verdict: ReviewVerdict },
): Promise<void> {
  await tx.query(
    `update reviews r set verdict = $3, decisions = coalesce(d.decisions, '{}'), said = coalesce(d.comments, '{}')
     from (select 1) one left join review_drafts d on d.approval_id = $1 and d.user_id = $2
     where r.approval_id = $1`,
    [approvalId, userId, verdict],
  );
}

export async function markTaken(tx: Queryable, approvalId: string): Promise<void> {
  await tx.query('update reviews set taken_at = coalesce(taken_at, now()) where approval_id = $1', [
    approvalId,
  ]);
}

export async function writeOutcome(
  tx: Queryable,
  approvalId: string,
  outcome: ReviewOutcome,
): Promise<void> {
  await tx.query('update reviews set outcome = $2 where approval_id = $1', [
    approvalId,
    JSON.stringify(outcome),
  ]);
}
