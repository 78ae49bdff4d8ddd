// Approvals as they are asked for and answered. An answer is one conditional update, so of many at once one counts; the
// database's clock says when it is too late. Each change writes its event in the same transaction.
import type {
  AnsweringRole,
  ApprovalKind,
  ApprovalStatus,
  CreateApprovalRequest,
} from '../../contract/approval-api.ts';
import type { ByOther } from '../../domain/approval/answering.ts';
import type { Tiers } from '../../domain/job/tiers.ts';
import type { Queryable } from '../postgres/db.ts';
import { KEPT, keptValues } from '../runs/kept-days.ts';

export interface ApprovalRow {
  id: string;
  teamId: string;
  userId: string;
  runId: string;
  streamId: string | null;
  kind: ApprovalKind;
  title: string;
  format: 'text' | 'diff';
  hash: string;
  role: AnsweringRole;
  byOther: ByOther;
  status: ApprovalStatus;
  resolvedBy: string | null;
  resolvedAt: Date | null;
  comment: string | null;
  answer: string | null;
  createdAt: Date;
  expiresAt: Date;
  email: string;
  name: string | null;
  resolverEmail: string | null;
  resolverName: string | null;
  hasReview: boolean;
}

export type ApprovalWithDetail = ApprovalRow & { detail: string };

const COLUMNS = `a.id, a.team_id as "teamId", a.user_id as "userId", a.run_id as "runId",
  a.stream_id as "streamId", a.kind, a.title, a.format, a.hash, a.role, a.by_other as "byOther",
  a.status, a.resolved_by as "resolvedBy", a.resolved_at as "resolvedAt", a.comment, a.answer,
  a.created_at as "createdAt", a.expires_at as "expiresAt", u.email, u.name,
  r.email as "resolverEmail", r.name as "resolverName",
  exists (select 1 from reviews v where v.approval_id = a.id) as "hasReview"`;
const PEOPLE = 'join users u on u.id = a.user_id left join users r on r.id = a.resolved_by';

export interface NewApproval extends Omit<
  CreateApprovalRequest,
  'origin' | 'expiresInSeconds' | 'streamId' | 'review'
> {
  id: string;
  teamId: string;
  userId: string;
  apiKeyId: string | null;
  streamId: string | null;
  byOther: ByOther;
  lifeSeconds: number;
}

/** The caller holds the team, and has found that the run has not asked the same before. */
export async function insertApproval(tx: Queryable, approval: NewApproval): Promise<void> {
  await tx.query(
    `insert into approvals (id, team_id, user_id, api_key_id, run_id, stream_id, kind, title, detail,
       format, hash, role, by_other, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, now() + make_interval(secs => $14))`,
    [
      approval.id,
      approval.teamId,
      approval.userId,
      approval.apiKeyId,
      approval.runId,
      approval.streamId,
      approval.kind,
      approval.title,
      approval.detail,
      approval.format,
      approval.hash,
      approval.role,
      approval.byOther,
      approval.lifeSeconds,
    ],
  );
}

/** The same question of the same run, as long as it is open or was approved. */
export async function findSameApproval(
  tx: Queryable,
  { teamId, runId, kind, streamId, hash }: NewApproval,
): Promise<ApprovalWithDetail | undefined> {
  const { rows } = await tx.query<ApprovalWithDetail>(
    `select ${COLUMNS}, a.detail from approvals a ${PEOPLE}
     where a.team_id = $1 and a.run_id = $2 and a.kind = $3 and coalesce(a.stream_id, '') = $4
       and a.hash = $5 and a.status in ('open', 'approved')`,
    [teamId, runId, kind, streamId ?? '', hash],
  );
  return rows[0];
}

export async function findApproval(
  db: Queryable,
  id: string,
): Promise<ApprovalWithDetail | undefined> {
  const { rows } = await db.query<ApprovalWithDetail>(
    `select ${COLUMNS}, a.detail from approvals a ${PEOPLE} where a.id = $1`,
    [id],
  );
  return rows[0];
}

/** Newest first. What is due and was not ended yet is not open any more. */
export async function listApprovals(
  db: Queryable,
  teamId: string,
  query: {
    status: ApprovalStatus | undefined;
    runId: string | undefined;
    before: string | undefined;
    limit: number;
  },
): Promise<ApprovalRow[]> {
  const { rows } = await db.query<ApprovalRow>(
    `select ${COLUMNS} from approvals a ${PEOPLE}
     where a.team_id = $1 and ($2::text is null or a.id < $2) and ($3::text is null or a.run_id = $3)
       and ($4::text is null or a.status = $4) and ($4 is distinct from 'open' or a.expires_at > now())
     order by a.id desc limit $5`,
    [teamId, query.before ?? null, query.runId ?? null, query.status ?? null, query.limit],
  );
  return rows;
}

export interface Resolution {
  status: 'approved' | 'denied' | 'withdrawn';
  userId: string;
  comment: string | null;
  answer: string | null;
}

/** False when it is not open any more, its time is over, or something else was asked. */
export async function completeApproval(
  tx: Queryable,
  { id, hash }: { id: string; hash: string },
  { status, userId, comment, answer }: Resolution,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update approvals set status = $3, resolved_by = $4, resolved_at = now(), comment = $5, answer = $6
     where id = $1 and hash = $2 and status = 'open' and expires_at > now()`,
    [id, hash, status, userId, comment, answer],
  );
  return rowCount > 0;
}

/** Denies what nobody answered in time; their ids. */
export async function failDueApprovals(tx: Queryable, limit: number): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `update approvals set status = 'denied', resolved_at = now()
     where status = 'open' and id in (
       select id from approvals where status = 'open' and expires_at <= now()
       order by expires_at limit $1 for update skip locked)
     returning id`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

/** As long as the runs that asked are kept. */
export async function deleteExpiredApprovals(db: Queryable, tiers: Tiers): Promise<void> {
  await db.query(
    `with ${KEPT} delete from approvals a using kept k where k.id = a.team_id and k.days is not null
       and (a.status <> 'open' or k.days = 0) and a.created_at < now() - make_interval(days => k.days)`,
    keptValues(tiers),
  );
}

/** The caller holds the team. */
export async function countOpenApprovals(tx: Queryable, teamId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from approvals where team_id = $1 and status = 'open'`,
    [teamId],
  );
  return rows[0]!.count;
}
