// Signing in with a password, and what a person does with their sessions and password afterwards.
import type { ChangePasswordRequest, Session, SignedIn, User } from '../../contract/auth-api.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { SESSION_ID_PATTERN } from '../../contract/fields.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor, AuditActor } from '../../domain/access/actor.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { newId } from '../../platform/ids.ts';
import { hashSecretToken, newSecretToken } from '../../platform/secret-token.ts';
import { deletePasswordLinks } from '../../store/accounts/account-links.ts';
import {
  deleteSession,
  deleteSessionByToken,
  deleteSessions,
  insertSession,
  listSessions,
} from '../../store/accounts/sessions.ts';
import type { SessionRecord } from '../../store/accounts/sessions.ts';
import { findUser, findUserByEmail, replacePassword } from '../../store/accounts/users.ts';
import type { UserRow } from '../../store/accounts/users.ts';
import { aboutAccount, writeAudit } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { suspendedError } from '../suspended.ts';
import type { Attempts } from './attempts.ts';
import type { KnownDevices } from './known-devices.ts';
import type { Passwords } from './passwords.ts';

/** Where a user signs in from, for the list of their sessions. */
export interface Visitor {
  address: string;
  userAgent: string | undefined;
  /** The cookie that came along: its session ends, so that nobody stays signed in by an old one. */
  sessionToken: string | undefined;
  /** What a browser keeps that has signed in before. */
  device?: string | undefined;
}

/** The token is for the cookie and nothing else. */
export interface OpenedSession {
  token: string;
  /** Whose session ended with it, if the browser had one. */
  endedUserId: string | undefined;
  signedIn: SignedIn;
}

export interface SignInService {
  /** Throws UNAUTHORIZED without saying whether the address is known. */
  signIn(email: string, password: string, visitor: Visitor): Promise<OpenedSession>;
  signOut(actor: Actor): Promise<void>;
  list(identity: Identity): Promise<Session[]>;
  end(actor: Actor, sessionId: string): Promise<void>;
  /** All of the caller, this one too. */
  endAll(actor: Actor): Promise<number>;
  /** Ends every other session, and gives this one a new token. */
  changePassword(
    actor: Actor,
    request: ChangePasswordRequest,
    visitor: Visitor,
  ): Promise<OpenedSession>;
}

const LONGEST_USER_AGENT = 300;

export function shownUser({ id, email, name, isAdmin, emailVerified }: UserRow): User {
  return { id, email, name, isAdmin, emailVerified };
}

export function shownSession(session: SessionRecord, currentId: string): Session {
  return {
    ...session,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
    current: session.id === currentId,
  };
}

/** Of a visitor who has no session yet. */
export function visitingActor(userId: string | null, { address }: Visitor): AuditActor {
  return { userId, credential: 'link', credentialId: null, address };
}

async function auditEnded(tx: Queryable, actor: Actor, target: string | null): Promise<void> {
  await writeAudit(tx, {
    action: 'session.ended',
    actor: auditActorOf(actor),
    teamId: null,
    accountId: actor.userId,
    target,
  });
}

/** Always with a new token: one that an attacker may have planted is worth nothing. */
export async function openSession(
  tx: Queryable,
  user: UserRow,
  visitor: Visitor,
): Promise<OpenedSession> {
  const endedUserId =
    visitor.sessionToken === undefined
      ? undefined
      : await deleteSessionByToken(tx, hashSecretToken(visitor.sessionToken));
  const token = newSecretToken('ss');
  const session = await insertSession(tx, {
    id: newId('ses'),
    userId: user.id,
    tokenHash: hashSecretToken(token),
    address: visitor.address,
    userAgent: visitor.userAgent?.slice(0, LONGEST_USER_AGENT).toWellFormed() ?? null,
  });
  await writeAudit(tx, {
    action: 'session.created',
    actor: {
      userId: user.id,
      credential: 'session',
      credentialId: session.id,
      address: visitor.address,
    },
    teamId: null,
    accountId: user.id,
    target: session.id,
  });
  return {
    token,
    endedUserId,
    signedIn: { user: shownUser(user), session: shownSession(session, session.id) },
  };
}

