// Who the caller is, as they see it, what they are called, and what they are mailed.
import type { Me, UpdateMeRequest } from '../../contract/auth-api.ts';
import { ServiceError } from '../../contract/errors.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { findTeamName } from '../../store/accounts/teams.ts';
import { findUser, lockUser, updateApprovalMails, updateName } from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Mails } from './mails.ts';
import { shownUser } from './sign-in.ts';

export interface OwnProfile {
  describe(identity: Identity): Promise<Me>;
  update(actor: Actor, change: UpdateMeRequest): Promise<Me>;
}

export function createOwnProfile({ db, mails }: { db: Db; mails: Mails }): OwnProfile {
  return {
    describe: (identity) => describeCaller(db, identity, mails),
    async update(actor, { name, approvalMails }) {
      if (name !== undefined) await renameCaller(db, actor, name);
      if (approvalMails !== undefined)
        await setMails(db, actor, { isWanted: approvalMails, mails });
      return describeCaller(db, actor, mails);
    },
  };
}

async function describeCaller(db: Db, identity: Identity, { canSend }: Mails): Promise<Me> {
  const { userId, teamId, role, tier, credential } = identity;
  const [user, name] = await Promise.all([findUser(db, userId), findTeamName(db, teamId)]);
  const { kind, id } = credential;
  return {
    user: shownUser(user!),
    approvalMails: canSend && user!.emailVerified ? user!.approvalMails : null,
    team: { id: teamId, name: name ?? '', role, tier },
    credential: kind === 'key' ? { kind, id, scopes: [...credential.scopes] } : { kind, id },
  };
}

async function renameCaller(db: Db, actor: Actor, name: string): Promise<void> {
  const { userId } = actor;
  await db.tx(async (tx) => {
    await lockUser(tx, userId);
    const before = (await findUser(tx, userId))!.name;
    if (before === name) return;
    await updateName(tx, userId, name);
    await writeAudit(tx, {
      action: 'account.renamed',
      actor: auditActorOf(actor),
      ...aboutAccount(userId),
      before: { name: before },
      after: { name },
    });
  });
}

async function setMails(
  db: Db,
  { userId }: Actor,
  { isWanted, mails }: { isWanted: boolean; mails: Mails },
): Promise<void> {
  const { emailVerified } = (await findUser(db, userId))!;
  if (isWanted && !mails.canSend) {
    throw new ServiceError('CONFLICT', 'This server sends no mail.');
  }
  // The mailbox may be another person's.
  if (isWanted && !emailVerified) {
    throw new ServiceError(
      'CONFLICT',
      'Show first that the mailbox is yours: reset your password.',
    );
  }
  await updateApprovalMails(db, userId, isWanted);
}
