// The API keys of the caller. A key that was made for one team manages keys of that team only.
import { createHash } from 'node:crypto';
import type {
  ApiKey,
  CreateApiKeyRequest,
  CreatedApiKey,
  RotateApiKeyRequest,
  RotatedApiKey,
} from '../../contract/api-keys-api.ts';
import { ServiceError } from '../../contract/errors.ts';
import { API_KEY_ID_PATTERN } from '../../contract/fields.ts';
import { DEFAULT_SCOPES } from '../../contract/permissions.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { isBoundToTeam } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { apiKeyHint, derivedApiKey, hashApiKey, newApiKey } from '../../platform/api-key.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import { newId } from '../../platform/ids.ts';
import {
  findApiKey,
  insertApiKey,
  listApiKeys,
  lockKeyCount,
  replaceApiKey,
  revokeApiKey,
} from '../../store/accounts/api-keys.ts';
import type { ApiKeyRecord } from '../../store/accounts/api-keys.ts';
import { takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { AuditEntry } from '../../store/audit/audit-log.ts';
import type { Db, Queryable } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import type { Access } from '../access.ts';

export interface OwnApiKeyService {
  list(identity: Identity): Promise<ApiKey[]>;
  create(
    actor: Actor,
    request: CreateApiKeyRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ key: CreatedApiKey; replayed: boolean }>;
  rotate(
    actor: Actor,
    id: string,
    request: RotateApiKeyRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ key: RotatedApiKey; replayed: boolean }>;
  revoke(actor: Actor, id: string): Promise<void>;
}

/** Of one account, working at the same time. */
const MAX_KEYS = 100;

export function shownApiKey(record: ApiKeyRecord): ApiKey {
  const { id, name, hint, scopes, teamId, replacedBy } = record;
  return {
    id,
    name,
    maskedKey: hint,
    scopes,
    teamId,
    status: record.revokedAt ? 'revoked' : record.expired ? 'expired' : 'active',
    createdAt: record.createdAt.toISOString(),
    expiresAt: record.expiresAt?.toISOString() ?? null,
    lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
    replacedBy,
  };
}

/** A key of one team is the team's business; others are their owner's. */
function audit(
  tx: Queryable,
  actor: Actor,
  teamId: string | null,
  entry: Pick<AuditEntry, 'action' | 'target' | 'before' | 'after'>,
): Promise<void> {
  return writeAudit(tx, {
    ...entry,
    actor: auditActorOf(actor),
    teamId,
    accountId: actor.userId,
  });
}

/** Set when the caller's own key was made for one team. */
function boundTeam(identity: Identity): string | null {
  return isBoundToTeam(identity) ? identity.teamId : null;
}

const missing = () => new ServiceError('NOT_FOUND', 'There is no API key with this id.');

export function createOwnApiKeyService(deps: {
  db: Db;
  signals: Signals;
  access: Access;
  masterKeys: MasterKeys;
}): OwnApiKeyService {
  const { db, signals, masterKeys } = deps;

  async function findOwn(tx: Queryable, identity: Identity, id: string) {
    const found = API_KEY_ID_PATTERN.test(id) ? await findApiKey(tx, id) : undefined;
    if (found === undefined) throw missing();
    const bound = boundTeam(identity);
    if (found.userId !== identity.userId || (bound !== null && found.teamId !== bound)) {
      throw new ServiceError('FORBIDDEN', 'This API key belongs to another account or team.');
    }
    return found;
  }

  /** With an Idempotency-Key the same again for the same request, and no secret has to be kept for it. */
  function secretFor(id: string, idempotencyKey: string | undefined): string {
    if (idempotencyKey === undefined) return newApiKey();
    return derivedApiKey(masterKeys.active().key, id, idempotencyKey);
  }

  /** Undefined for the first request of its Idempotency-Key; otherwise what that one made. */
  async function replayOf(
    tx: Queryable,
    identity: Identity,
    use: { key: string | undefined; request: string; id: string },
  ) {
    if (use.key === undefined) return undefined;
    const { teamId, userId } = identity;
    const bodyHash = createHash('sha256').update(use.request).digest();
    const taken = { teamId, userId, key: use.key, bodyHash, resourceId: use.id };
    const firstId = await takeIdempotencyKey(tx, taken);
    if (firstId === undefined) return undefined;
    const record = await findOwn(tx, identity, firstId);
    const key = secretFor(firstId, use.key);
    if (hashApiKey(key).equals(record.hash)) return { record, key };
    // The master key was changed in between.
    const message = `The key ${firstId} was created by an earlier request and cannot be shown again. Revoke it and create another.`;
    throw new ServiceError('CONFLICT', message);
  }

  function checkRotatable({ revokedAt, expired, replacedBy }: ApiKeyRecord): void {
    const state = revokedAt ? 'was revoked' : expired ? 'has expired' : undefined;
    const why = state ?? (replacedBy === null ? undefined : 'was already rotated');
    if (why === undefined) return;
    throw new ServiceError('CONFLICT', `This API key ${why}. Create a new one.`);
  }

  return {
    async list(identity) {
      const keys = await listApiKeys(db, identity.userId);
      const bound = boundTeam(identity);
      return keys.filter(({ teamId }) => bound === null || teamId === bound).map(shownApiKey);
    },

    async create(identity, request, idempotencyKey) {
      const { userId } = identity;
      const teamId = request.teamId ?? boundTeam(identity);
      if (teamId !== null) await deps.access.mayReadTeam(identity, teamId);
      const id = newId('key');
      const use = { key: idempotencyKey, request: `POST api-keys ${JSON.stringify(request)}`, id };
      return db.tx(async (tx) => {
        const count = await lockKeyCount(tx, userId);
        const before = await replayOf(tx, identity, use);
        if (before)
          return { key: { ...shownApiKey(before.record), key: before.key }, replayed: true };
        if (count >= MAX_KEYS) {
          const message = `You have reached the limit of ${MAX_KEYS} API keys. Revoke one first.`;
          throw new ServiceError('CONFLICT', message);
        }
        const key = secretFor(id, idempotencyKey);
        const record = await insertApiKey(tx, {
          id,
          userId,
          teamId,
          name: request.name,
          hash: hashApiKey(key),
          hint: apiKeyHint(key),
          scopes: request.scopes ?? DEFAULT_SCOPES,
          expiresInDays: request.expiresInDays ?? undefined,
        });
        const { name, scopes } = record;
        const expiresAt = record.expiresAt?.toISOString() ?? null;
        const after = { name, scopes, expiresAt };
        await audit(tx, identity, teamId, { action: 'api_key.created', target: id, after });
        return { key: { ...shownApiKey(record), key }, replayed: false };
      });
    },

    async rotate(identity, oldId, request, idempotencyKey) {
      const id = newId('key');
      const text = `rotate ${oldId} ${JSON.stringify(request)}`;
      const rotated = await db.tx(async (tx) => {
        await lockKeyCount(tx, identity.userId);
        const old = await findOwn(tx, identity, oldId);
        const use = { key: idempotencyKey, request: text, id };
        const before = await replayOf(tx, identity, use);
        if (before) {
          const previous = { id: oldId, expiresAt: old.expiresAt!.toISOString() };
          const key = { ...shownApiKey(before.record), key: before.key, previous };
          return { key, replayed: true };
        }
        checkRotatable(old);
        const key = secretFor(id, idempotencyKey);
        const next = { id, hash: hashApiKey(key), hint: apiKeyHint(key) };
        const made = await replaceApiKey(tx, oldId, next, request.gracePeriodHours);
        const previous = { id: oldId, expiresAt: made.oldExpiresAt.toISOString() };
        await audit(tx, identity, old.teamId, {
          action: 'api_key.rotated',
          target: oldId,
          after: { replacedBy: id, expiresAt: previous.expiresAt },
        });
        return { key: { ...shownApiKey(made.record), key, previous }, replayed: false };
      });
      signals.emit('identity', [identity.userId]);
      return rotated;
    },

    async revoke(identity, id) {
      await db.tx(async (tx) => {
        const { teamId, name, revokedAt } = await findOwn(tx, identity, id);
        if (revokedAt !== null) return;
        await revokeApiKey(tx, id);
        const before = { name };
        await audit(tx, identity, teamId, { action: 'api_key.revoked', target: id, before });
      });
      signals.emit('identity', [identity.userId]);
    },
  };
}