/** The session of the cookie that came along may be remembered, and may be another person's. */
export function signalEnded(signals: Signals, opened: OpenedSession): OpenedSession {
  if (opened.endedUserId !== undefined) signals.emit('identity', [opened.endedUserId]);
  return opened;
}

export function checkNotSuspended({ suspended }: UserRow): void {
  if (suspended) throw suspendedError('account');
}

export function createSignInService(deps: {
  db: Db;
  signals: Signals;
  attempts: Attempts;
  passwords: Passwords;
  knownDevices: KnownDevices;
}): SignInService {
  const { db, signals, attempts, passwords, knownDevices } = deps;
  return {
    async signIn(email, password, visitor) {
      const device = knownDevices.find(visitor.device, email);
      await attempts.countSignIn(visitor.address, email, device);
      const user = await findUserByEmail(db, email);
      const matches = await passwords.matches(password, user?.passwordHash ?? null);
      if (user === undefined || !matches) {
        // Also for an address without an account, so that the time of the answer says nothing.
        await writeAudit(db, {
          action: 'session.refused',
          actor: visitingActor(null, visitor),
          ...(user === undefined ? { teamId: null, target: null } : aboutAccount(user.id)),
        });
        throw new ServiceError('UNAUTHORIZED', 'Wrong email or password.');
      }
      checkNotSuspended(user);
      const opened = await db.tx((tx) => openSession(tx, user, visitor));
      return signalEnded(signals, opened);
    },
    async signOut(actor) {
      const { userId, credential } = actor;
      await db.tx(async (tx) => {
        await deleteSession(tx, userId, credential.id);
        await auditEnded(tx, actor, credential.id);
      });
      signals.emit('identity', [userId]);
    },
    async list({ userId, credential }) {
      const sessions = await listSessions(db, userId);
      return sessions.map((session) => shownSession(session, credential.id));
    },
    async end(actor, sessionId) {
      const { userId } = actor;
      await db.tx(async (tx) => {
        const isId = SESSION_ID_PATTERN.test(sessionId);
        if (!isId || !(await deleteSession(tx, userId, sessionId))) {
          throw new ServiceError('NOT_FOUND', 'You have no session with this id.');
        }
        await auditEnded(tx, actor, sessionId);
      });
      signals.emit('identity', [userId]);
    },
    async endAll(actor) {
      const { userId } = actor;
      const ended = await db.tx(async (tx) => {
        await auditEnded(tx, actor, null);
        return deleteSessions(tx, userId);
      });
      signals.emit('identity', [userId]);
      return ended;
    },
    async changePassword(actor, { currentPassword, newPassword }, visitor) {
      const { userId } = actor;
      const user = (await findUser(db, userId))!;
      await attempts.count(visitor.address, userId, 'own password');
      const from = user.passwordHash;
      if (from === null || !(await passwords.matches(currentPassword, from))) {
        throw invalid('currentPassword', 'WRONG_PASSWORD', 'The current password is wrong.');
      }
      const to = await passwords.hashNew(newPassword, user.email, 'newPassword');
      const opened = await db.tx(async (tx) => {
        if (!(await replacePassword(tx, userId, { from, to }))) {
          throw new ServiceError('CONFLICT', 'The password was just changed. Sign in again.');
        }
        await deletePasswordLinks(tx, userId);
        await deleteSessions(tx, userId);
        await writeAudit(tx, {
          action: 'account.password_changed',
          actor: auditActorOf(actor),
          ...aboutAccount(userId),
        });
        return openSession(tx, user, visitor);
      });
      signals.emit('identity', [userId]);
      return signalEnded(signals, opened);
    },
  };
}
