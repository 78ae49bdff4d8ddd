// Who is in a team, and in which role.
import type { Role } from '../../contract/permissions.ts';
import type { Queryable } from '../postgres/db.ts';

/** False for somebody who is in already; their role stays. */
export async function insertMember(
  tx: Queryable,
  member: { teamId: string; userId: string; role: Role },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into team_members (team_id, user_id, role) values ($1, $2, $3)
     on conflict (team_id, user_id) do nothing`,
    [member.teamId, member.userId, member.role],
  );
  return rowCount > 0;
}
