// Who is in a team. The team is locked for every change, so that its last owner cannot be lost between
// two of them.
import { createHash } from 'node:crypto';
import { ServiceError } from '../../contract/errors.ts';
import { INVITATION_ID_PATTERN, USER_ID_PATTERN } from '../../contract/fields.ts';
import type { Role } from '../../contract/permissions.ts';
import type { AddMemberRequest, AddedMember, Member, Team } from '../../contract/teams-api.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { invitationMail } from '../../domain/accounts/mail-texts.ts';
import { mayGiveRole } from '../../domain/accounts/team-roles.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { hashSecretToken } from '../../platform/secret-token.ts';
import { takeLink } from '../../store/accounts/account-links.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import {
  countInvited,
  countOwners,
  deleteInvitation,
  deleteMember,
  findInvited,
  findMember,
  findPersonalUser,
  insertMember,
  isMemberByEmail,
  listMembers,
  updateInvitedRole,
  updateMemberRole,
} from '../../store/accounts/members.ts';
import type { MemberRow } from '../../store/accounts/members.ts';
import { findTeam, findTeamName } from '../../store/accounts/teams.ts';
import { findUser } from '../../store/accounts/users.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { Access } from '../access.ts';
import { auditAdded, makeLink } from '../accounts/account-links.ts';
import type { Mails } from '../accounts/mails.ts';
import { refuseBoundKey, shownTeam } from './teams.ts';

export interface TeamMemberService {
  list(identity: Identity, teamId: string): Promise<Member[]>;
  /** A user at once, or by an invitation that is accepted. */
  add(
    actor: Actor,
    teamId: string,
    request: AddMemberRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ member: AddedMember; replayed: boolean }>;
  changeRole(actor: Actor, teamId: string, userId: string, role: Role): Promise<Member>;
  /** Also withdraws an invitation. Everybody may leave. */
  remove(actor: Actor, teamId: string, userId: string): Promise<void>;
  /** For somebody who has an account already. */
  accept(actor: Actor, token: string): Promise<Team>;
}

/** Open ones of a team: each is a link that lets someone in. */
const MAX_INVITATIONS = 100;

function shown(row: MemberRow): Member {
  return { ...row, joinedAt: row.joinedAt?.toISOString() ?? null };
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
  const { db, signals, access, masterKeys } = deps;

  async function addUser(
    tx: Queryable,
    identity: Actor,
    { teamId, userId, role }: { teamId: string; userId: string; role: Role },
  ) {
    const user = await findUser(tx, userId);
    if (user === undefined) throw new ServiceError('NOT_FOUND', 'There is no user with this id.');
    if (!(await insertMember(tx, { teamId, userId, role }))) {
      throw new ServiceError('CONFLICT', `${user.email} is already a member of this team.`);
    }
    await auditAdded(tx, auditActorOf(identity), { teamId, userId, role });
    return shown((await findMember(tx, teamId, userId))!);
  }

  /** Whether there is an account for the address is not told: everybody is invited the same way. */
  async function invite(
    tx: Queryable,
    identity: Actor,
    teamId: string,
    invited: { email: string; role: Role; seed: string | undefined },
  ): Promise<AddedMember> {
    const { email, role, seed } = invited;
    if (await isMemberByEmail(tx, teamId, email)) {
      throw new ServiceError('CONFLICT', `${email} is already a member of this team.`);
    }
    // Inviting someone again replaces the link.
    if ((await countInvited(tx, teamId, email)) >= MAX_INVITATIONS) {
      const message = `This team has ${MAX_INVITATIONS} open invitations. Remove one first.`;
      throw new ServiceError('CONFLICT', message);
    }
    const link = await makeLink(
      tx,
      deps.publicUrl(),
      { kind: 'invitation', email, teamId, role, createdBy: identity.userId },
      seed === undefined ? undefined : { secret: masterKeys.active().key, text: seed },
    );
    const member = shown((await findInvited(tx, teamId, link.id))!);
    await writeAudit(tx, {
      action: 'member.invited',
      actor: auditActorOf(identity),
      teamId,
      target: link.id,
      after: { email, role },
    });
    const { url, expiresAt } = link;
    const mailed = deps.mails.canSend;
    return { ...member, invitation: { url, expiresAt: expiresAt.toISOString(), mailed } };
  }

  /** Once it is certain that the invitation is there. */
  async function mailInvitation(
    identity: Identity,
    teamId: string,
    member: AddedMember,
  ): Promise<AddedMember> {
    const { invitation, email, role } = member;
    if (!deps.mails.canSend || invitation === undefined) return member;
    const [team, by] = await Promise.all([findTeamName(db, teamId), findUser(db, identity.userId)]);
    const { url } = invitation;
    const mail = invitationMail({ teamName: team ?? '', role, invitedBy: by!.email, url });
    return { ...member, invitation: { ...invitation, mailed: deps.mails.send(email, mail) } };
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
      // A repeated request makes the same link again; no secret has to be kept for it.
      const seed = idempotencyKey === undefined ? undefined : `${request} ${idempotencyKey}`;
      const added = await db.tx(async (tx) => {
        await lockTeam(tx, teamId);
        let replayed = false;
        if (idempotencyKey !== undefined) {
          const bodyHash = createHash('sha256').update(request).digest();
          const use = { teamId: identity.teamId, userId: identity.userId, key: idempotencyKey };
          const taken = { ...use, bodyHash, resourceId: teamId };
          replayed = (await takeIdempotencyKey(tx, taken)) !== undefined;
        }
        if (userId !== undefined) {
          const before = replayed ? await findMember(tx, teamId, userId) : undefined;
          const member = before
            ? shown(before)
            : await addUser(tx, identity, { teamId, userId, role });
          return { member, replayed };
        }
        return {
          member: await invite(tx, identity, teamId, { email: email!, role, seed }),
          replayed,
        };
      });
      if (userId !== undefined) signals.emit('identity', [userId]);
      if (added.replayed) return added;
      return { ...added, member: await mailInvitation(identity, teamId, added.member) };
    },

    async changeRole(identity, teamId, userId, role) {
      const own = await access.mayInTeam(identity, teamId, 'manage');
      const changed = await db.tx(async (tx) => {
        await lockTeam(tx, teamId);
        const member = await findEither(tx, teamId, userId);
        for (const one of [member.role, role]) checkMayGive(own, one);
        if (role !== 'owner') await checkOwnerMayGo(tx, teamId, member);
        if (member.status === 'invited') await updateInvitedRole(tx, userId, role);
        else await updateMemberRole(tx, teamId, userId, role);
        await writeAudit(tx, {
          action: 'member.role_changed',
          actor: auditActorOf(identity),
          teamId,
          target: userId,
          before: { email: member.email, role: member.role },
          after: { role },
        });
        return shown({ ...member, role });
      });
      signals.emit('identity', [userId]);
      return changed;
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
        else await deleteMember(tx, teamId, userId);
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
        if (user.email.toLowerCase() !== link.email!.toLowerCase()) {
          const message = `This invitation is for ${link.email}. Sign in with that account.`;
          throw new ServiceError('FORBIDDEN', message);
        }
        const member = { teamId: link.teamId!, userId, role: link.role! };
        if (await insertMember(tx, member)) await auditAdded(tx, auditActorOf(identity), member);
        return (await findTeam(tx, link.teamId!, userId))!;
      });
      signals.emit('identity', [userId]);
      return shownTeam(team);
    },
  };
}
