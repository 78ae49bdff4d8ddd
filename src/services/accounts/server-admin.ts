// The accounts and teams of a server, for those who manage it: over HTTP, or at its machine.
import type {
  AdminListQuery,
  AdminTeam,
  AdminUpdateTeamRequest,
  AdminUser,
  UpdateUserRequest,
} from '../../contract/admin-api.ts';
import { ServiceError } from '../../contract/errors.ts';
import { TEAM_ID_PATTERN, USER_ID_PATTERN } from '../../contract/fields.ts';
import { OPERATOR, auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import {
  findTeamIdByName,
  listServerTeams,
  listServerUsers,
  lockOtherAdmins,
  updateSuspension,
} from '../../store/accounts/server-accounts.ts';
import type { ServerTeamRow, ServerUserRow } from '../../store/accounts/server-accounts.ts';
import { listMembers } from '../../store/accounts/members.ts';
import { findUser, findUserByEmail, lockUser, updateAdmin } from '../../store/accounts/users.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import { deleteScheduled, hasPaidPlan } from '../../store/billing/subscriptions.ts';
import { updateTeamTier } from '../../store/billing/tier-in-force.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { pageOf } from '../page.ts';
import type { Page } from '../page.ts';
import { refuseBoundKey } from '../teams/teams.ts';

/** Null: a person at the machine of the server. */
export type AdminCaller = Actor | null;

export interface ServerAdmin {
  listUsers(by: AdminCaller, query: AdminListQuery): Promise<Page<AdminUser>>;
  listTeams(by: AdminCaller, query: AdminListQuery): Promise<Page<AdminTeam>>;
  updateUser(by: AdminCaller, userId: string, change: UpdateUserRequest): Promise<AdminUser>;
  updateTeam(by: AdminCaller, teamId: string, change: AdminUpdateTeamRequest): Promise<AdminTeam>;
  /** An email address names an account, anything else a team by its id or slug. */
  find(name: string): Promise<{ kind: 'user' | 'team'; id: string }>;
  /** The same for a team; an email address names the personal one. */
  findTeam(name: string): Promise<{ id: string }>;
}

const iso = (date: Date | null) => date?.toISOString() ?? null;

function shownUser({ runs, costUsd, ...row }: ServerUserRow): AdminUser {
  return {
    ...row,
    suspendedAt: iso(row.suspendedAt),
    createdAt: row.createdAt.toISOString(),
    lastUsedAt: iso(row.lastUsedAt),
    usage: { runs, costUsd },
  };
}

function shownTeam({ runs, costUsd, ...row }: ServerTeamRow): AdminTeam {
  return {
    ...row,
    suspendedAt: iso(row.suspendedAt),
    createdAt: row.createdAt.toISOString(),
    usage: { runs, costUsd },
  };
}

export async function checkServerAdmin(db: Queryable, by: Identity): Promise<void> {
  refuseBoundKey(by);
  if ((await findUser(db, by.userId))?.isAdmin) return;
  throw new ServiceError('FORBIDDEN', 'Only server administrators can do this.');
}

const NO_USER = 'There is no account with this id.';
const NO_TEAM = 'There is no team with this id.';

export function createServerAdmin(deps: { db: Db; signals: Signals }): ServerAdmin {
  const { db, signals } = deps;
  const actorOf = (by: AdminCaller) => (by === null ? OPERATOR : auditActorOf(by));

  async function changeUser(
    tx: Queryable,
    by: AdminCaller,
    userId: string,
    { suspended, isAdmin, reason }: UpdateUserRequest,
  ): Promise<void> {
    const others = await lockOtherAdmins(tx, userId);
    await lockUser(tx, userId);
    const [user] = await listServerUsers(tx, { id: userId, limit: 1 });
    if (user === undefined) throw new ServiceError('NOT_FOUND', NO_USER);
    const isLast = user.isAdmin && user.suspendedAt === null && others === 0;
    if (isLast && (suspended === true || isAdmin === false)) {
      const message = `${user.email} is the last server administrator. Make another account one first.`;
      throw new ServiceError('CONFLICT', message);
    }
    const entry = { actor: actorOf(by), teamId: null, target: userId };
    if (isAdmin !== undefined && isAdmin !== user.isAdmin) {
      await updateAdmin(tx, userId, isAdmin);
      const [before, after] = [{ isAdmin: user.isAdmin }, { isAdmin }];
      await writeAudit(tx, { ...entry, action: 'account.admin_changed', before, after });
    }
    if (suspended === undefined) return;
    if (!(await updateSuspension(tx, 'users', userId, { suspended, reason }))) return;
    const action = suspended ? 'account.suspended' : 'account.resumed';
    await writeAudit(tx, { ...entry, action, after: { suspended, reason: reason ?? null } });
  }

  async function changeTeam(
    tx: Queryable,
    by: AdminCaller,
    teamId: string,
    { tier, suspended, reason }: AdminUpdateTeamRequest,
  ): Promise<void> {
    const [team] = await listServerTeams(tx, { id: teamId, limit: 1 });
    if (team === undefined) throw new ServiceError('NOT_FOUND', NO_TEAM);
    const entry = { actor: actorOf(by), teamId, target: teamId };
    if (tier !== undefined) await changeTier(tx, entry, tier, reason);
    if (suspended === undefined) return;
    if (!(await updateSuspension(tx, 'teams', teamId, { suspended, reason }))) return;
    const action = suspended ? 'team.suspended' : 'team.resumed';
    await writeAudit(tx, { ...entry, action, after: { suspended, reason: reason ?? null } });
  }

  async function changeTier(
    tx: Queryable,
    entry: { actor: ReturnType<typeof actorOf>; teamId: string; target: string },
    tier: Tier,
    reason: string | undefined,
  ): Promise<void> {
    if (await hasPaidPlan(tx, entry.teamId)) {
      const message =
        'This team pays for its plan with Stripe. Change or cancel the plan there first.';
      throw new ServiceError('CONFLICT', message);
    }
    await deleteScheduled(tx, entry.teamId);
    const before = await updateTeamTier(tx, entry.teamId, tier);
    if (before === undefined) return;
    const after = { tier, reason: reason ?? null };
    await writeAudit(tx, {
      ...entry,
      action: 'team.tier_changed',
      before: { tier: before },
      after,
    });
  }

  async function find(name: string): Promise<{ kind: 'user' | 'team'; id: string }> {
    if (name.includes('@')) {
      const user = await findUserByEmail(db, name);
      if (user) return { kind: 'user', id: user.id };
      throw new ServiceError('NOT_FOUND', `There is no account for ${name}.`);
    }
    const id = await findTeamIdByName(db, name);
    if (id !== undefined) return { kind: 'team', id };
    throw new ServiceError('NOT_FOUND', `There is no team with the id or slug ${name}.`);
  }

  async function checkCaller(by: AdminCaller): Promise<void> {
    if (by !== null) await checkServerAdmin(db, by);
  }

  return {
    async listUsers(by, { search, before, limit }) {
      await checkCaller(by);
      const rows = await listServerUsers(db, { search, before, limit: limit + 1 });
      return pageOf(rows, limit, shownUser);
    },
    async listTeams(by, { search, before, limit }) {
      await checkCaller(by);
      const rows = await listServerTeams(db, { search, before, limit: limit + 1 });
      return pageOf(rows, limit, shownTeam);
    },
    async updateUser(by, userId, change) {
      await checkCaller(by);
      if (!USER_ID_PATTERN.test(userId)) throw new ServiceError('NOT_FOUND', NO_USER);
      await db.tx((tx) => changeUser(tx, by, userId, change));
      signals.emit('identity', [userId]);
      const [row] = await listServerUsers(db, { id: userId, limit: 1 });
      return shownUser(row!);
    },
    async updateTeam(by, teamId, change) {
      await checkCaller(by);
      if (!TEAM_ID_PATTERN.test(teamId)) throw new ServiceError('NOT_FOUND', NO_TEAM);
      const members = await db.tx(async (tx) => {
        await changeTeam(tx, by, teamId, change);
        return listMembers(tx, teamId);
      });
      // Its members may look at it from another of their teams.
      signals.emit('identity', [teamId, ...members.map(({ userId }) => userId)]);
      const [row] = await listServerTeams(db, { id: teamId, limit: 1 });
      if (row === undefined) throw new ServiceError('NOT_FOUND', NO_TEAM);
      return shownTeam(row);
    },
    find,
    async findTeam(name) {
      const found = await find(name);
      if (found.kind === 'team') return found;
      const [user] = await listServerUsers(db, { id: found.id, limit: 1 });
      return { id: user!.personalTeamId };
    },
  };
}
