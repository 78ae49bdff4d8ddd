// Deletes one's own account. The row stays, without anything that says who it was.
import type { DeleteAccountRequest } from '../../contract/auth-api.ts';
import { isSameEmail } from '../../contract/email-address.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { plainCommand } from '../../domain/command/suggested-command.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { eraseUser, listJoinedTeams, listOwnedTeams } from '../../store/accounts/erase-user.ts';
import { deleteInvitation, deleteMember, listInvitationsBy } from '../../store/accounts/members.ts';
import { lockOtherAdmins } from '../../store/accounts/server-accounts.ts';
import type { OwnedTeam } from '../../store/accounts/erase-user.ts';
import { isNewSession } from '../../store/accounts/sessions.ts';
import { deleteTeam, hasOpenWork } from '../../store/accounts/teams.ts';
import { findUser, hasUsers, lockUser } from '../../store/accounts/users.ts';
import { aboutAccount, eraseFromAudit, writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { Attempts } from './attempts.ts';
import type { Passwords } from './passwords.ts';

/** Without a password to ask for, a browser that was left open could delete the account. */
const FRESH_MINUTES = 10;

export type DeleteAccount = (actor: Actor, request: DeleteAccountRequest) => Promise<void>;

/** Teams of others would be left without anybody who may manage them. */
function checkHandedOver(teams: readonly OwnedTeam[]): void {
  const left = teams.filter(({ otherOwners, members }) => otherOwners === 0 && members > 1);
  if (left.length === 0) return;
  const names = left.map(({ name }) => `"${name}"`).join(', ');
  const message = `You are the only owner of ${names}. Make another member an owner, or delete the team, first.`;
  throw new ServiceError('CONFLICT', message);
}

/** Those of others know who has left; what the user let in by invitations that wait ends, too. */
async function leaveOthers(tx: Queryable, actor: Actor): Promise<void> {
  for (const { id: teamId, role } of await listJoinedTeams(tx, actor.userId)) {
    await deleteMember(tx, teamId, actor.userId);
    for (const { userId } of await listInvitationsBy(tx, teamId, actor.userId)) {
      await deleteInvitation(tx, userId);
    }
    await writeAudit(tx, {
      action: 'member.removed',
      actor: auditActorOf(actor),
      teamId,
      target: actor.userId,
      before: { role },
    });
  }
}

async function deleteEmptied(
  tx: Queryable,
  actor: Actor,
  teams: readonly OwnedTeam[],
): Promise<void> {
  for (const { id, name, members } of teams) {
    if (members > 1) continue;
    if (await hasOpenWork(tx, id)) {
      const message = `"${name}" has pending or running jobs. Cancel them or wait until they end.`;
      throw new ServiceError('CONFLICT', message);
    }
    await deleteTeam(tx, id);
    const about = { teamId: id, target: id };
    await writeAudit(tx, { action: 'team.deleted', actor: auditActorOf(actor), ...about });
  }
}

export function createAccountDeletion(deps: {
  db: Db;
  signals: Signals;
  attempts: Attempts;
  passwords: Passwords;
}): DeleteAccount {
  const { db, signals, attempts, passwords } = deps;

  return async (actor, { email, password }) => {
    const { userId } = actor;
    const user = (await findUser(db, userId))!;
    if (!isSameEmail(email, user.email)) {
      const message = 'This is not the email address of your account.';
      throw invalid('email', 'WRONG_EMAIL', message);
    }
    if (
      user.passwordHash === null &&
      !(await isNewSession(db, actor.credential.id, FRESH_MINUTES))
    ) {
      const message = `Your account has no password: sign in again, then delete it within ${FRESH_MINUTES} minutes.`;
      throw new ServiceError('FORBIDDEN', message);
    }
    await attempts.count(actor.address, userId, 'own password');
    const isGood =
      user.passwordHash === null || (await passwords.matches(password ?? '', user.passwordHash));
    if (!isGood) throw invalid('password', 'WRONG_PASSWORD', 'The password is wrong.');

    await db.tx(async (tx) => {
      await lockUser(tx, userId);
      const owned = await listOwnedTeams(tx, userId);
      for (const { id } of owned) await lockTeam(tx, id);
      const teams = await listOwnedTeams(tx, userId);
      checkHandedOver(teams);
      const isLast = user.isAdmin && (await lockOtherAdmins(tx, userId)) === 0;
      if (isLast && (await hasUsers(tx, userId))) {
        const message = `You are the only server administrator. Make another account one first: ${plainCommand('admin', 'create', '--email', 'ADDRESS')}`;
        throw new ServiceError('CONFLICT', message);
      }
      await writeAudit(tx, {
        action: 'account.deleted',
        actor: auditActorOf(actor),
        ...aboutAccount(userId),
      });
      await deleteEmptied(tx, actor, teams);
      await leaveOthers(tx, actor);
      await eraseUser(tx, user);
      await eraseFromAudit(tx, user);
    });
    signals.emit('identity', [userId]);
  };
}
