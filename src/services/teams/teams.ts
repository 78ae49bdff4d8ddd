// Teams: made by anybody, changed by those who manage them, deleted by their owners.
import { createHash } from 'node:crypto';
import { ServiceError, invalid } from '../../contract/errors.ts';
import type { Team, UpdateTeamRequest } from '../../contract/teams-api.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { isBoundToTeam } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { slugOf } from '../../domain/accounts/slug.ts';
import type { Tier, Tiers } from '../../domain/job/tiers.ts';
import { newId } from '../../platform/ids.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import { findPersonalUser } from '../../store/accounts/members.ts';
import {
  countCreatedTeams,
  deleteTeam,
  findTeam,
  findTier,
  hasOpenWork,
  insertTeam,
  listTeams,
  updateTeam,
} from '../../store/accounts/teams.ts';
import type { TeamRow } from '../../store/accounts/teams.ts';
import { hasPaidPlan } from '../../store/billing/subscriptions.ts';
import { lockUser } from '../../store/accounts/users.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db } from '../../store/postgres/db.ts';
import { collectSignals } from '../../store/postgres/signals.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { tellSpent } from '../../store/usage/budget-events.ts';
import type { Access } from '../access.ts';

export interface TeamService {
  /** With a key that was made for one team: that one alone. */
  list(identity: Identity): Promise<Team[]>;
  create(
    actor: Actor,
    name: string,
    idempotencyKey: string | undefined,
  ): Promise<{ team: Team; replayed: boolean }>;
  find(identity: Identity, teamId: string): Promise<Team>;
  update(actor: Actor, teamId: string, request: UpdateTeamRequest): Promise<Team>;
  remove(actor: Actor, teamId: string): Promise<void>;
}

const MAX_TEAMS = 100;
/** Where teams have a quota, new ones would be a way around it; deleted ones count, too. */
const NEW_TEAMS_A_MONTH = { unlimited: 100, limited: 1 };

export function shownTeam(row: TeamRow): Team {
  return { ...row, createdAt: row.createdAt.toISOString() };
}

/** Such a key acts in its team and nowhere else: it cannot make or join others. */
export function refuseBoundKey(identity: Identity): void {
  if (!isBoundToTeam(identity)) return;
  const message =
    'This API key only works in the team it was created for. Use another key, or sign in.';
  throw new ServiceError('FORBIDDEN', message);
}

export function createTeamService(deps: {
  db: Db;
  signals: Signals;
  access: Access;
  defaultTier: Tier;
  tiers: Tiers;
}): TeamService {
  const { db, signals, access } = deps;
  const isUnlimited = deps.tiers[deps.defaultTier].runsPerMonth === null;
  const newTeamsAMonth = NEW_TEAMS_A_MONTH[isUnlimited ? 'unlimited' : 'limited'];

  async function show(teamId: string, userId: string): Promise<Team> {
    const row = await findTeam(db, teamId, userId);
    // The caller, or the team, was removed since it was looked at.
    if (row === undefined) throw new ServiceError('NOT_FOUND', 'There is no team with this id.');
    return shownTeam(row);
  }

  async function checkRetention(teamId: string, days: number): Promise<void> {
    const tier = await findTier(db, teamId);
    const most = tier && deps.tiers[tier].retentionDays;
    if (most === undefined || most === null || days <= most) return;
    const message = `Your plan keeps jobs and runs for ${most} days at most.`;
    throw invalid('settings.retentionDays', 'RETENTION_TOO_LONG', message);
  }

  return {
    async list(identity) {
      const { teamId, userId } = identity;
      const bound = isBoundToTeam(identity);
      const rows = await listTeams(db, userId);
      return rows.filter(({ id }) => !bound || id === teamId).map(shownTeam);
    },

    async create(identity, name, idempotencyKey) {
      refuseBoundKey(identity);
      const { userId, teamId } = identity;
      const id = newId('team');
      const first = await db.tx(async (tx) => {
        // Of two requests with the same key one waits here.
        await lockUser(tx, userId);
        if (idempotencyKey !== undefined) {
          const bodyHash = createHash('sha256').update(`POST /v1/teams\n${name}`).digest();
          const use = { teamId, userId, key: idempotencyKey, bodyHash, resourceId: id };
          const before = await takeIdempotencyKey(tx, use);
          if (before !== undefined) return before;
        }
        if ((await listTeams(tx, userId)).length >= MAX_TEAMS) {
          const message = `You are in ${MAX_TEAMS} teams already. Leave or delete one first.`;
          throw new ServiceError('CONFLICT', message);
        }
        if ((await countCreatedTeams(tx, userId)) >= newTeamsAMonth) {
          const message = `You can create ${newTeamsAMonth} team${newTeamsAMonth === 1 ? '' : 's'} a month on this server. Wait for the next month, or ask to be invited to a team.`;
          throw new ServiceError('CONFLICT', message);
        }
        const team = { id, name, slug: slugOf(name), tier: deps.defaultTier, ownerId: userId };
        await insertTeam(tx, team);
        await writeAudit(tx, {
          action: 'team.created',
          actor: auditActorOf(identity),
          teamId: id,
          target: id,
          after: { name },
        });
        return undefined;
      });
      return { team: await show(first ?? id, userId), replayed: first !== undefined };
    },

    async find(identity, teamId) {
      await access.mayInTeam(identity, teamId, 'read');
      return show(teamId, identity.userId);
    },

    async update(identity, teamId, { name, settings }) {
      await access.mayInTeam(identity, teamId, 'manage');
      if (settings?.retentionDays) await checkRetention(teamId, settings.retentionDays);
      const pending = collectSignals();
      await db.tx(async (tx) => {
        await lockTeam(tx, teamId);
        const before = await findTeam(tx, teamId, identity.userId);
        await updateTeam(tx, teamId, { name, settings });
        if (settings?.budgetUsd != null) await tellSpent(tx, [teamId], pending);
        const after = await findTeam(tx, teamId, identity.userId);
        if (before === undefined || after === undefined) return;
        await writeAudit(tx, {
          action: 'team.updated',
          actor: auditActorOf(identity),
          teamId,
          target: teamId,
          before: { name: before.name, settings: before.settings },
          after: { name: after.name, settings: after.settings },
        });
      });
      pending.sendBy(signals);
      return show(teamId, identity.userId);
    },

    async remove(identity, teamId) {
      await access.mayInTeam(identity, teamId, 'bill');
      const members = await db.tx(async (tx) => {
        await lockTeam(tx, teamId);
        if ((await findPersonalUser(tx, teamId)) !== null) {
          throw new ServiceError('CONFLICT', 'A personal team cannot be deleted.');
        }
        if (await hasPaidPlan(tx, teamId)) {
          const message = 'This team pays for a plan. Cancel the plan and wait until it has ended.';
          throw new ServiceError('CONFLICT', message);
        }
        if (await hasOpenWork(tx, teamId)) {
          const message =
            'This team has pending or running jobs. Cancel them or wait until they end.';
          throw new ServiceError('CONFLICT', message);
        }
        const actor = auditActorOf(identity);
        await writeAudit(tx, { action: 'team.deleted', actor, teamId, target: teamId });
        return deleteTeam(tx, teamId);
      });
      signals.emit('identity', members);
    },
  };
}
