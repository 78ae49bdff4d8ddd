// Signing in with the provider of an organisation.
import { PersonName } from '../../contract/auth-api.ts';
import { isSameEmail, normalEmail } from '../../contract/email-address.ts';
import { ServiceError } from '../../contract/errors.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { decideOidc } from '../../domain/accounts/oidc-decision.ts';
import type { OidcProblem } from '../../domain/accounts/oidc-decision.ts';
import { ownPath } from '../../domain/accounts/return-path.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { OidcError } from '../../platform/oidc.ts';
import type { OidcClaims, OidcProvider } from '../../platform/oidc.ts';
import { hashSecretToken } from '../../platform/secret-token.ts';
import { findLink, takeLink } from '../../store/accounts/account-links.ts';
import type { LinkRow } from '../../store/accounts/account-links.ts';
import { insertAccount } from '../../store/accounts/accounts.ts';
import { insertMember } from '../../store/accounts/members.ts';
import { claimOidcIdentity, insertOidcIdentity } from '../../store/accounts/oidc-identities.ts';
import { findUser, findUserByEmail, hasUsers, updateName } from '../../store/accounts/users.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { AuditEntry } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { Attempts } from './attempts.ts';
import type { Mails } from './mails.ts';
import { newFlow, packFlow, secretsOf, unpackFlow } from './oidc-flow.ts';
import type { Flow } from './oidc-flow.ts';
import { proveAddress, reportEnded } from './prove-address.ts';
import { openSession, signalEnded, visitingActor } from './sign-in.ts';
import type { OpenedSession, Visitor } from './sign-in.ts';

export interface OidcSettings {
  provider: OidcProvider;
  allowedDomains: readonly string[];
  linkByEmail: boolean;
}

export interface OidcStart {
  returnTo: string | undefined;
  /** Came with this invitation. */
  invitation?: string | undefined;
  /** Signed in, and wants to connect their account. */
  connect?: Identity;
}

/** The sign-in did not work out; the sign-in page says why. */
export class OidcProblemError extends Error {
  readonly problem: OidcProblem;

  constructor(problem: OidcProblem) {
    super(problem);
    this.name = 'OidcProblemError';
    this.problem = problem;
  }
}

export interface OidcSignIn {
  /** The address of the provider, and what the browser must bring back. */
  start(asked: OidcStart, address: string): Promise<{ url: string; cookie: string }>;
  /** `path`: of the address that the browser came back to, with its query. */
  finish(
    path: string,
    cookie: string | undefined,
    visitor: Visitor,
    signedIn: Identity | undefined,
  ): Promise<{ opened: OpenedSession; returnTo: string }>;
}

const CALLBACK = '/api/v1/auth/oidc/callback';
const AFTERWARDS = '/login?signed-in';
/** The page says what has ended, then leads on. */
const ENDED = '/login?signed-in&notice=address-verified';
const PROBLEMS = {
  cancelled: 'cancelled',
  refused: 'expired',
  unavailable: 'unavailable',
} as const;

