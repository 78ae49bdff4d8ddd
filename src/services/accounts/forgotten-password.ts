// A user has forgotten their password and is mailed a link. The answer is the same and as fast whether or
// not there is an account: everything that depends on it happens behind the answer.
import { ServiceError } from '../../contract/errors.ts';
import { SYSTEM } from '../../domain/access/actor.ts';
import { passwordMail } from '../../domain/accounts/mail-texts.ts';
import { hasRecentResetLink } from '../../store/accounts/account-links.ts';
import { findUserByEmail, lockUser } from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import type { Db } from '../../store/postgres/db.ts';
import { makeLink } from './account-links.ts';
import type { Attempts } from './attempts.ts';
import type { Mails } from './mails.ts';

export interface ForgottenPasswords {
  /** Returns before anything is looked up. */
  ask(email: string, address: string): Promise<void>;
}

/** One mail in this time is enough, however often it is asked for. */
const MAIL_EVERY_MINUTES = 5;

export function createForgottenPasswords(deps: {
  db: Db;
  attempts: Attempts;
  mails: Mails;
  publicUrl(): string;
}): ForgottenPasswords {
  const { db, attempts, mails } = deps;

  /** Also for an account without a password, which its owner may need when single sign-on is away. */
  async function makeResetLink(email: string, address: string) {
    return db.tx(async (tx) => {
      const user = await findUserByEmail(tx, email);
      if (user === undefined || user.suspended) return undefined;
      await lockUser(tx, user.id);
      if (await hasRecentResetLink(tx, user.id, MAIL_EVERY_MINUTES)) return undefined;
      const { url } = await makeLink(tx, deps.publicUrl(), {
        kind: 'reset',
        mailed: true,
        userId: user.id,
        createdBy: null,
      });
      const actor = { ...SYSTEM, address };
      const after = { by: 'mail' };
      await writeAudit(tx, {
        action: 'link.created',
        actor,
        ...aboutAccount(user.id),
        after,
      });
      return { email: user.email, url };
    });
  }

  return {
    async ask(email, address) {
      if (!mails.canSend) {
        const message =
          'This server does not send mail. Ask a server administrator for a password link.';
        throw new ServiceError('NOT_FOUND', message);
      }
      await attempts.count(address, email, 'forgotten password');
      mails.behind('making a password link', async () => {
        const made = await makeResetLink(email, address);
        if (made !== undefined) mails.send(made.email, passwordMail(made));
      });
    },
  };
}
