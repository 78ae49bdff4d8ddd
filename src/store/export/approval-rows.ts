// What the runs of a team asked and what was answered, for its export.
import type { Queryable } from '../postgres/db.ts';
import { LARGE_PAGE, pageOf, pages } from './pages.ts';
import type { Rows } from './pages.ts';

const APPROVALS = pageOf(
  'approvals where team_id = $1',
  [
    'id',
    'user_id as userId',
    'api_key_id as apiKeyId',
    'run_id as runId',
    'stream_id as streamId',
    'kind',
    'title',
    'detail',
    'format',
    'hash',
    'role',
    'by_other as byOther',
    'status',
    'resolved_by as resolvedBy',
    'resolved_at as resolvedAt',
    'comment',
    'answer',
    'created_at as createdAt',
    'expires_at as expiresAt',
  ],
  { id: 'id' },
);

export const approvalsOf = (db: Queryable, teamId: string): Rows =>
  pages(db, APPROVALS, teamId, LARGE_PAGE);

/** What was said in the end. Drafts are not in here: their readers have not said it. */
const REVIEWS = pageOf(
  'reviews r join approvals a on a.id = r.approval_id where a.team_id = $1',
  [
    'r.approval_id as approvalId',
    'r.round as round',
    'r.previous as previous',
    'r.is_applied as isApplied',
    'r.failed as failed',
    'r.comments as earlierComments',
    'r.verdict as verdict',
    'r.decisions as decisions',
    'r.said as comments',
    'r.outcome as outcome',
  ],
  { id: 'r.approval_id' },
);

export const reviewsOf = (db: Queryable, teamId: string): Rows =>
  pages(db, REVIEWS, teamId, LARGE_PAGE);

const REVIEW_FILES = pageOf(
  'review_files where approval_id = $1',
  ['approval_id as approvalId', 'path', 'summary', 'before', 'after', 'not_shown as notShown'],
  { id: `lpad(position::text, 6, '0')` },
);

/** Review by review: files are found by theirs. */
export async function* reviewFilesOf(db: Queryable, teamId: string): Rows {
  for await (const review of reviewsOf(db, teamId)) {
    yield* pages(db, REVIEW_FILES, String(review['approvalId']), LARGE_PAGE);
  }
}