export function createOidcSignIn(deps: {
  db: Db;
  signals: Signals;
  attempts: Attempts;
  mails: Mails;
  log: Logger;
  oidc: OidcSettings | undefined;
  defaultTier: Tier;
  publicUrl(): string;
}): OidcSignIn {
  const { db, signals, attempts, log } = deps;

  function settings(): OidcSettings {
    if (deps.oidc !== undefined) return deps.oidc;
    throw new ServiceError('NOT_FOUND', 'Single sign-on is not set up on this server.');
  }

  async function ask<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof OidcError)) throw error;
      if (error.kind !== 'cancelled') log.warn({ problem: error.message }, 'single sign-on failed');
      throw new OidcProblemError(PROBLEMS[error.kind]);
    }
  }

  const secretsWithUri = (flow: Flow) => ({
    ...secretsOf(flow),
    redirectUri: deps.publicUrl() + CALLBACK,
  });

  async function findInvitation(tx: Queryable, { invitation }: Flow): Promise<LinkRow | undefined> {
    if (invitation === undefined) return undefined;
    const link = await findLink(tx, hashSecretToken(invitation));
    if (link?.kind !== 'invitation') throw new OidcProblemError('invitation-expired');
    return link;
  }

  async function createAccount(tx: Queryable, email: string, name: string | undefined) {
    if (!(await hasUsers(tx))) throw new OidcProblemError('not-set-up');
    const userId = newId('user');
    const account = {
      userId,
      teamId: newId('team'),
      email,
      tier: deps.defaultTier,
      emailVerified: true,
    };
    if (!(await insertAccount(tx, account))) throw new OidcProblemError('account-exists');
    const known = PersonName.safeParse(name);
    if (known.success) await updateName(tx, userId, known.data);
    return userId;
  }

  /** The account of the person who came, made or connected where that is right. */
  async function settle(
    tx: Queryable,
    claims: OidcClaims,
    flow: Flow,
    { visitor, connectTo }: { visitor: Visitor; connectTo: string | undefined },
  ) {
    const { allowedDomains, linkByEmail } = settings();
    const email = claims.email === undefined ? undefined : normalEmail(claims.email);
    const invitation = await findInvitation(tx, flow);
    const decision = decideOidc({
      email,
      connectedUserId: await claimOidcIdentity(tx, claims),
      sameEmailUserId: email === undefined ? undefined : (await findUserByEmail(tx, email))?.id,
      connectTo,
      invitedEmail: invitation?.email ?? undefined,
      allowedDomains,
      linkByEmail,
    });
    if (decision.kind === 'refuse') throw new OidcProblemError(decision.problem);
    const userId =
      decision.kind === 'create'
        ? await createAccount(tx, decision.email, claims.name)
        : decision.userId;
    const user = (await findUser(tx, userId))!;
    if (user.suspended) throw new OidcProblemError('suspended');
    // An account that is found by its address may have been made by another person.
    const ended =
      decision.kind === 'connect' && connectTo === undefined
        ? await proveAddress(tx, user, visitingActor(userId, visitor))
        : undefined;
    if (decision.kind !== 'sign-in' && !(await insertOidcIdentity(tx, claims, userId))) {
      // Another request came with the same identity in this moment.
      throw new OidcProblemError('expired');
    }
    if (invitation !== undefined) await join(tx, flow, user, invitation);
    return {
      user: (await findUser(tx, userId))!,
      how: decision.kind,
      teamId: invitation?.teamId ?? null,
      ended,
    };
  }

  async function join(
    tx: Queryable,
    flow: Flow,
    user: { id: string; email: string },
    { email, teamId, role }: LinkRow,
  ): Promise<void> {
    if (!isSameEmail(email!, user.email)) {
      throw new OidcProblemError('invitation-for-another');
    }
    if (!(await takeLink(tx, hashSecretToken(flow.invitation!), 'invitation'))) {
      throw new OidcProblemError('invitation-expired');
    }
    await insertMember(tx, { teamId: teamId!, userId: user.id, role: role! });
  }

  return {
    async start({ returnTo, invitation, connect }, address) {
      const { provider } = settings();
      await attempts.count(address, undefined, 'single sign-on');
      const flow = newFlow({
        returnTo: ownPath(returnTo) ?? AFTERWARDS,
        ...(invitation === undefined ? {} : { invitation }),
        ...(connect === undefined ? {} : { sessionId: connect.credential.id }),
      });
      const url = await ask(provider.authorizationUrl(secretsWithUri(flow)));
      return { url, cookie: packFlow(flow) };
    },

    async finish(path, cookie, visitor, signedIn) {
      const { provider } = settings();
      await attempts.count(visitor.address, undefined, 'single sign-on');
      const flow = unpackFlow(cookie);
      if (flow === undefined) throw new OidcProblemError('expired');
      // Only the session that asked for it connects its account.
      const connectTo = flow.sessionId === undefined ? undefined : signedIn?.userId;
      if (flow.sessionId !== undefined && flow.sessionId !== signedIn?.credential.id) {
        throw new OidcProblemError('expired');
      }
      const answer = new URL(deps.publicUrl() + path);
      const claims = await ask(provider.finish(answer, secretsWithUri(flow)));
      const { opened, userId, ended } = await db.tx(async (tx) => {
        const { user, how, teamId, ended } = await settle(tx, claims, flow, { visitor, connectTo });
        const entry = {
          actor: visitingActor(user.id, visitor),
          accountId: user.id,
          target: user.id,
          after: { by: 'single sign-on', issuer: claims.issuer },
        } as const;
        const actions: Pick<AuditEntry, 'action' | 'teamId'>[] = [
          ...(how === 'create' ? [{ action: 'account.created', teamId: null } as const] : []),
          ...(how === 'sign-in' ? [] : [{ action: 'account.linked', teamId: null } as const]),
          ...(teamId === null ? [] : [{ action: 'member.added', teamId } as const]),
        ];
        for (const action of actions) await writeAudit(tx, { ...entry, ...action });
        return { opened: await openSession(tx, user, visitor), userId: user.id, ended };
      });
      signals.emit('identity', [userId]);
      signalEnded(signals, opened);
      reportEnded(deps.mails, opened.signedIn.user.email, ended);
      const returnTo = ownPath(flow.returnTo) ?? AFTERWARDS;
      if (ended === undefined) return { opened, returnTo };
      return { opened, returnTo: `${ENDED}&return=${encodeURIComponent(returnTo)}` };
    },
  };
}
