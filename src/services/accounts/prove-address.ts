// The moment in which a person shows that the mailbox of an account is theirs. Until then another person may have
// made the account for that address: whatever lets anybody in from before ends here.
import type { AuditActor } from '../../domain/access/actor.ts';
import { addressVerifiedMail } from '../../domain/accounts/mail-texts.ts';
import { deletePasswordLinks } from '../../store/accounts/account-links.ts';
import { revokeApiKeys } from '../../store/accounts/api-keys.ts';
import { deleteOidcIdentities } from '../../store/accounts/oidc-identities.ts';
import { deleteSessions } from '../../store/accounts/sessions.ts';
import { deletePassword, lockUser, updateEmailVerified } from '../../store/accounts/users.ts';
import type { UserRow } from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import type { EndedAccess } from '../../contract/auth-api.ts';
import type { Queryable } from '../../store/postgres/db.ts';
import type { Mails } from './mails.ts';

/** Undefined when it was certain before: then nothing ends. */
export async function proveAddress(
  tx: Queryable,
  user: UserRow,
  actor: AuditActor,
): Promise<EndedAccess | undefined> {
  if (user.emailVerified) return undefined;
  await lockUser(tx, user.id);
  const ended = {
    password: user.passwordHash !== null,
    sessions: await deleteSessions(tx, user.id),
    apiKeys: await revokeApiKeys(tx, user.id),
    identities: await deleteOidcIdentities(tx, user.id),
  };
  await deletePassword(tx, user.id);
  await deletePasswordLinks(tx, user.id);
  await updateEmailVerified(tx, user.id);
  await writeAudit(tx, {
    action: 'account.address_verified',
    actor,
    ...aboutAccount(user.id),
    after: { ended },
  });
  const hasEnded = Object.values(ended).some((one) => one !== false && one !== 0);
  return hasEnded ? ended : undefined;
}

/** After the commit; the answer and the page say so as well. */
export function reportEnded(mails: Mails, email: string, ended: EndedAccess | undefined): void {
  if (ended !== undefined) mails.send(email, addressVerifiedMail({ email, ended }));
}
