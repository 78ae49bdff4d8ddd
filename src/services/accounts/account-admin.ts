// What those do who manage the accounts of a server.
import type { User } from '../../contract/auth-api.ts';
import { normalEmail } from '../../contract/email-address.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { OPERATOR, auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { deletePasswordLinks } from '../../store/accounts/account-links.ts';
import { canAdminSignIn } from '../../store/accounts/local-owner.ts';
import { deleteSessions } from '../../store/accounts/sessions.ts';
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
import type { Db } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { makeLink } from './account-links.ts';
import type { MadeLink } from './account-links.ts';
import { addAccount, auditAdmin } from './add-account.ts';
import { ensureLocalOwner, setUpOwner } from './local-owner.ts';
import type { Passwords } from './passwords.ts';
import { checkServerAdmin } from './server-admin.ts';
import { checkNotSuspended, shownUser } from './sign-in.ts';

export interface AccountAdmin {
  /** Makes the account, or gives the one that is there this password; it manages the server then. */
  createAdmin(account: { email: string; name: string | null; password: string }): Promise<User>;
  /** A link to set a new password with. `by` is null for a person at the server's machine. */
  makeResetLink(email: string, by: Actor | null): Promise<MadeLink & { email: string }>;
  /**
   * A link that signs the account in, the local owner unless one is named, and leads to `returnPath`. Only
   * for callers at the server's machine.
   */
  makeSignInLink(
    email: string | undefined,
    returnPath?: string,
  ): Promise<MadeLink & { email: string }>;
}

export function createAccountAdmin(deps: {
  db: Db;
  signals: Signals;
  passwords: Passwords;
  defaultTier: Tier;
  publicUrl(): string;
}): AccountAdmin {
  const { db, signals, passwords, defaultTier: tier } = deps;

  async function findAccount(email: string): Promise<UserRow> {
    const user = await findUserByEmail(db, email);
    if (user === undefined) {
      throw new ServiceError('NOT_FOUND', `There is no account for ${email}.`);
    }
    return user;
  }

  async function makeFor(
    { id: userId, email }: UserRow,
    kind: 'reset' | 'sign-in',
    by: Actor | null,
  ): Promise<MadeLink & { email: string }> {
    const { url, expiresAt } = await db.tx(async (tx) => {
      await writeAudit(tx, {
        action: 'link.created',
        actor: by === null ? OPERATOR : auditActorOf(by),
        ...aboutAccount(userId),
        after: { kind },
      });
      return makeLink(tx, deps.publicUrl(), { kind, userId, createdBy: by?.userId ?? null });
    });
    return { email, url, expiresAt };
  }

  return {
    async createAdmin({ email: typed, name, password }) {
      const known = await findUserByEmail(db, typed);
      const email = known?.email ?? normalEmail(typed);
      if (email === undefined) {
        throw invalid('email', 'INVALID_EMAIL', `"${typed}" is not an email address.`);
      }
      const passwordHash = await passwords.hashNew(password, email, 'password');
      const user = await db.tx(async (tx) => {
        await lockUsers(tx);
        const found = await findUserByEmail(tx, email);
        const account = { email, name, passwordHash, tier, emailVerified: true };
        if (found === undefined && !(await canAdminSignIn(tx))) {
          return setUpOwner(tx, account, () => OPERATOR);
        }
        const { id } = found ?? (await addAccount(tx, account, OPERATOR));
        if (found) {
          await updatePassword(tx, id, passwordHash);
          await writeAudit(tx, {
            action: 'account.password_changed',
            actor: OPERATOR,
            ...aboutAccount(id),
          });
          if (name !== null) await updateName(tx, id, name);
          await deletePasswordLinks(tx, id);
          await deleteSessions(tx, id);
        }
        await updateAdmin(tx, id, true);
        if (!found?.isAdmin) await auditAdmin(tx, OPERATOR, id);
        return (await findUser(tx, id))!;
      });
      signals.emit('identity', [user.id]);
      return shownUser(user);
    },
    async makeResetLink(email, by) {
      if (by !== null) await checkServerAdmin(db, by);
      return makeFor(await findAccount(email), 'reset', by);
    },
    async makeSignInLink(email, returnPath) {
      const user =
        email === undefined
          ? await db.tx((tx) => ensureLocalOwner(tx, tier))
          : await findAccount(email);
      checkNotSuspended(user);
      const made = await makeFor(user, 'sign-in', null);
      if (returnPath === undefined) return made;
      const url = new URL(made.url);
      // Slashes may stay as they are, and are easier to read.
      url.search = `return=${encodeURIComponent(returnPath).replaceAll('%2F', '/')}`;
      return { ...made, url: url.href };
    },
  };
}
