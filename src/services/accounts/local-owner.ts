// The one account of the person who owns the data folder. Commands act as it without a sign-in, so it
// exists before anybody has signed in; the set-up then gives that same account an address and a password,
// and what was stored or run before is there.
import { ServiceError } from '../../contract/errors.ts';
import { plainCommand } from '../../domain/command/suggested-command.ts';
import { OPERATOR } from '../../domain/access/actor.ts';
import type { AuditActor } from '../../domain/access/actor.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { newId } from '../../platform/ids.ts';
import { insertAccount } from '../../store/accounts/accounts.ts';
import {
  canUserSignIn,
  findFirstAdminId,
  findLocalOwnerId,
  updateEmail,
  updateLocalOwner,
} from '../../store/accounts/local-owner.ts';
import {
  findUser,
  findUserByEmail,
  lockUsers,
  updateAdmin,
  updateName,
  updatePassword,
} from '../../store/accounts/users.ts';
import type { UserRow } from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import type { Queryable } from '../../store/postgres/db.ts';
import { addAccount, auditAdmin } from './add-account.ts';

/** Until the set-up: no mail ever goes to this address. */
const PLACEHOLDER = { email: 'local@example.com', name: 'Local owner' };

async function addPlaceholder(tx: Queryable, tier: Tier): Promise<string> {
  const { email, name } = PLACEHOLDER;
  const userId = newId('user');
  const account = { userId, teamId: newId('team'), email, tier, emailVerified: true };
  if (!(await insertAccount(tx, account))) return (await findUserByEmail(tx, email))!.id;
  await updateName(tx, userId, name);
  const about = { ...aboutAccount(userId), after: { email, name } };
  await writeAudit(tx, { action: 'account.created', actor: OPERATOR, ...about });
  return userId;
}

/** Found, or chosen: the first administrator; on a new server an account without any way to sign in. */
export async function ensureLocalOwner(tx: Queryable, tier: Tier): Promise<UserRow> {
  const known = await findLocalOwnerId(tx);
  if (known !== undefined) return (await findUser(tx, known))!;
  await lockUsers(tx);
  const id =
    (await findLocalOwnerId(tx)) ??
    (await findFirstAdminId(tx)) ??
    (await addPlaceholder(tx, tier));
  await updateLocalOwner(tx, id);
  const user = (await findUser(tx, id))!;
  if (user.isAdmin) return user;
  await updateAdmin(tx, id, true);
  await auditAdmin(tx, OPERATOR, id);
  return { ...user, isAdmin: true };
}

/** Which account the set-up is about; undefined for a new one. */
async function accountToSetUp(tx: Queryable, email: string): Promise<UserRow | undefined> {
  const ownerId = await findLocalOwnerId(tx);
  const isOpen = ownerId !== undefined && !(await canUserSignIn(tx, ownerId));
  const owner = isOpen ? await findUser(tx, ownerId) : undefined;
  const same = await findUserByEmail(tx, email);
  if (same === undefined || same.id === owner?.id) return owner;
  if (await canUserSignIn(tx, same.id)) {
    const message = `${email} already has an account. Sign in, or use another address.`;
    throw new ServiceError('CONFLICT', message);
  }
  // An account that commands made for this address: the first person who sets the server up has it.
  if (owner === undefined) return same;
  const message = `${email} has an account of its own, beside the one that commands on this machine use. Use another address here; sign in to that one with: ${plainCommand('admin', 'sign-in-link', '--email', email)}`;
  throw new ServiceError('CONFLICT', message);
}

/** Under the lock of `lockUsers`. The account manages the server and is its local owner from now on. */
export async function setUpOwner(
  tx: Queryable,
  account: { email: string; name: string | null; passwordHash: string; tier: Tier },
  actorFor: (userId: string | null) => AuditActor,
): Promise<UserRow> {
  const { email, name, passwordHash } = account;
  const known = await accountToSetUp(tx, email);
  const { id } =
    known ?? (await addAccount(tx, { ...account, emailVerified: true }, actorFor(null)));
  if (known !== undefined) {
    if (known.email !== email) await updateEmail(tx, id, { from: known.email, to: email });
    await updatePassword(tx, id, passwordHash);
    if (name !== null || known.email === PLACEHOLDER.email) await updateName(tx, id, name);
    await writeAudit(tx, {
      action: 'account.password_changed',
      actor: actorFor(id),
      ...aboutAccount(id),
      after: { email },
    });
  }
  await updateLocalOwner(tx, id);
  await updateAdmin(tx, id, true);
  if (known?.isAdmin !== true) await auditAdmin(tx, actorFor(id), id);
  return (await findUser(tx, id))!;
}
