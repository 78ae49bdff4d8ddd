// Provider keys, of a user or of a team: stored sealed, shown masked, tested before they are kept.
import { createHash } from 'node:crypto';
import { ServiceError, invalid } from '../../contract/errors.ts';
import type { ProviderKey, StoreKeyRequest } from '../../contract/keys-api.ts';
import type { KeyCheck } from '../../domain/access/key-check.ts';
import { maskKey } from '../../domain/access/key-mask.ts';
import { PUBLIC_PROVIDERS, resolveProvider } from '../../domain/model/model-routing.ts';
import type { PublicProvider } from '../../domain/model/model-routing.ts';
import { ifItOpens, masterKeyIdOf, open, seal } from '../../platform/envelope.ts';
import type { MasterKeys } from '../../platform/envelope.ts';
import type { Scrubber } from '../../platform/log.ts';
import { lockTeam } from '../../store/accounts/accounts.ts';
import { auditActorOf } from '../../domain/access/actor.ts';
import type { Actor } from '../../domain/access/actor.ts';
import { apiKeyIdOf } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db } from '../../store/postgres/db.ts';
import { findReply, takeIdempotencyKey } from '../../store/accounts/idempotency.ts';
import {
  deleteProviderKey,
  findProviderKey,
  listProviderKeys,
  updateKeyValidity,
  upsertProviderKey,
} from '../../store/accounts/provider-keys.ts';
import type { KeyOwner } from '../../store/accounts/provider-keys.ts';
import { findPersonalUser } from '../../store/accounts/members.ts';
import { checkRole } from '../access.ts';
import { providerKeyBinding } from '../../store/accounts/sealed-secrets.ts';

/** Also what is kept for a repeated request: the key in it is masked. */
interface StoredReply {
  key: ProviderKey & { valid: boolean };
  replaced: boolean;
}

export interface ProviderKeyService {
  list(identity: Identity): Promise<ProviderKey[]>;
  store(
    actor: Actor,
    request: StoreKeyRequest,
    idempotencyKey: string | undefined,
  ): Promise<StoredReply & { replayed: boolean }>;
  /** Asks the vendor about the stored key again. */
  test(
    identity: Identity,
    provider: string,
    owner: KeyOwner['kind'],
  ): Promise<{ provider: string; valid: boolean; reason?: string }>;
  remove(
    actor: Actor,
    provider: string,
    owner: KeyOwner['kind'],
  ): Promise<{ deleted: boolean; provider: string }>;
}

const TERMS =
  'Set tosAccepted to true: the key will be stored encrypted and used to call the provider in your name, at your cost.';

const CANNOT_OPEN = 'cannot be decrypted; store it again';

function knownProvider(name: string): PublicProvider {
  const provider = resolveProvider(name);
  const found = PUBLIC_PROVIDERS.find((known) => known === provider);
  if (found) return found;
  const message = `Unknown provider "${name.slice(0, 50)}". Providers are ${PUBLIC_PROVIDERS.join(', ')}.`;
  throw invalid('provider', 'UNKNOWN_PROVIDER', message);
}

function replay(reply: string): StoredReply & { replayed: true } {
  return { ...(JSON.parse(reply) as StoredReply), replayed: true };
}

/** The raw key is in it as a hash only. */
function hashOf({ provider, key, tosAccepted, owner }: StoreKeyRequest): Buffer {
  const body = JSON.stringify([provider, key, tosAccepted, ...(owner === 'team' ? [owner] : [])]);
  return createHash('sha256').update('POST /api/v1/keys\n').update(body).digest();
}

