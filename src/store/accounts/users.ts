// People: their names and passwords.
import { emailKey } from '../../contract/email-address.ts';
import type { Queryable } from '../postgres/db.ts';

export interface UserRow {
  id: string;
  email: string;
  name: string | null;
  /** Null: signs in with API keys only. */
  passwordHash: string | null;
  suspended: boolean;
  isAdmin: boolean;
  /** Whether the person has shown that the mailbox is theirs. */
  emailVerified: boolean;
  deleted: boolean;
  /** Whether the person wants mail about what runs ask. */
  approvalMails: boolean;
}

const COLUMNS = `id, email, name, password_hash as "passwordHash",
  suspended_at is not null as suspended, is_admin as "isAdmin",
  email_verified_at is not null as "emailVerified", deleted_at is not null as deleted,
  approval_mails as "approvalMails"`;

export async function findUser(db: Queryable, id: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(`select ${COLUMNS} from users where id = $1`, [id]);
  return rows[0];
}

export async function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(
    `select ${COLUMNS} from users where lower(email collate "C") = $1`,
    [emailKey(email)],
  );
  return rows[0];
}

export async function updatePassword(
  tx: Queryable,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await tx.query('update users set password_hash = $2, password_changed_at = now() where id = $1', [
    userId,
    passwordHash,
  ]);
}

/** False when the password was changed in the meantime. */
export async function replacePassword(
  tx: Queryable,
  userId: string,
  hashes: { from: string; to: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update users set password_hash = $3, password_changed_at = now()
     where id = $1 and password_hash = $2`,
    [userId, hashes.from, hashes.to],
  );
  return rowCount > 0;
}

export async function updateEmailVerified(tx: Queryable, userId: string): Promise<void> {
  await tx.query(
    'update users set email_verified_at = now() where id = $1 and email_verified_at is null',
    [userId],
  );
}

export async function deletePassword(tx: Queryable, userId: string): Promise<void> {
  await tx.query(
    'update users set password_hash = null, password_changed_at = now() where id = $1',
    [userId],
  );
}

export async function updateName(
  tx: Queryable,
  userId: string,
  name: string | null,
): Promise<void> {
  await tx.query('update users set name = $2 where id = $1', [userId, name]);
}

export async function updateAdmin(tx: Queryable, userId: string, isAdmin: boolean): Promise<void> {
  await tx.query('update users set is_admin = $2 where id = $1', [userId, isAdmin]);
}

/** Holds back others that lock the same user until the transaction ends. */
export async function lockUser(tx: Queryable, userId: string): Promise<void> {
  await tx.query('select 1 from users where id = $1 for no key update', [userId]);
}

/** Holds back all who would set the server up, or choose its local owner, at the same time. */
export async function lockUsers(tx: Queryable): Promise<void> {
  await tx.query('lock table users in share row exclusive mode');
}

/** `besides` is left out of account, and so is a local owner before the set-up: no person has it yet. */
export async function hasUsers(db: Queryable, besides = ''): Promise<boolean> {
  const { rows } = await db.query<{ any: boolean }>(
    `select exists (select 1 from users where id <> $1 and deleted_at is null
       and not (is_local_owner and password_hash is null)) as any`,
    [besides],
  );
  return rows[0]!.any;
}

export async function updateApprovalMails(
  tx: Queryable,
  userId: string,
  isWanted: boolean,
): Promise<void> {
  await tx.query('update users set approval_mails = $2 where id = $1', [userId, isWanted]);
}
