// What those do who manage the accounts of a server.
import { isEmail } from '../../contract/auth-api.ts';
import type { User } from '../../contract/auth-api.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import type { Identity } from '../../domain/access/identity.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { deleteSessions } from '../../store/accounts/sessions.ts';
import {
  findUser,
  findUserByEmail,
  updateAdmin,
  updateName,
  updatePassword,
} from '../../store/accounts/users.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { addAccount, makeLink } from './account-links.ts';
import type { MadeLink } from './account-links.ts';
import type { Passwords } from './passwords.ts';
import { checkServerAdmin } from './server-admin.ts';
import { shownUser } from './sign-in.ts';

export interface AccountAdmin {
  /** Makes the account, or gives the one that is there this password; it manages the server then. */
  createAdmin(account: { email: string; name: string | null; password: string }): Promise<User>;
  /** A link to set a new password with. `by` is null for whoever sits at the server's machine. */
  makeResetLink(email: string, by: Identity | null): Promise<MadeLink & { email: string }>;
}

export function createAccountAdmin(deps: {
  db: Db;
  signals: Signals;
  passwords: Passwords;
  defaultTier: Tier;
  publicUrl(): string;
}): AccountAdmin {
  const { db, signals, passwords, defaultTier: tier } = deps;

  return {
    async createAdmin({ email, name, password }) {
      if (!isEmail(email)) {
        throw invalid('email', 'INVALID_EMAIL', `"${email}" is not an email address.`);
      }
      const passwordHash = await passwords.hashNew(password, email, 'password');
      const user = await db.tx(async (tx) => {
        const found = await findUserByEmail(tx, email);
        const { id } = found ?? (await addAccount(tx, { email, name, passwordHash, tier }));
        if (found) {
          await updatePassword(tx, id, passwordHash);
          if (name !== null) await updateName(tx, id, name);
          await deleteSessions(tx, id);
        }
        await updateAdmin(tx, id, true);
        return (await findUser(tx, id))!;
      });
      signals.emit('identity', [user.id]);
      return shownUser(user);
    },
    async makeResetLink(email, by) {
      if (by !== null) await checkServerAdmin(db, by);
      const user = await findUserByEmail(db, email);
      if (user === undefined) {
        throw new ServiceError('NOT_FOUND', `There is no account for ${email}.`);
      }
      const link = { kind: 'reset', userId: user.id, createdBy: by?.userId ?? null } as const;
      const { url, expiresAt } = await db.tx((tx) => makeLink(tx, deps.publicUrl(), link));
      return { email: user.email, url, expiresAt };
    },
  };
}