export function createProviderKeyService(deps: {
  db: Db;
  masterKeys: MasterKeys;
  scrubber: Scrubber;
  checkKey(provider: PublicProvider, key: string): Promise<KeyCheck>;
}): ProviderKeyService {
  /** The raw key is hidden from every log line for as long as this process knows it. */
  async function check(provider: PublicProvider, key: string): Promise<KeyCheck> {
    deps.scrubber.add(key);
    try {
      return await deps.checkKey(provider, key);
    } finally {
      deps.scrubber.remove(key);
    }
  }

  /** Keys of a team are for those who manage it; a personal team has the user's own. */
  async function ownerFor(identity: Identity, kind: KeyOwner['kind']): Promise<KeyOwner> {
    if (kind === 'personal') return { kind, id: identity.userId };
    if ((await findPersonalUser(deps.db, identity.teamId)) !== null) {
      const message =
        'In a personal team, keys are your own: leave out owner, or name a team in X-Team-Id.';
      throw invalid('owner', 'PERSONAL_TEAM', message);
    }
    checkRole(identity.role, 'manage');
    return { kind, id: identity.teamId };
  }

  /** What a team does with its keys is in its log, what people do with theirs in their own. */
  const auditOf = (actor: Actor, owner: KeyOwner, provider: string) => ({
    actor: auditActorOf(actor),
    teamId: owner.kind === 'team' ? owner.id : null,
    accountId: actor.userId,
    target: provider,
  });

  return {
    async list(identity) {
      const rows = await listProviderKeys(deps.db, identity);
      return rows.map((row) => ({
        provider: row.provider,
        maskedKey: row.masked,
        createdAt: row.createdAt.toISOString(),
        ...(row.owner.kind === 'team' ? { owner: 'team' as const } : {}),
      }));
    },

    async store(identity, request, idempotencyKey) {
      const { key, tosAccepted } = request;
      const { userId, teamId } = identity;
      const provider = knownProvider(request.provider);
      if (tosAccepted !== true) throw invalid('tosAccepted', 'TOS_NOT_ACCEPTED', TERMS);
      const owner = await ownerFor(identity, request.owner);
      const use =
        idempotencyKey === undefined
          ? undefined
          : {
              teamId,
              userId,
              key: idempotencyKey,
              bodyHash: hashOf(request),
              resourceId: provider,
            };
      const earlier = use && (await findReply(deps.db, use));
      if (earlier !== undefined) return replay(earlier);
      const answer = await check(provider, key);
      if (answer.kind === 'rejected') {
        const message = `${provider} rejected this key, so it was not stored.`;
        throw invalid('key', 'PROVIDER_REJECTED_KEY', message);
      }
      const sealed = seal(deps.masterKeys, key, providerKeyBinding(owner.id, provider));
      const valid = answer.kind === 'valid';
      const maskedKey = maskKey(key);
      const apiKeyId = apiKeyIdOf(identity);
      const row = {
        owner,
        userId,
        teamId,
        apiKeyId,
        provider,
        sealed,
        masterKeyId: masterKeyIdOf(sealed),
      };
      const outcome = await deps.db.tx(async (tx) => {
        // A request with the same key waits for the outcome of the other.
        if (use) await lockTeam(tx, teamId);
        const first = use && (await findReply(tx, use));
        if (first !== undefined) return { kind: 'replay' as const, reply: first };
        const stored = await upsertProviderKey(tx, { ...row, masked: maskedKey, valid });
        const createdAt = stored.createdAt.toISOString();
        const shown = {
          provider,
          maskedKey,
          valid,
          createdAt,
          ...(owner.kind === 'team' ? { owner: owner.kind } : {}),
        };
        const about = auditOf(identity, owner, provider);
        const after = { maskedKey, replaced: stored.replaced };
        await writeAudit(tx, { action: 'provider_key.stored', ...about, after });
        const reply: StoredReply = { key: shown, replaced: stored.replaced };
        if (use) await takeIdempotencyKey(tx, { ...use, reply: JSON.stringify(reply) });
        return { kind: 'stored' as const, reply };
      });
      return outcome.kind === 'replay'
        ? replay(outcome.reply)
        : { ...outcome.reply, replayed: false };
    },

    async test(identity, name, kind) {
      const provider = knownProvider(name);
      const owner = await ownerFor(identity, kind);
      const row = await findProviderKey(deps.db, owner, provider);
      if (row === undefined) {
        throw new ServiceError('NOT_FOUND', `There is no stored key for ${provider}.`);
      }
      const raw = ifItOpens(() =>
        open(deps.masterKeys, row.sealed, providerKeyBinding(owner.id, provider)),
      );
      if (raw === undefined) return { provider, valid: false, reason: CANNOT_OPEN };
      const answer = await check(provider, raw);
      if (answer.kind === 'unknown') return { provider, valid: row.valid, reason: answer.why };
      const valid = answer.kind === 'valid';
      const key = { owner, provider, sealed: row.sealed };
      await updateKeyValidity(deps.db, key, valid);
      return { provider, valid, ...(valid ? {} : { reason: 'rejected by the provider' }) };
    },

    async remove(identity, name, kind) {
      const provider = knownProvider(name);
      const owner = await ownerFor(identity, kind);
      return deps.db.tx(async (tx) => {
        const deleted = await deleteProviderKey(tx, owner, provider);
        if (deleted !== undefined) {
          const about = auditOf(identity, owner, provider);
          const before = { maskedKey: deleted.masked };
          await writeAudit(tx, { action: 'provider_key.deleted', ...about, before });
        }
        return { deleted: deleted !== undefined, provider };
      });
    },
  };
}
