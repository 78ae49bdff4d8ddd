// What a reader has said so far, merged key by key: two tabs do not undo each other.
import type { ChangeReviewDraftRequest, ReviewDraft } from '../../contract/review-api.ts';
import type { Queryable } from '../postgres/db.ts';

interface Reader {
  approvalId: string;
  userId: string;
}

const NOTHING_SAID: ReviewDraft = { version: 0, decisions: {}, comments: {}, viewed: {} };

export async function findDraft(
  db: Queryable,
  { approvalId, userId }: Reader,
): Promise<ReviewDraft> {
  const { rows } = await db.query<ReviewDraft>(
    `select version, decisions, comments, viewed from review_drafts
     where approval_id = $1 and user_id = $2`,
    [approvalId, userId],
  );
  return rows[0] ?? NOTHING_SAID;
}

/** Null takes a key away. */
export async function mergeDraft(
  tx: Queryable,
  { approvalId, userId }: Reader,
  { decisions = {}, comments = {}, viewed = {} }: ChangeReviewDraftRequest,
): Promise<ReviewDraft & { bytes: number; said: number }> {
  const merged = (column: string, at: number) => `jsonb_strip_nulls(d.${column} || $${at}::jsonb)`;
  const { rows } = await tx.query<ReviewDraft & { bytes: number; said: number }>(
    `insert into review_drafts as d (approval_id, user_id, version, decisions, comments, viewed)
     values ($1, $2, 1, jsonb_strip_nulls($3::jsonb), jsonb_strip_nulls($4::jsonb), jsonb_strip_nulls($5::jsonb))
     on conflict (approval_id, user_id) do update set version = d.version + 1,
       decisions = ${merged('decisions', 3)}, comments = ${merged('comments', 4)}, viewed = ${merged('viewed', 5)}
     returning version, decisions, comments, viewed,
       octet_length(decisions::text) + octet_length(comments::text) + octet_length(viewed::text) as bytes,
       (select count(*)::int from jsonb_object_keys(comments)) as said`,
    [approvalId, userId, ...[decisions, comments, viewed].map((part) => JSON.stringify(part))],
  );
  return rows[0]!;
}

/**
 * Of everybody who read the round before. Comments that were submitted come back only where the submit did not count:
 * otherwise the round has dealt with them. Where it was taken back, nothing was submitted.
 */
export async function copyDrafts(
  tx: Queryable,
  { from, to, hasFailed }: { from: string; to: string; hasFailed: boolean },
): Promise<void> {
  await tx.query(
    `insert into review_drafts (approval_id, user_id, version, decisions, comments, viewed)
     select $2, d.user_id, 1, d.decisions,
       case when d.user_id = a.resolved_by and a.status <> 'withdrawn' and not $3 then '{}' else d.comments end, '{}'
     from review_drafts d join approvals a on a.id = d.approval_id where d.approval_id = $1`,
    [from, to, hasFailed],
  );
}
