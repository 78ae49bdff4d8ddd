// Links that let a person in once: the first account of a server, an invitation, a forgotten password, the
// browser of the person who started the server. What is secret in a link comes after its #, which browsers send to
// no server and no log sees.
import type {
  Link,
  ResetPasswordRequest,
  SetUpRequest,
  SignUpRequest,
} from '../../contract/auth-api.ts';
import { normalEmail } from '../../contract/email-address.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { newId } from '../../platform/ids.ts';
import {
  derivedSecretToken,
  hashSecretToken,
  newSecretToken,
} from '../../platform/secret-token.ts';
import {
  deletePasswordLinks,
  deleteSetupLinks,
  findLink,
  insertLink,
  takeLink,
} from '../../store/accounts/account-links.ts';
import type { LinkKind, LinkRow, NewLink } from '../../store/accounts/account-links.ts';
import { canAdminSignIn } from '../../store/accounts/local-owner.ts';
import { insertMember } from '../../store/accounts/members.ts';
import { deleteSessions } from '../../store/accounts/sessions.ts';
import {
  findUser,
  findUserByEmail,
  lockUsers,
  updatePassword,
} from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import type { AuditActor } from '../../domain/access/actor.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { Attempts } from './attempts.ts';
import { addAccount } from './add-account.ts';
import { setUpOwner } from './local-owner.ts';
import type { Mails } from './mails.ts';
import type { Passwords } from './passwords.ts';
import { proveAddress, reportEnded } from './prove-address.ts';
import { checkNotSuspended, openSession, signalEnded, visitingActor } from './sign-in.ts';
import type { OpenedSession, Visitor } from './sign-in.ts';

export interface AccountLinkService {
  /** What a link is for, so that its page can ask for the right things. */
  inspect(token: string, address: string): Promise<Link>;
  /** Makes the first account, which manages the server. */
  setUp(request: SetUpRequest, visitor: Visitor): Promise<OpenedSession>;
  /** Makes an account for a person who was invited and has none. */
  signUp(request: SignUpRequest, visitor: Visitor): Promise<OpenedSession>;
  resetPassword(request: ResetPasswordRequest, visitor: Visitor): Promise<OpenedSession>;
  signIn(token: string, visitor: Visitor): Promise<OpenedSession>;
}

export interface MadeLink {
  url: string;
  expiresAt: Date;
}

const DAY_MINUTES = 1440;

const LIFE_MINUTES: Readonly<Record<LinkKind, number>> = {
  setup: DAY_MINUTES,
  invitation: 7 * DAY_MINUTES,
  reset: DAY_MINUTES,
  // It asks for nothing else, and is opened where it was printed.
  'sign-in': 10,
};

const badLink = () =>
  new ServiceError('NOT_FOUND', 'This link has expired or was already used. Ask for a new one.');

export interface LinkSeed {
  secret: Buffer;
  text: string;
}

export function seededLinkToken({ secret, text }: LinkSeed): string {
  return derivedSecretToken('ln', secret, text);
}

export function linkUrl(publicUrl: string, token: string): string {
  return `${publicUrl.replace(/(?<!\/)\/+$/, '')}/welcome#${token}`;
}

/**
 * Inside the caller's transaction; `publicUrl` is where people reach this server. With a `seed` the link is
 * the same each time.
 */
export async function makeLink(
  tx: Queryable,
  publicUrl: string,
  link: Omit<NewLink, 'id' | 'tokenHash' | 'lifeMinutes'> & { id?: string },
  seed?: LinkSeed,
): Promise<MadeLink & { id: string }> {
  const token = seed ? seededLinkToken(seed) : newSecretToken('ln');
  const { id, expiresAt } = await insertLink(tx, {
    ...link,
    id: link.id ?? newId('inv'),
    tokenHash: hashSecretToken(token),
    lifeMinutes: LIFE_MINUTES[link.kind],
  });
  return { id, expiresAt, url: linkUrl(publicUrl, token) };
}

/** Undefined once an administrator can sign in: from then on people are invited. */
export async function makeSetupLink(db: Db, publicUrl: string): Promise<MadeLink | undefined> {
  if (await canAdminSignIn(db)) return undefined;
  return db.tx((tx) => makeLink(tx, publicUrl, { kind: 'setup', createdBy: null }));
}

export async function auditAdded(
  tx: Queryable,
  actor: AuditActor,
  { teamId, userId, role }: { teamId: string; userId: string; role: string },
): Promise<void> {
  const after = { role };
  await writeAudit(tx, { action: 'member.added', actor, teamId, target: userId, after });
}

