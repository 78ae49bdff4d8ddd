// The files of a review: summaries to list them all, texts a few at a time.
import type { ReviewFile, ReviewFileSummary, ReviewFiles } from '../../contract/review-api.ts';
import type { Queryable } from '../postgres/db.ts';

/** What was there at these places before is replaced. */
export async function putReviewFiles(
  tx: Queryable,
  approvalId: string,
  { from, files }: { from: number; files: readonly ReviewFile[] },
): Promise<void> {
  const rows = files.map(({ before, after, notShown, ...summary }, i) => ({
    position: from + i,
    path: summary.path,
    summary,
    before,
    after,
    notShown,
  }));
  await tx.query('delete from review_files where approval_id = $1 and position between $2 and $3', [
    approvalId,
    from,
    from + files.length - 1,
  ]);
  await tx.query(
    `insert into review_files (approval_id, position, path, summary, before, after, not_shown)
     select $1, position, path, summary, before, after, "notShown"
     from jsonb_to_recordset($2::jsonb) as f(position int, path text, summary jsonb, before text,
       after text, "notShown" text)`,
    [approvalId, JSON.stringify(rows)],
  );
  await tx.query(
    `update reviews set bytes = (select coalesce(sum(octet_length(coalesce(before, ''))
         + octet_length(coalesce(after, ''))), 0) from review_files f where f.approval_id = $1)
     where approval_id = $1`,
    [approvalId],
  );
}

/** Of this review, and of all that the team has. */
export async function countReviewBytes(
  tx: Queryable,
  { approvalId, teamId }: { approvalId: string; teamId: string },
): Promise<{ own: number; team: number }> {
  const { rows } = await tx.query<{ own: string; team: string }>(
    `select coalesce(sum(r.bytes) filter (where r.approval_id = $1), 0) as own, coalesce(sum(r.bytes), 0) as team
     from reviews r join approvals a on a.id = r.approval_id where a.team_id = $2`,
    [approvalId, teamId],
  );
  return { own: Number(rows[0]!.own), team: Number(rows[0]!.team) };
}

export async function listReviewFiles(
  db: Queryable,
  approvalId: string,
): Promise<ReviewFileSummary[]> {
  const { rows } = await db.query<{
    position: number;
    summary: Omit<ReviewFileSummary, 'position'>;
  }>('select position, summary from review_files where approval_id = $1 order by position', [
    approvalId,
  ]);
  return rows.map(({ position, summary }) => ({ ...summary, position }));
}

/** As many as there are bytes for, and at least one. */
export async function listReviewTexts(
  db: Queryable,
  approvalId: string,
  { from, limit, maxBytes }: { from: number; limit: number; maxBytes: number },
): Promise<ReviewFiles['files']> {
  const { rows } = await db.query<ReviewFiles['files'][number]>(
    `select position, path, before, after, not_shown as "notShown" from (
       select *, sum(octet_length(coalesce(before, '')) + octet_length(coalesce(after, '')))
         over (order by position) as total
       from review_files where approval_id = $1 and position >= $2 and position < $2 + $3) f
     where position = $2 or total <= $4 order by position`,
    [approvalId, from, limit, maxBytes],
  );
  return rows;
}

/** Nobody goes back to them: the next round has its own. */
export async function deleteOldReviewFiles(db: Queryable, keptDays: number): Promise<void> {
  await db.query(
    `with old as (
       delete from review_files f using approvals a
       where a.id = f.approval_id and a.status <> 'open' and a.resolved_at < now() - make_interval(days => $1)
       returning f.approval_id)
     update reviews set bytes = 0 where approval_id in (select approval_id from old)`,
    [keptDays],
  );
}
