// The one place that decides whether a caller may see or change something that belongs to a team.
import { TEAM_ID_PATTERN } from '../contract/fields.ts';
import { ServiceError } from '../contract/errors.ts';
import type { Action, Role } from '../contract/permissions.ts';
import { may } from '../domain/access/identity.ts';
import type { Identity } from '../domain/access/identity.ts';
import { findTeamRole } from '../store/accounts/accounts.ts';
import { suspendedError } from './suspended.ts';
import type { Db } from '../store/postgres/db.ts';

export interface OwnedRow {
  teamId: string;
}

export interface Access {
  /** Throws FORBIDDEN unless the caller may; `what` names the thing, as in "job". */
  mayRead(identity: Identity, row: OwnedRow, what: string): Promise<void>;
  mayWrite(identity: Identity, row: OwnedRow, what: string): Promise<void>;
  /** For a team that the caller names: NOT_FOUND when there is none, FORBIDDEN for strangers. */
  mayReadTeam(identity: Identity, teamId: string): Promise<void>;
  mayWriteTeam(identity: Identity, teamId: string): Promise<void>;
  /** The same for any action; returns the caller's role there. */
  mayInTeam(identity: Identity, teamId: string, action: Action): Promise<Role>;
}

export function createAccess(deps: { db: Db }): Access {
  /** Null without a membership. What belongs to the caller's own team needs no look-up. */
  async function roleIn(identity: Identity, teamId: string) {
    if (teamId === identity.teamId) return { exists: true, role: identity.role };
    const found = await findTeamRole(deps.db, teamId, identity.userId);
    const { credential } = identity;
    const bound = credential.kind === 'key' && credential.ownTeamOnly;
    if (bound) return { exists: found.exists, role: null };
    if (found.suspended && found.role !== null) throw suspendedError('team');
    return found;
  }

  async function checkRow(identity: Identity, row: OwnedRow, what: string, action: Action) {
    const { role } = await roleIn(identity, row.teamId);
    if (role === null) {
      throw new ServiceError('FORBIDDEN', `This ${what} belongs to another account.`);
    }
    checkRole(role, action);
  }

  async function checkTeam(identity: Identity, teamId: string, action: Action): Promise<Role> {
    const { exists, role } = TEAM_ID_PATTERN.test(teamId)
      ? await roleIn(identity, teamId)
      : { exists: false, role: null };
    if (!exists) throw new ServiceError('NOT_FOUND', 'There is no team with this id.');
    if (role === null) {
      throw new ServiceError('FORBIDDEN', 'You are not a member of this team.');
    }
    checkRole(role, action);
    return role;
  }

  return {
    mayRead: (identity, row, what) => checkRow(identity, row, what, 'read'),
    mayWrite: (identity, row, what) => checkRow(identity, row, what, 'write'),
    async mayReadTeam(identity, teamId) {
      await checkTeam(identity, teamId, 'read');
    },
    async mayWriteTeam(identity, teamId) {
      await checkTeam(identity, teamId, 'write');
    },
    mayInTeam: checkTeam,
  };
}

/** Throws FORBIDDEN when the role does not allow it. */
export function checkRole(role: Identity['role'], action: Action): void {
  if (may(role, action)) return;
  const message = `Your role in this team is ${role}, which does not allow this. Ask an owner of the team.`;
  throw new ServiceError('FORBIDDEN', message);
}
