// Who the caller is, as they see it.
import type { Me } from '../../contract/auth-api.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { findTeamName } from '../../store/accounts/teams.ts';
import { findUser } from '../../store/accounts/users.ts';
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
