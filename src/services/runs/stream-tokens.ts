// Tokens with which the agent of a stream calls models. Made by the command that runs the stream; the agent gets nothing
// else of the person's.
import { ServiceError } from '../../contract/errors.ts';
import type {
  RenewedStreamToken,
  StreamToken,
  StreamTokenRequest,
  StreamTokenUsage,
} from '../../contract/stream-token-api.ts';
import { apiKeyIdOf, may } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import type { Role } from '../../contract/permissions.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { newId } from '../../platform/ids.ts';
import { hashSecretToken, isSecretToken, newSecretToken } from '../../platform/secret-token.ts';
import {
  endStreamToken,
  findTokenOwner,
  findTokenState,
  findTokenUsage,
  insertStreamToken,
  renewStreamToken,
} from '../../store/calls/stream-tokens.ts';
import type { Db } from '../../store/postgres/db.ts';
import { lockTeamQueue } from '../../store/accounts/teams.ts';
import { lockRuns } from '../../store/runs/lock-runs.ts';
import { setRunCaps } from '../../store/usage/run-caps.ts';

/** Who a token acts for. */
export interface TokenBearer {
  tokenId: string;
  teamId: string;
  userId: string;
  apiKeyId: string | null;
  tier: Tier;
  runId: string;
  streamId: string;
  models: readonly string[];
}

export interface StreamTokenService {
  /** Whether a credential is meant as one. */
  isToken(credential: string): boolean;
  create(identity: Identity, request: StreamTokenRequest): Promise<StreamToken>;
  renew(identity: Identity, id: string): Promise<RenewedStreamToken>;
  /** Also of a token that has ended: what it was used for. */
  end(identity: Identity, id: string): Promise<StreamTokenUsage>;
  /** Throws UNAUTHORIZED for a token that does not work. */
  bearer(token: string): Promise<TokenBearer>;
}

function superseded(): ServiceError {
  const message =
    'This stream has been taken over by another process, or by a later attempt. Stop this one.';
  return new ServiceError('CONFLICT', message);
}

export function createStreamTokens({ db }: { db: Db }): StreamTokenService {
  async function find(identity: Identity, id: string) {
    const found = await findTokenState(db, id);
    if (
      found === undefined ||
      found.teamId !== identity.teamId ||
      found.userId !== identity.userId
    ) {
      throw new ServiceError('NOT_FOUND', 'There is no stream token with this id.');
    }
    return found;
  }

  return {
    isToken: (credential) => isSecretToken(credential, 'st'),
    async create(identity, { maxCostUsd, ...request }) {
      const { teamId, userId } = identity;
      const token = newSecretToken('st');
      const id = newId('stok');
      const expiresAt = await db.tx(async (tx) => {
        await lockTeamQueue(tx, teamId);
        const run = { teamId, runId: request.runId };
        if (maxCostUsd !== undefined) {
          await lockRuns(tx, [run]);
          await setRunCaps(tx, run, [{ streamId: request.streamId, limitUsd: maxCostUsd }]);
        }
        return insertStreamToken(tx, {
          id,
          tokenHash: hashSecretToken(token),
          teamId,
          userId,
          apiKeyId: apiKeyIdOf(identity),
          ...request,
        });
      });
      if (expiresAt === undefined) throw superseded();
      return { id, token, expiresAt: expiresAt.toISOString() };
    },
    async renew(identity, id) {
      await find(identity, id);
      const expiresAt = await renewStreamToken(db, id);
      if (expiresAt === undefined) throw superseded();
      return { id, expiresAt: expiresAt.toISOString() };
    },
    async end(identity, id) {
      await find(identity, id);
      await endStreamToken(db, id);
      return findTokenUsage(db, id);
    },
    async bearer(token) {
      const owner = isSecretToken(token, 'st')
        ? await findTokenOwner(db, hashSecretToken(token))
        : undefined;
      if (owner === undefined || !owner.isAlive || !may(owner.role as Role, 'write')) {
        const message = 'The stream token is unknown, or its attempt has ended.';
        throw new ServiceError('UNAUTHORIZED', message);
      }
      const { id: tokenId, tier, role: _, isAlive: __, ...bearer } = owner;
      return { ...bearer, tokenId, tier: tier as Tier };
    },
  };
}
