// Invitations to a team. Where the server sends mail, the link goes to the mailbox alone: the inviter could
// otherwise make an account for an address that is not theirs. Without mail, the inviter passes the link on, and the
// address of an account that is made with it stays unverified.
import { ServiceError } from '../../contract/errors.ts';
import type { Role } from '../../contract/permissions.ts';
import type { AddedMember } from '../../contract/teams-api.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { invitationMail } from '../../domain/accounts/mail-texts.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { hashSecretToken } from '../../platform/secret-token.ts';
import {
  countInvited,
  deleteInvitation,
  findInvited,
  findInvitedByEmail,
  findMember,
  isLinkOf,
  listInvitationsBy,
} from '../../store/accounts/members.ts';
import type { MemberRow } from '../../store/accounts/members.ts';
import { findTeamName } from '../../store/accounts/teams.ts';
import { findUser, findUserByEmail } from '../../store/accounts/users.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import { linkUrl, makeLink, seededLinkToken } from '../accounts/account-links.ts';
import type { MadeLink } from '../accounts/account-links.ts';
import type { Mails } from '../accounts/mails.ts';

/** Open ones of a team: each is a link that lets someone in. */
const MAX_INVITATIONS = 100;

export interface Invited {
  row: MemberRow;
  link: MadeLink;
}

export interface NewInvitation {
  id: string;
  email: string;
  role: Role;
  /** With one, a repeated request gets the same link, and no secret has to be kept for it. */
  seed: string | undefined;
}

export type Invitations = ReturnType<typeof createInvitations>;

export function createInvitations(deps: {
  db: Db;
  masterKeys: MasterKeys;
  mails: Mails;
  publicUrl(): string;
}) {
  const { db, masterKeys, mails } = deps;
  const seedOf = (text: string) => ({ secret: masterKeys.active().key, text });

  async function issue(
    tx: Queryable,
    actor: Actor,
    teamId: string,
    { id, email, role, seed }: NewInvitation,
  ): Promise<Invited> {
    const made = await makeLink(
      tx,
      deps.publicUrl(),
      {
        id,
        kind: 'invitation',
        email,
        teamId,
        role,
        createdBy: actor.userId,
        mailed: mails.canSend,
      },
      seed === undefined ? undefined : seedOf(seed),
    );
    return { row: (await findInvited(tx, teamId, made.id))!, link: made };
  }

  return {
    issue,

    /** The invitation that a new one for this address replaces. CONFLICT for a member, and where there are too many. */
    async findPending(tx: Queryable, teamId: string, email: string) {
      const user = await findUserByEmail(tx, email);
      if (user !== undefined && (await findMember(tx, teamId, user.id)) !== undefined) {
        throw new ServiceError('CONFLICT', `${email} is already a member of this team.`);
      }
      const pending = await findInvitedByEmail(tx, teamId, email);
      if (pending === undefined && (await countInvited(tx, teamId)) >= MAX_INVITATIONS) {
        const message = `This team has ${MAX_INVITATIONS} open invitations. Remove one first.`;
        throw new ServiceError('CONFLICT', message);
      }
      return pending;
    },

    /** Inside a transaction that holds the team. */
    async invite(tx: Queryable, actor: Actor, teamId: string, asked: NewInvitation) {
      const { email, role } = asked;
      const invited = await issue(tx, actor, teamId, asked);
      await writeAudit(tx, {
        action: 'member.invited',
        actor: auditActorOf(actor),
        teamId,
        target: invited.row.userId,
        after: { email, role },
      });
      return invited;
    },

    /** What the first request with the same Idempotency-Key has made, as long as it is still there. */
    async repeat(
      tx: Queryable,
      teamId: string,
      id: string,
      seed: string,
    ): Promise<Invited | undefined> {
      const row = await findInvited(tx, teamId, id);
      const token = seededLinkToken(seedOf(seed));
      if (row === undefined || !(await isLinkOf(tx, id, hashSecretToken(token)))) return undefined;
      return { row, link: { url: linkUrl(deps.publicUrl(), token), expiresAt: row.expiresAt! } };
    },

    /** Those that a member made: they may have kept the links. */
    async withdrawThoseBy(tx: Queryable, actor: Actor, teamId: string, userId: string) {
      for (const { userId: id, email, role } of await listInvitationsBy(tx, teamId, userId)) {
        await deleteInvitation(tx, id);
        await writeAudit(tx, {
          action: 'member.removed',
          actor: auditActorOf(actor),
          teamId,
          target: id,
          before: { email, role },
        });
      }
    },

    /** As the inviter sees it; mailed once it is certain that the invitation is there. */
    async send(actor: Actor, teamId: string, { row, link }: Invited, isRepeat = false) {
      const { userId, email, name, role, status } = row;
      let mailed = mails.canSend;
      if (mailed && !isRepeat) {
        const [team, by] = await Promise.all([
          findTeamName(db, teamId),
          findUser(db, actor.userId),
        ]);
        const about = { teamName: team ?? '', role, invitedBy: by!.email };
        mailed = mails.send(email, invitationMail({ ...about, url: link.url }));
      }
      const invitation = {
        url: mails.canSend ? null : link.url,
        expiresAt: link.expiresAt.toISOString(),
        mailed,
      };
      const member = { userId, email, name, role, status, joinedAt: null };
      return { ...member, invitation } satisfies AddedMember;
    },
  };
}
