// Who is calling, and in which team. The answer is kept for a few seconds, and dropped at once on every
// node when keys, sessions, members or accounts change, so what was revoked stops working within five
// seconds at worst.
import { createCache } from '../platform/cache.ts';
import { TEAM_ID_PATTERN } from '../contract/fields.ts';
import { ServiceError, invalid } from '../contract/errors.ts';
import { hashApiKey, isWellFormedApiKey } from '../platform/api-key.ts';
import type { Logger } from '../platform/log.ts';
import { createLastUsed } from './last-used.ts';
import { suspendedError } from './suspended.ts';
import { hashSecretToken, isSecretToken } from '../platform/secret-token.ts';
import { isBoundToTeam } from '../domain/access/identity.ts';
import type { Identity } from '../domain/access/identity.ts';
import { findKeyOwner, findMembership } from '../store/accounts/accounts.ts';
import type { CredentialOwner, Membership } from '../store/accounts/accounts.ts';
import { findSessionOwner } from '../store/accounts/sessions.ts';
import { findRequestOwner } from '../store/runners/request-owner.ts';
import type { Db } from '../store/postgres/db.ts';
import type { Signals } from '../store/postgres/signals.ts';

/** What a request brings along; a key is looked at before a session. */
export interface Caller {
  /** Or the token of a command line that is signed in. */
  apiKey: string | undefined;
  sessionToken: string | undefined;
  /** The team that the request names. */
  teamId: string | undefined;
}

export interface IdentityService {
  /** Throws UNAUTHORIZED, ACCOUNT_SUSPENDED, or FORBIDDEN for a team of others. */
  authenticate(caller: Caller): Promise<Identity>;
  close(): Promise<void>;
}

const CACHE_MS = 4000;
const CACHE_SIZE = 20_000;

const HOW_TO = 'Send a valid key as X-API-Key or as Authorization: Bearer.';

function unauthorized(why: string): ServiceError {
  return new ServiceError('UNAUTHORIZED', `${why} ${HOW_TO}`);
}

function signedOut(): ServiceError {
  return new ServiceError('UNAUTHORIZED', 'Your session has ended. Sign in again.');
}

/**
 * Not beyond the end of the key. Only the database says whether that has come, because clocks of
 * nodes go wrong; and from a look at it on, only how much time has passed counts.
 */
function rememberedMs(owner: CredentialOwner | undefined, tookMs: number): number {
  if ((owner?.expiresInMs ?? 1) <= 0) return CACHE_MS;
  // The database may have looked when it was asked, however late its answer came.
  const leftMs = (owner?.expiresInMs ?? Infinity) - tookMs;
  return Math.max(1, Math.min(CACHE_MS, Math.floor(leftMs)));
}

/** The database has looked before it answered: so this is never before the end. */
function endingAt(owner: CredentialOwner, answeredAt: number): CredentialOwner {
  if (owner.expiresInMs === null) return owner;
  return { ...owner, identity: { ...owner.identity, endsAtMs: answeredAt + owner.expiresInMs } };
}

