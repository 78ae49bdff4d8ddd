// Who is mailed about what runs ask, and what each of them was mailed last. Several nodes look at the same time: the row of a
// person in a team is locked by the one that mails.
import type { AnsweringRole } from '../../contract/approval-api.ts';
import type { Role } from '../../contract/permissions.ts';
import type { ByOther } from '../../domain/approval/answering.ts';
import type { ApprovalMailTimes } from '../../domain/approval/approval-mail.ts';
import type { Queryable } from '../postgres/db.ts';

export interface MailReader {
  teamId: string;
  teamName: string;
  userId: string;
  email: string;
  role: Role;
}

type Times = Pick<ApprovalMailTimes, 'settleMs' | 'everyMs'>;

const IS_NEW = `a.status = 'open' and a.expires_at > now()
  and a.created_at <= now() - make_interval(secs => $1) and a.created_at > coalesce(s.asked_until, '-infinity')`;
const IS_TIME = `(s.sent_at is null or s.sent_at <= now() - make_interval(secs => $2))`;

const secondsOf = ({ settleMs, everyMs }: Times) => [settleMs / 1000, everyMs / 1000];

/** Those who want mail, whose mailbox is known to be theirs, and who have not heard of a question in their team. */
export async function findMailReaders(
  db: Queryable,
  times: Times,
  limit: number,
): Promise<MailReader[]> {
  const { rows } = await db.query<MailReader>(
    `select m.team_id as "teamId", t.name as "teamName", u.id as "userId", u.email, m.role
     from users u
     join team_members m on m.user_id = u.id
     join teams t on t.id = m.team_id and t.suspended_at is null and t.deleted_at is null
     left join approval_mails s on s.team_id = m.team_id and s.user_id = m.user_id
     where u.approval_mails and u.email_verified_at is not null and u.suspended_at is null
       and u.deleted_at is null and ${IS_TIME}
       and exists (select 1 from approvals a where a.team_id = m.team_id and ${IS_NEW})
     limit $3`,
    [...secondsOf(times), limit],
  );
  return rows;
}

export interface AskedSince {
  id: string;
  title: string;
  role: AnsweringRole;
  byOther: ByOther;
  userId: string;
}

/** The questions that a person may answer and has not heard of; each is taken once, by one node. */
export async function takeAskedSince(
  tx: Queryable,
  { teamId, userId }: Pick<MailReader, 'teamId' | 'userId'>,
  times: Times,
  mayAnswer: (question: AskedSince) => boolean,
): Promise<AskedSince[]> {
  const values = [...secondsOf(times), teamId, userId];
  await tx.query(
    `insert into approval_mails (team_id, user_id, asked_until)
     select $1, $2, '-infinity' from team_members where team_id = $1 and user_id = $2
     on conflict do nothing`,
    [teamId, userId],
  );
  const { rows: mine } = await tx.query(
    'select 1 from approval_mails where team_id = $1 and user_id = $2 for update skip locked',
    [teamId, userId],
  );
  if (mine.length === 0) return [];
  const { rows } = await tx.query<AskedSince>(
    `select a.id, a.title, a.role, a.by_other as "byOther", a.user_id as "userId"
     from approval_mails s join approvals a on a.team_id = s.team_id
     where s.team_id = $3 and s.user_id = $4 and ${IS_TIME} and ${IS_NEW} order by a.id`,
    values,
  );
  if (rows.length === 0) return [];
  const theirs = rows.filter(mayAnswer);
  await tx.query(
    `update approval_mails set asked_until = now() - make_interval(secs => $1),
       sent_at = case when $2 then now() else sent_at end
     where team_id = $3 and user_id = $4`,
    [times.settleMs / 1000, theirs.length > 0, teamId, userId],
  );
  return theirs;
}
