// Who is in a team. The team is locked for every change, so that its last owner cannot be lost between
// two of them.
import { createHash } from 'node:crypto';
import { isSameEmail } from '../../contract/email-address.ts';
import { ServiceError } from '../../contract/errors.ts';
import { INVITATION_ID_PATTERN, USER_ID_PATTERN } from '../../contract/fields.ts';
import type { Role } from '../../contract/permissions.ts';
import type { AddMemberRequest, AddedMember, Member, Team } from '../../contract/teams-api.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { may } from '../../domain/access/identity.ts';
import { mayGiveRole } from '../../domain/accounts/team-roles.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { newId } from '../../platform/ids.ts';
import { hashSecretToken } from '../../platform/secret-token.ts';
import { takeLink } from '../../store/accounts/account-links.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { takeIdempotencyKey, updateKeyResource } from '../../store/accounts/idempotency.ts';
import {
  countOwners,
  deleteInvitation,
  deleteMember,
  findInvited,
  findInvitedByEmail,
  findMember,
  findPersonalUser,
  insertMember,
  listMembers,
  updateMemberRole,
} from '../../store/accounts/members.ts';
import type { MemberRow } from '../../store/accounts/members.ts';
import { findTeam } from '../../store/accounts/teams.ts';
import { findUser, updateEmailVerified } from '../../store/accounts/users.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { Access } from '../access.ts';
import { auditAdded } from '../accounts/account-links.ts';
import type { Mails } from '../accounts/mails.ts';
import { createInvitations } from './invitations.ts';
import { refuseBoundKey, shownTeam } from './teams.ts';

export interface TeamMemberService {
  list(identity: Identity, teamId: string): Promise<Member[]>;
  /** By an invitation, also of a user: nobody is in a team that they have not joined themselves. */
  add(
    actor: Actor,
    teamId: string,
    request: AddMemberRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ member: AddedMember; replayed: boolean }>;
  /** An invitation gets a new link with its new role. */
  changeRole(actor: Actor, teamId: string, userId: string, role: Role): Promise<AddedMember>;
  /** Also withdraws an invitation. Everybody may leave. */
  remove(actor: Actor, teamId: string, userId: string): Promise<void>;
  /** For a person who has an account already. */
  accept(actor: Actor, token: string): Promise<Team>;
}

function shown({ userId, email, name, role, status, joinedAt }: MemberRow): Member {
  return { userId, email, name, role, status, joinedAt: joinedAt?.toISOString() ?? null };
}

const noLongerThere = () =>
  new ServiceError(
    'CONFLICT',
    'The invitation of the first request was accepted, replaced or withdrawn. Use a new Idempotency-Key to invite again.',
  );

async function emailOf(tx: Queryable, userId: string): Promise<string> {
  const user = await findUser(tx, userId);
  if (user !== undefined && !user.deleted) return user.email;
  throw new ServiceError('NOT_FOUND', 'There is no user with this id.');
}

const missing = () => new ServiceError('NOT_FOUND', 'This team has no such member.');

function checkMayGive(own: Role, role: Role): void {
  if (mayGiveRole(own, role)) return;
  const message = `Only owners can add, change or remove owners. Your role in this team is ${own}.`;
  throw new ServiceError('FORBIDDEN', message);
}

async function findEither(tx: Queryable, teamId: string, id: string): Promise<MemberRow> {
  const found = USER_ID_PATTERN.test(id)
    ? await findMember(tx, teamId, id)
    : INVITATION_ID_PATTERN.test(id)
      ? await findInvited(tx, teamId, id)
      : undefined;
  if (found === undefined) throw missing();
  return found;
}

/** Before an owner stops being one. */
async function checkOwnerMayGo(tx: Queryable, teamId: string, member: MemberRow): Promise<void> {
  if (member.status !== 'active' || member.role !== 'owner') return;
  if ((await findPersonalUser(tx, teamId)) === member.userId) {
    const message = 'The owner of a personal team cannot be removed or changed.';
    throw new ServiceError('CONFLICT', message);
  }
  if ((await countOwners(tx, teamId)) > 1) return;
  const message = 'This is the last owner of the team. Make another member an owner first.';
  throw new ServiceError('CONFLICT', message);
}