export function createIdentityService(deps: {
  db: Db;
  signals: Signals;
  log: Logger;
}): IdentityService {
  // Keyed by the hash: keys and tokens themselves are not kept, not even in memory.
  const cache = createCache<{ owner: CredentialOwner | undefined }>({
    entries: CACHE_SIZE,
    ttl: CACHE_MS,
  });
  const memberships = createCache<{ found: Membership | undefined }>({
    entries: CACHE_SIZE,
    ttl: CACHE_MS,
  });
  /** What was asked before one of them and answered after it may be outdated, and is not remembered. */
  let changes = 0;
  const unsubscribe = deps.signals.on('identity', () => {
    changes += 1;
    cache.clear();
    memberships.clear();
  });

  const lastUsed = createLastUsed(deps);

  async function askDatabase(hash: Buffer, cacheKey: string, find: typeof findKeyOwner) {
    const askedAt = performance.now();
    const asOf = changes;
    const found = await find(deps.db, hash);
    const owner = found && endingAt(found, performance.now());
    const ttl = rememberedMs(owner, performance.now() - askedAt);
    if (asOf === changes) cache.set(cacheKey, { owner }, { ttl });
    return { owner };
  }

  /** No promise for what is remembered: this is on the way of every request. */
  function lookUp(hash: Buffer, find: typeof findKeyOwner) {
    const cacheKey = hash.toString('base64');
    return cache.get(cacheKey) ?? askDatabase(hash, cacheKey, find);
  }

  async function ownerOfKey(apiKey: string): Promise<CredentialOwner> {
    if (!isWellFormedApiKey(apiKey)) throw unauthorized('The API key is malformed.');
    const found = lookUp(hashApiKey(apiKey), findKeyOwner);
    const { owner } = found instanceof Promise ? await found : found;
    if (owner === undefined) throw unauthorized('Unknown API key.');
    if (owner.revoked) throw unauthorized('The API key was revoked.');
    if (owner.expired) throw unauthorized('The API key has expired.');
    return owner;
  }

  async function ownerOfSession(token: string): Promise<CredentialOwner> {
    if (!isSecretToken(token, 'ss')) throw signedOut();
    const { owner } = await lookUp(hashSecretToken(token), findSessionOwner);
    if (owner === undefined || owner.expired) throw signedOut();
    return owner;
  }

  async function ownerOfDevice(token: string): Promise<CredentialOwner> {
    const { owner } = await lookUp(hashSecretToken(token), findSessionOwner);
    if (owner === undefined || owner.expired) throw signedOut();
    return owner;
  }

  /** Never from memory: a runner whose request was given to another one is refused from that moment on. */
  async function ownerOfRequest(token: string): Promise<CredentialOwner> {
    const owner = await findRequestOwner(deps.db, hashSecretToken(token));
    if (owner === undefined) {
      throw unauthorized('The run request has ended, or another runner has taken it over.');
    }
    return owner;
  }

  function ownerOf(credential: string): Promise<CredentialOwner> {
    if (isSecretToken(credential, 'rq')) return ownerOfRequest(credential);
    return isSecretToken(credential, 'dt') ? ownerOfDevice(credential) : ownerOfKey(credential);
  }

  async function actIn(identity: Identity, teamId: string): Promise<Identity> {
    if (!TEAM_ID_PATTERN.test(teamId)) {
      throw invalid('x-team-id', 'INVALID_TEAM_ID', 'X-Team-Id must be a team id.');
    }
    const { userId } = identity;
    if (isBoundToTeam(identity)) {
      const message = 'This API key only works in the team it was created for.';
      throw new ServiceError('FORBIDDEN', message);
    }
    const name = `${teamId} ${userId}`;
    let known = memberships.get(name);
    if (known === undefined) {
      const asOf = changes;
      known = { found: await findMembership(deps.db, teamId, userId) };
      if (asOf === changes) memberships.set(name, known);
    }
    if (known.found) {
      const { role, tier, suspended } = known.found;
      if (suspended) throw suspendedError('team');
      return { ...identity, role, tier, teamId };
    }
    throw new ServiceError('FORBIDDEN', 'You are not a member of the team in X-Team-Id.');
  }

  return {
    async authenticate({ apiKey, sessionToken, teamId }) {
      const isKey = apiKey !== undefined && apiKey !== '';
      if (!isKey && sessionToken === undefined) throw unauthorized('An API key is missing.');
      const owner = isKey ? await ownerOf(apiKey) : await ownerOfSession(sessionToken!);
      if (owner.suspended) throw suspendedError('account');
      const { identity } = owner;
      const { kind, id } = identity.credential;
      if (kind !== 'request') lastUsed.note(kind === 'key' ? 'key' : 'session', id);
      if (teamId !== undefined && teamId !== identity.teamId) return actIn(identity, teamId);
      if (owner.teamSuspended) throw suspendedError('team');
      return identity;
    },
    async close() {
      unsubscribe();
      await lastUsed.close();
    },
  };
}
