// Who the caller is, as they see it, and what they are called.
import type { Me } from '../../contract/auth-api.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { findTeamName } from '../../store/accounts/teams.ts';
import { findUser, lockUser, updateName } from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import type { Db } from '../../store/postgres/db.ts';
import { shownUser } from './sign-in.ts';

export async function describeCaller(db: Db, identity: Identity): Promise<Me> {
  const { userId, teamId, role, tier, credential } = identity;
  const [user, name] = await Promise.all([findUser(db, userId), findTeamName(db, teamId)]);
  const { kind, id } = credential;
  return {
    user: shownUser(user!),
    team: { id: teamId, name: name ?? '', role, tier },
    credential: kind === 'key' ? { kind, id, scopes: [...credential.scopes] } : { kind, id },
  };
}

export async function renameCaller(db: Db, actor: Actor, name: string): Promise<Me> {
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
  return describeCaller(db, actor);
}
