// Who is in a team, in which role, and who is invited.
import { emailKey } from '../../contract/email-address.ts';
import type { Role } from '../../contract/permissions.ts';
import { may } from '../../domain/access/identity.ts';
import type { Queryable } from '../postgres/db.ts';
import { endRunnersOf } from '../runners/leave.ts';

export interface MemberRow {
  /** Of the invitation, while the person is invited. */
  userId: string;
  email: string;
  name: string | null;
  role: Role;
  status: 'active' | 'invited';
  joinedAt: Date | null;
  /** Of an invitation. */
  expiresAt: Date | null;
}

const ACTIVE = `select m.user_id as "userId", u.email, u.name, m.role, 'active' as status,
    m.joined_at as "joinedAt", null::timestamptz as "expiresAt"
  from team_members m join users u on u.id = m.user_id where m.team_id = $1`;

const INVITED = `select l.id as "userId", l.email, null as name, l.role, 'invited' as status,
    null::timestamptz as "joinedAt", l.expires_at as "expiresAt"
  from account_links l
  where l.kind = 'invitation' and l.team_id = $1 and l.expires_at > now()`;

/** Members in the order in which they joined, then those who are invited. */
export async function listMembers(db: Queryable, teamId: string): Promise<MemberRow[]> {
  const members = await db.query<MemberRow>(`${ACTIVE} order by m.joined_at, m.user_id`, [teamId]);
  const invited = await db.query<MemberRow>(`${INVITED} order by l.id`, [teamId]);
  return [...members.rows, ...invited.rows];
}

export async function findMember(
  db: Queryable,
  teamId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  const { rows } = await db.query<MemberRow>(`${ACTIVE} and m.user_id = $2`, [teamId, userId]);
  return rows[0];
}

export async function findInvited(
  db: Queryable,
  teamId: string,
  invitationId: string,
): Promise<MemberRow | undefined> {
  const { rows } = await db.query<MemberRow>(`${INVITED} and l.id = $2`, [teamId, invitationId]);
  return rows[0];
}

export async function countInvited(db: Queryable, teamId: string): Promise<number> {
  const { rows } = await db.query<{ invited: number }>(
    `select count(*)::int as invited from (${INVITED}) i`,
    [teamId],
  );
  return rows[0]!.invited;
}

/** The invitation of an address to the team, of any inviter. */
export async function findInvitedByEmail(
  db: Queryable,
  teamId: string,
  email: string,
): Promise<MemberRow | undefined> {
  const { rows } = await db.query<MemberRow>(`${INVITED} and lower(l.email collate "C") = $2`, [
    teamId,
    emailKey(email),
  ]);
  return rows[0];
}

/** Whether the invitation is still the one that this link belongs to. */
export async function isLinkOf(
  db: Queryable,
  invitationId: string,
  tokenHash: Buffer,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'select 1 from account_links where id = $1 and token_hash = $2',
    [invitationId, tokenHash],
  );
  return rowCount > 0;
}

/** False for a user who is a member already; their role stays. An invitation that they had is done with. */
export async function insertMember(
  tx: Queryable,
  member: { teamId: string; userId: string; role: Role },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into team_members (team_id, user_id, role) values ($1, $2, $3)
     on conflict (team_id, user_id) do nothing`,
    [member.teamId, member.userId, member.role],
  );
  const { rows } = await tx.query<{ email: string }>('select email from users where id = $1', [
    member.userId,
  ]);
  const invited = await findInvitedByEmail(tx, member.teamId, rows[0]!.email);
  if (invited !== undefined) await deleteInvitation(tx, invited.userId);
  return rowCount > 0;
}

export async function updateMemberRole(
  tx: Queryable,
  teamId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await tx.query('update team_members set role = $3 where team_id = $1 and user_id = $2', [
    teamId,
    userId,
    role,
  ]);
  await markChanged(tx, teamId);
}

export async function deleteMember(tx: Queryable, teamId: string, userId: string): Promise<void> {
  await endRunnersOf(tx, teamId, userId);
  await tx.query('delete from team_members where team_id = $1 and user_id = $2', [teamId, userId]);
  await markChanged(tx, teamId);
}

/** Submits that come after this look members up again. */
async function markChanged(tx: Queryable, teamId: string): Promise<void> {
  await tx.query('update team_queue set members_changed_at = now() where team_id = $1', [teamId]);
}

/** Who may submit to each of these teams. */
export async function findWriters(
  tx: Queryable,
  teamIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const writers = new Map(teamIds.map((id) => [id, new Set<string>()]));
  if (teamIds.length === 0) return writers;
  const { rows } = await tx.query<{ team_id: string; user_id: string; role: Role }>(
    'select team_id, user_id, role from team_members where team_id = any($1)',
    [teamIds],
  );
  for (const row of rows) if (may(row.role, 'write')) writers.get(row.team_id)!.add(row.user_id);
  return writers;
}

/** Those that a member has made for others. */
export async function listInvitationsBy(
  tx: Queryable,
  teamId: string,
  userId: string,
): Promise<MemberRow[]> {
  const { rows } = await tx.query<MemberRow>(`${INVITED} and l.created_by = $2 order by l.id`, [
    teamId,
    userId,
  ]);
  return rows;
}

export async function deleteInvitation(tx: Queryable, invitationId: string): Promise<void> {
  await tx.query('delete from account_links where id = $1', [invitationId]);
}

export async function countOwners(tx: Queryable, teamId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from team_members where team_id = $1 and role = 'owner'`,
    [teamId],
  );
  return rows[0]!.count;
}

/** Whose own team it is; null for a team of several. */
export async function findPersonalUser(tx: Queryable, teamId: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string | null }>(
    'select personal_user_id as id from teams where id = $1',
    [teamId],
  );
  return rows[0]?.id ?? null;
}