export function createAccountLinkService(deps: {
  db: Db;
  signals: Signals;
  attempts: Attempts;
  passwords: Passwords;
  mails: Mails;
  defaultTier: Tier;
}): AccountLinkService {
  const { db, signals, attempts, passwords, mails, defaultTier: tier } = deps;

  /** The holder of a good link may look at it as often as they like; others are guessing. */
  async function look(token: string, address: string, kind?: LinkKind): Promise<LinkRow> {
    const link = await findLink(db, hashSecretToken(token));
    if (link !== undefined && link.kind === (kind ?? link.kind)) return link;
    await attempts.count(address, undefined, 'link');
    throw badLink();
  }

  /** A password that is refused for what it is costs nothing and does not count as an attempt. */
  async function hashChosen(password: string, email: string, address: string): Promise<string> {
    passwords.checkNew(password, email, 'password');
    await attempts.count(address, undefined, 'sign-up');
    return passwords.hashNew(password, email, 'password');
  }

  async function use(tx: Queryable, token: string, kind: LinkKind): Promise<LinkRow> {
    const link = await takeLink(tx, hashSecretToken(token), kind);
    if (link === undefined) throw badLink();
    return link;
  }

  return {
    async inspect(token, address) {
      const { kind, email, teamId, teamName, role, expiresAt } = await look(token, address);
      const user = email === null ? undefined : await findUserByEmail(db, email);
      const hasAccount = user !== undefined;
      const invitation = { teamId, teamName, role };
      return { kind, email, ...invitation, hasAccount, expiresAt: expiresAt.toISOString() };
    },

    async setUp({ token, email, name, password }, visitor) {
      await look(token, visitor.address, 'setup');
      const passwordHash = await hashChosen(password, email, visitor.address);
      const opened = await db.tx(async (tx) => {
        await lockUsers(tx);
        if (await canAdminSignIn(tx)) throw badLink();
        await use(tx, token, 'setup');
        // The caller who has the set-up link runs the server.
        const account = { email, name: name ?? null, passwordHash, tier };
        const user = await setUpOwner(tx, account, (id) => visitingActor(id, visitor));
        await deleteSetupLinks(tx);
        return openSession(tx, user, visitor);
      });
      return signalEnded(signals, opened);
    },

    async signUp({ token, name, password }, visitor) {
      const { email } = await look(token, visitor.address, 'invitation');
      const passwordHash = await hashChosen(password, email!, visitor.address);
      const opened = await db.tx(async (tx) => {
        const { teamId, role, mailed } = await use(tx, token, 'invitation');
        const account = {
          email: normalEmail(email!) ?? email!,
          name: name ?? null,
          passwordHash,
          tier,
          emailVerified: mailed,
        };
        const user = await addAccount(tx, account, visitingActor(null, visitor));
        const member = { teamId: teamId!, userId: user.id, role: role! };
        await insertMember(tx, member);
        await auditAdded(tx, visitingActor(user.id, visitor), member);
        return openSession(tx, user, visitor);
      });
      return signalEnded(signals, opened);
    },

    async resetPassword({ token, password }, visitor) {
      const { email, userId } = await look(token, visitor.address, 'reset');
      const passwordHash = await hashChosen(password, email!, visitor.address);
      const { opened, ended } = await db.tx(async (tx) => {
        const { mailed } = await use(tx, token, 'reset');
        const user = (await findUser(tx, userId!))!;
        const actor = visitingActor(user.id, visitor);
        const ended = mailed ? await proveAddress(tx, user, actor) : undefined;
        await updatePassword(tx, user.id, passwordHash);
        await writeAudit(tx, {
          action: 'account.password_changed',
          actor,
          ...aboutAccount(user.id),
        });
        await deletePasswordLinks(tx, user.id);
        await deleteSessions(tx, user.id);
        return { opened: await openSession(tx, (await findUser(tx, user.id))!, visitor), ended };
      });
      signals.emit('identity', [userId!]);
      signalEnded(signals, opened);
      reportEnded(mails, opened.signedIn.user.email, ended);
      return ended === undefined ? opened : { ...opened, signedIn: { ...opened.signedIn, ended } };
    },

    async signIn(token, visitor) {
      await look(token, visitor.address, 'sign-in');
      const opened = await db.tx(async (tx) => {
        const { userId } = await use(tx, token, 'sign-in');
        const user = (await findUser(tx, userId!))!;
        checkNotSuspended(user);
        return openSession(tx, user, visitor);
      });
      return signalEnded(signals, opened);
    },
  };
}
