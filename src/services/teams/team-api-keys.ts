// The API keys of all members that act in a team, for its owners.
import type { TeamApiKey } from '../../contract/api-keys-api.ts';
import { ServiceError } from '../../contract/errors.ts';
import { API_KEY_ID_PATTERN } from '../../contract/fields.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { listTeamApiKeys, revokeApiKey } from '../../store/accounts/api-keys.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { Access } from '../access.ts';
import { shownApiKey } from '../accounts/own-api-keys.ts';

export interface TeamApiKeyService {
  /** Those that work: made for this team, or for all teams of one of its members. */
  list(identity: Identity, teamId: string): Promise<TeamApiKey[]>;
  /** One that was made for this team. */
  revoke(actor: Actor, teamId: string, id: string): Promise<void>;
}

export function createTeamApiKeyService(deps: {
  db: Db;
  signals: Signals;
  access: Access;
}): TeamApiKeyService {
  const { db, signals, access } = deps;
  return {
    async list(identity, teamId) {
      await access.mayInTeam(identity, teamId, 'bill');
      const rows = await listTeamApiKeys(db, teamId);
      return rows.map((row) => ({
        ...shownApiKey(row),
        userId: row.userId,
        email: row.email,
      }));
    },
    async revoke(actor, teamId, id) {
      await access.mayInTeam(actor, teamId, 'bill');
      const owner = await db.tx(async (tx) => {
        const keys = API_KEY_ID_PATTERN.test(id) ? await listTeamApiKeys(tx, teamId) : [];
        const key = keys.find((one) => one.id === id);
        if (key === undefined) {
          throw new ServiceError('NOT_FOUND', 'No API key with this id acts in this team.');
        }
        if (key.teamId === null && key.userId !== actor.userId) {
          const message = `This key works in all teams of ${key.email}, who alone can revoke it. Removing them from the team ends it here.`;
          throw new ServiceError('CONFLICT', message);
        }
        await revokeApiKey(tx, id);
        await writeAudit(tx, {
          action: 'api_key.revoked',
          actor: auditActorOf(actor),
          teamId,
          target: id,
          before: { name: key.name, userId: key.userId },
        });
        return key.userId;
      });
      signals.emit('identity', [owner]);
    },
  };
}
