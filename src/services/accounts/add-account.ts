// How accounts come about, with their entries in the audit log.
import { ServiceError } from '../../contract/errors.ts';
import type { AuditActor } from '../../domain/access/actor.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { newId } from '../../platform/ids.ts';
import { insertAccount } from '../../store/accounts/accounts.ts';
import { findUser, updateName, updatePassword } from '../../store/accounts/users.ts';
import type { UserRow } from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import type { Queryable } from '../../store/postgres/db.ts';

/** An account with its personal team; CONFLICT when the address has one. */
export async function addAccount(
  tx: Queryable,
  account: {
    email: string;
    name: string | null;
    passwordHash: string;
    tier: Tier;
    emailVerified: boolean;
  },
  actor: AuditActor,
): Promise<UserRow> {
  const { name, passwordHash, ...rest } = account;
  const { email } = rest;
  const userId = newId('user');
  if (!(await insertAccount(tx, { userId, teamId: newId('team'), ...rest }))) {
    const message = `${email} already has an account. Sign in, then open the link again.`;
    throw new ServiceError('CONFLICT', message);
  }
  await updatePassword(tx, userId, passwordHash);
  if (name !== null) await updateName(tx, userId, name);
  await writeAudit(tx, {
    action: 'account.created',
    actor,
    ...aboutAccount(userId),
    after: { email, name },
  });
  return (await findUser(tx, userId))!;
}

export async function auditAdmin(tx: Queryable, actor: AuditActor, userId: string): Promise<void> {
  await writeAudit(tx, {
    action: 'account.admin_changed',
    actor,
    ...aboutAccount(userId),
    after: { isAdmin: true },
  });
}
