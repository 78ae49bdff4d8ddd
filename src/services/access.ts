// The one place that decides whether a caller may see or change something that belongs to a team. The scope of a
// key is asked for here, with each thing that is read, so that it holds whatever the way to it: a route, a stream of
// many topics, an export.
import { TEAM_ID_PATTERN } from '../contract/fields.ts';
import { ServiceError } from '../contract/errors.ts';
import type { Action, Role, Scope } from '../contract/permissions.ts';
import { isBoundToTeam, isWithinScope, may } from '../domain/access/identity.ts';
import type { Identity } from '../domain/access/identity.ts';
import { findTeamRole } from '../store/accounts/accounts.ts';
import { suspendedError } from './suspended.ts';
import type { Db } from '../store/postgres/db.ts';

export interface OwnedRow {
  teamId: string;
}

/** What callers ask for one by one, with the scope that a key needs for it. */
const THINGS = {
  job: { name: 'job', scope: 'jobs' },
  execution: { name: 'execution', scope: 'executions' },
  run: { name: 'run', scope: 'history' },
  /** Stopping a run stops its jobs. */
  'jobs of a run': { name: 'run', scope: 'jobs' },
  /** Asked by runs. */
  approval: { name: 'approval', scope: 'approvals' },
  'run request': { name: 'run request', scope: 'runs' },
  schedule: { name: 'schedule', scope: 'runs' },
  trigger: { name: 'trigger', scope: 'runs' },
  webhook: { name: 'webhook', scope: 'webhooks' },
} as const satisfies Record<string, { name: string; scope: Scope }>;
export type Thing = keyof typeof THINGS;

export interface Access {
  /** Throws FORBIDDEN unless the caller may. */
  mayRead(identity: Identity, row: OwnedRow, thing: Thing): Promise<void>;
  mayWrite(identity: Identity, row: OwnedRow, thing: Thing): Promise<void>;
  /** Of several teams that have a thing of one name: the caller's own, else one that the caller is in. */
  mayOneOf<Row extends OwnedRow>(
    identity: Identity,
    rows: readonly Row[],
    thing: Thing,
    action: Action,
  ): Promise<Row>;
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
    if (isBoundToTeam(identity)) return { exists: found.exists, role: null };
    if (found.suspended && found.role !== null) throw suspendedError('team');
    return found;
  }

  async function checkOneOf<Row extends OwnedRow>(
    identity: Identity,
    rows: readonly Row[],
    thing: Thing,
    action: Action,
  ): Promise<Row> {
    const { name, scope } = THINGS[thing];
    checkScope(identity, scope);
    const own = rows.find(({ teamId }) => teamId === identity.teamId);
    for (const row of own === undefined ? rows : [own]) {
      const { role } = await roleIn(identity, row.teamId);
      if (role === null) continue;
      checkRole(role, action);
      return row;
    }
    throw new ServiceError('FORBIDDEN', `This ${name} belongs to another account.`);
  }

  async function checkRow(identity: Identity, row: OwnedRow, thing: Thing, action: Action) {
    await checkOneOf(identity, [row], thing, action);
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
    mayRead: (identity, row, thing) => checkRow(identity, row, thing, 'read'),
    mayWrite: (identity, row, thing) => checkRow(identity, row, thing, 'write'),
    mayOneOf: checkOneOf,
    async mayReadTeam(identity, teamId) {
      await checkTeam(identity, teamId, 'read');
    },
    async mayWriteTeam(identity, teamId) {
      await checkTeam(identity, teamId, 'write');
    },
    mayInTeam: checkTeam,
  };
}

/** Throws FORBIDDEN for a key without the scope. */
export function checkScope(identity: Identity, scope: Scope): void {
  if (isWithinScope(identity, scope)) return;
  throw new ServiceError('FORBIDDEN', `This API key lacks the scope "${scope}".`);
}

/** Throws FORBIDDEN when the role does not allow it. */
export function checkRole(role: Identity['role'], action: Action): void {
  if (may(role, action)) return;
  const message = `Your role in this team is ${role}, which does not allow this. Ask an owner of the team.`;
  throw new ServiceError('FORBIDDEN', message);
}
