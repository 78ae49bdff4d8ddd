// Links that work once. Using one deletes it, so of two who come with the same one, one gets in.
import type { Role } from '../../contract/permissions.ts';
import type { Queryable } from '../postgres/db.ts';

export type LinkKind = 'setup' | 'invitation' | 'reset' | 'sign-in';

export interface LinkRow {
  kind: LinkKind;
  /** Of whom is invited, whose password is set anew, or who is signed in. */
  email: string | null;
  teamId: string | null;
  teamName: string | null;
  role: Role | null;
  userId: string | null;
  /** Whether it went to the mailbox alone. */
  mailed: boolean;
  expiresAt: Date;
}

export interface NewLink {
  id: string;
  kind: LinkKind;
  tokenHash: Buffer;
  createdBy: string | null;
  /** Goes to the mailbox alone, and so shows whose it is. */
  mailed?: boolean;
  email?: string;
  teamId?: string;
  role?: Role;
  userId?: string;
  lifeMinutes: number;
}

/** With the id of an invitation that is there, it gets this new link; the old one no longer works. */
export async function insertLink(
  tx: Queryable,
  link: NewLink,
): Promise<{ id: string; expiresAt: Date }> {
  await tx.query('delete from account_links where expires_at <= now()');
  const { rows } = await tx.query<{ id: string; expiresAt: Date }>(
    `insert into account_links as l
       (id, kind, token_hash, created_by, email, team_id, role, user_id, mailed, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + make_interval(mins => $10))
     on conflict (id) do update
       set token_hash = excluded.token_hash, role = excluded.role, mailed = excluded.mailed,
         email = excluded.email, created_by = excluded.created_by, created_at = now(),
         expires_at = excluded.expires_at
     returning l.id, l.expires_at as "expiresAt"`,
    [
      link.id,
      link.kind,
      link.tokenHash,
      link.createdBy,
      link.email ?? null,
      link.teamId ?? null,
      link.role ?? null,
      link.userId ?? null,
      link.mailed ?? false,
      link.lifeMinutes,
    ],
  );
  return rows[0]!;
}

const FIND = `select l.kind, coalesce(l.email, u.email) as email, l.team_id as "teamId",
    t.name as "teamName", l.role, l.user_id as "userId", l.mailed, l.expires_at as "expiresAt"
  from account_links l
  left join users u on u.id = l.user_id
  left join teams t on t.id = l.team_id
  where l.token_hash = $1 and l.expires_at > now()`;

export async function findLink(db: Queryable, tokenHash: Buffer): Promise<LinkRow | undefined> {
  const { rows } = await db.query<LinkRow>(FIND, [tokenHash]);
  return rows[0];
}

/** Uses the link up; undefined when it is none, was used or has run out. */
export async function takeLink(
  tx: Queryable,
  tokenHash: Buffer,
  kind: LinkKind,
): Promise<LinkRow | undefined> {
  const found = await findLink(tx, tokenHash);
  if (found?.kind !== kind) return undefined;
  const { rowCount } = await tx.query('delete from account_links where token_hash = $1', [
    tokenHash,
  ]);
  return rowCount > 0 ? found : undefined;
}

export async function deleteSetupLinks(tx: Queryable): Promise<void> {
  await tx.query(`delete from account_links where kind = 'setup'`);
}

/** With a new password, no link of before lets anybody in. */
export async function deletePasswordLinks(tx: Queryable, userId: string): Promise<void> {
  await tx.query(`delete from account_links where kind in ('reset', 'sign-in') and user_id = $1`, [
    userId,
  ]);
}

/** Whether one was made for the user without an administrator. */
export async function hasRecentResetLink(
  tx: Queryable,
  userId: string,
  minutes: number,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from account_links where kind = 'reset' and user_id = $1 and created_by is null
       and created_at > now() - make_interval(mins => $2) limit 1`,
    [userId, minutes],
  );
  return rowCount > 0;
}
