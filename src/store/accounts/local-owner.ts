// The account of the person who owns the data folder, and whether a person can manage the server at all.
import type { Queryable } from '../postgres/db.ts';

export async function findLocalOwnerId(db: Queryable): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    'select id from users where is_local_owner and deleted_at is null',
  );
  return rows[0]?.id;
}

/** The administrator who has been here longest. */
export async function findFirstAdminId(db: Queryable): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from users where is_admin and deleted_at is null and suspended_at is null
     order by id limit 1`,
  );
  return rows[0]?.id;
}

/** Under the lock of `lockUsers`: there is one local owner at the most. */
export async function updateLocalOwner(tx: Queryable, userId: string): Promise<void> {
  await tx.query('update users set is_local_owner = (id = $1) where is_local_owner <> (id = $1)', [
    userId,
  ]);
}

const SIGNS_IN = `(u.password_hash is not null
  or exists (select 1 from oidc_identities o where o.user_id = u.id))`;

/** With a password or single sign-on. */
export async function canUserSignIn(db: Queryable, userId: string): Promise<boolean> {
  const { rows } = await db.query<{ can: boolean }>(
    `select exists (select 1 from users u where u.id = $1 and ${SIGNS_IN}) as can`,
    [userId],
  );
  return rows[0]!.can;
}

/** Whether an administrator can sign in: until then, the server is not set up. */
export async function canAdminSignIn(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ can: boolean }>(
    `select exists (select 1 from users u where u.is_admin and u.deleted_at is null
       and u.suspended_at is null and ${SIGNS_IN}) as can`,
  );
  return rows[0]!.can;
}

/** The personal team is called like its owner, unless it was renamed. */
export async function updateEmail(
  tx: Queryable,
  userId: string,
  emails: { from: string; to: string },
): Promise<void> {
  await tx.query('update users set email = $2, email_verified_at = now() where id = $1', [
    userId,
    emails.to,
  ]);
  await tx.query('update teams set name = $3 where personal_user_id = $1 and name = $2', [
    userId,
    emails.from,
    emails.to,
  ]);
}
