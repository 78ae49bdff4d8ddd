// What is left of an account that is deleted: an id that jobs and sums refer to.
import { emailKey } from '../../contract/email-address.ts';
import type { Role } from '../../contract/permissions.ts';
import type { Queryable } from '../postgres/db.ts';
import { endRunnersOf } from '../runners/leave.ts';

export interface OwnedTeam {
  id: string;
  name: string;
  members: number;
  otherOwners: number;
}

/** Those that the user owns, the personal one, too. */
export async function listOwnedTeams(tx: Queryable, userId: string): Promise<OwnedTeam[]> {
  const { rows } = await tx.query<OwnedTeam>(
    `select t.id, t.name, count(*)::int as members,
       count(*) filter (where o.role = 'owner' and o.user_id <> $1)::int as "otherOwners"
     from team_members m join teams t on t.id = m.team_id join team_members o on o.team_id = t.id
     where m.user_id = $1 and m.role = 'owner' and t.deleted_at is null
     group by t.id order by t.id`,
    [userId],
  );
  return rows;
}

/** Where the user is a member beside others. */
export async function listJoinedTeams(
  tx: Queryable,
  userId: string,
): Promise<{ id: string; role: Role }[]> {
  const { rows } = await tx.query<{ id: string; role: Role }>(
    `select t.id, m.role from team_members m join teams t on t.id = m.team_id
     where m.user_id = $1 and t.deleted_at is null order by t.id`,
    [userId],
  );
  return rows;
}

export async function eraseUser(
  tx: Queryable,
  { id: userId, email }: { id: string; email: string },
): Promise<void> {
  await endRunnersOf(tx, null, userId);
  for (const table of [
    'sessions',
    'device_codes',
    'oidc_identities',
    'provider_keys',
    'team_members',
  ]) {
    await tx.query(`delete from ${table} where user_id = $1`, [userId]);
  }
  await tx.query(`delete from account_links where user_id = $1 or lower(email collate "C") = $2`, [
    userId,
    emailKey(email),
  ]);
  await tx.query(
    'update api_keys set revoked_at = coalesce(revoked_at, now()) where user_id = $1',
    [userId],
  );
  await tx.query(`update teams set name = 'deleted' where personal_user_id = $1`, [userId]);
  await tx.query(
    `update users set email = id || '@deleted.invalid', name = null, password_hash = null,
       email_verified_at = null,
       is_admin = false, is_local_owner = false, deleted_at = now() where id = $1`,
    [userId],
  );
}