export function createTeamMemberService(deps: {
  db: Db;
  signals: Signals;
  access: Access;
  masterKeys: MasterKeys;
  mails: Mails;
  publicUrl(): string;
}): TeamMemberService {
  const { db, signals, access } = deps;
  const invitations = createInvitations(deps);

  /** A user who no longer manages the team must not come back, or let others in, with links they have kept. */
  async function endLinksOf(tx: Queryable, actor: Actor, teamId: string, member: MemberRow) {
    await invitations.withdrawThoseBy(tx, actor, teamId, member.userId);
    const pending = await findInvitedByEmail(tx, teamId, member.email);
    if (pending !== undefined) await deleteInvitation(tx, pending.userId);
  }

  return {
    async list(identity, teamId) {
      await access.mayInTeam(identity, teamId, 'read');
      return (await listMembers(db, teamId)).map(shown);
    },

    async add(identity, teamId, { email, userId, role }, idempotencyKey) {
      const own = await access.mayInTeam(identity, teamId, 'manage');
      checkMayGive(own, role);
      const request = `POST members ${teamId} ${JSON.stringify([email ?? null, userId ?? null, role])}`;
      const seed = idempotencyKey === undefined ? undefined : `${request} ${idempotencyKey}`;
      const { invited, replayed } = await db.tx(async (tx) => {
        await lockTeam(tx, teamId);
        const id = newId('inv');
        if (idempotencyKey !== undefined) {
          const bodyHash = createHash('sha256').update(request).digest();
          const use = { teamId: identity.teamId, userId: identity.userId, key: idempotencyKey };
          const firstId = await takeIdempotencyKey(tx, { ...use, bodyHash, resourceId: id });
          if (firstId !== undefined) {
            const invited = await invitations.repeat(tx, teamId, firstId, seed!);
            if (invited === undefined) throw noLongerThere();
            return { invited, replayed: true };
          }
        }
        const address = email ?? (await emailOf(tx, userId!));
        const pending = await invitations.findPending(tx, teamId, address);
        if (pending !== undefined) checkMayGive(own, pending.role);
        const asked = { id: pending?.userId ?? id, email: address, role, seed };
        const invited = await invitations.invite(tx, identity, teamId, asked);
        if (invited.row.userId !== id && idempotencyKey !== undefined) {
          await updateKeyResource(tx, { ...identity, key: idempotencyKey }, invited.row.userId);
        }
        return { invited, replayed: false };
      });
      return { member: await invitations.send(identity, teamId, invited, replayed), replayed };
    },

    async changeRole(identity, teamId, userId, role) {
      const own = await access.mayInTeam(identity, teamId, 'manage');
      const { member, invited } = await db.tx(async (tx) => {
        await lockTeam(tx, teamId);
        const member = await findEither(tx, teamId, userId);
        for (const one of [member.role, role]) checkMayGive(own, one);
        if (role !== 'owner') await checkOwnerMayGo(tx, teamId, member);
        // Who has the link of before was to get the role of before.
        const invited =
          member.status === 'invited'
            ? await invitations.issue(tx, identity, teamId, {
                id: userId,
                email: member.email,
                role,
                seed: undefined,
              })
            : undefined;
        if (invited === undefined) {
          await updateMemberRole(tx, teamId, userId, role);
          if (!may(role, 'manage')) await endLinksOf(tx, identity, teamId, member);
        }
        await writeAudit(tx, {
          action: 'member.role_changed',
          actor: auditActorOf(identity),
          teamId,
          target: userId,
          before: { email: member.email, role: member.role },
          after: { role },
        });
        return { member, invited };
      });
      signals.emit('identity', [userId]);
      return invited ? invitations.send(identity, teamId, invited) : shown({ ...member, role });
    },

    async remove(identity, teamId, userId) {
      const leaves = userId === identity.userId;
      const own = await access.mayInTeam(identity, teamId, leaves ? 'read' : 'manage');
      await db.tx(async (tx) => {
        await lockTeam(tx, teamId);
        const member = await findEither(tx, teamId, userId);
        if (!leaves) checkMayGive(own, member.role);
        await checkOwnerMayGo(tx, teamId, member);
        if (member.status === 'invited') await deleteInvitation(tx, userId);
        else {
          await deleteMember(tx, teamId, userId);
          await endLinksOf(tx, identity, teamId, member);
        }
        await writeAudit(tx, {
          action: 'member.removed',
          actor: auditActorOf(identity),
          teamId,
          target: userId,
          before: { email: member.email, role: member.role },
        });
      });
      signals.emit('identity', [userId]);
    },

    async accept(identity, token) {
      refuseBoundKey(identity);
      const { userId } = identity;
      const team = await db.tx(async (tx) => {
        const link = await takeLink(tx, hashSecretToken(token), 'invitation');
        if (link === undefined) {
          const message = 'This link has expired or was already used. Ask for a new one.';
          throw new ServiceError('NOT_FOUND', message);
        }
        const user = (await findUser(tx, userId))!;
        if (!isSameEmail(user.email, link.email!)) {
          const message = `This invitation is for ${link.email}. Sign in with that account.`;
          throw new ServiceError('FORBIDDEN', message);
        }
        const member = { teamId: link.teamId!, userId, role: link.role! };
        if (link.mailed) await updateEmailVerified(tx, userId);
        if (await insertMember(tx, member)) await auditAdded(tx, auditActorOf(identity), member);
        return (await findTeam(tx, link.teamId!, userId))!;
      });
      signals.emit('identity', [userId]);
      return shownTeam(team);
    },
  };
}
