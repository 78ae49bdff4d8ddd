// Accounts and their API keys, as an operator manages them.
import { normalEmail } from '../../contract/email-address.ts';
import { ServiceError, invalid } from '../../contract/errors.ts';
import { DEFAULT_SCOPES, SCOPES } from '../../contract/permissions.ts';
import { OPERATOR } from '../../domain/access/actor.ts';
import { isScope } from '../../domain/access/scopes.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import { apiKeyHint, hashApiKey, newApiKey } from '../../platform/api-key.ts';
import { newId } from '../../platform/ids.ts';
import { findAccountByEmail, insertAccount } from '../../store/accounts/accounts.ts';
import { insertApiKey, listApiKeys, revokeApiKey } from '../../store/accounts/api-keys.ts';
import type { ApiKeyRecord } from '../../store/accounts/api-keys.ts';
import { writeAudit } from '../../store/audit/audit-log.ts';
import type { Db } from '../../store/postgres/db.ts';
import type { Signals } from '../../store/postgres/signals.ts';
import { ensureLocalOwner } from './local-owner.ts';

export interface CreatedKey {
  id: string;
  /** Shown this once: only its hash is stored. */
  key: string;
  name: string;
  email: string;
  tier: Tier;
  /** Whether there was an account already; its tier stays as it is. */
  existed: boolean;
  scopes: string[];
}

export interface ApiKeyService {
  /**
   * For the local owner unless an address is given. Makes the account when there is none for it; `tier` is
   * for such a new one alone.
   */
  create(options: {
    email: string | undefined;
    name: string;
    tier: Tier | undefined;
    scopes: readonly string[] | undefined;
    expiresInDays: number | undefined;
  }): Promise<CreatedKey>;
  list(email: string | undefined): Promise<ApiKeyRecord[]>;
  revoke(keyId: string): Promise<void>;
}

function checkScopes(scopes: readonly string[]): void {
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (scopes.length > 0 && unknown.length === 0) return;
  const message = `Unknown scope "${unknown.join(', ')}". Scopes are ${SCOPES.join(', ')}.`;
  throw invalid('scopes', 'UNKNOWN_SCOPE', message);
}

export function createApiKeyService(deps: {
  db: Db;
  signals: Signals;
  defaultTier: Tier;
}): ApiKeyService {
  async function ownerEmail(): Promise<string> {
    const { email } = await deps.db.tx((tx) => ensureLocalOwner(tx, deps.defaultTier));
    return email;
  }

  async function accountOf(named: string | undefined) {
    const email = named ?? (await ownerEmail());
    const account = await findAccountByEmail(deps.db, email);
    if (account) return account;
    throw new ServiceError('NOT_FOUND', `There is no account for ${email}.`);
  }

  return {
    async create({ email: named, name, tier, scopes = DEFAULT_SCOPES, expiresInDays }) {
      const typed = named ?? (await ownerEmail());
      const known = await findAccountByEmail(deps.db, typed);
      const email = known?.email ?? normalEmail(typed);
      if (email === undefined) {
        throw invalid('email', 'INVALID_EMAIL', `"${typed}" is not an email address.`);
      }
      checkScopes(scopes);
      const key = newApiKey();
      const id = newId('key');
      const account = await deps.db.tx(async (tx) => {
        const isNew = await insertAccount(tx, {
          userId: newId('user'),
          teamId: newId('team'),
          email,
          tier: tier ?? deps.defaultTier,
          emailVerified: true,
        });
        const found = (await findAccountByEmail(tx, email))!;
        const audit = { actor: OPERATOR, teamId: null, accountId: found.id };
        if (isNew) {
          const created = {
            action: 'account.created',
            target: found.id,
            after: { email },
          } as const;
          await writeAudit(tx, { ...audit, ...created });
        }
        await writeAudit(tx, {
          ...audit,
          action: 'api_key.created',
          target: id,
          after: { name, scopes },
        });
        await insertApiKey(tx, {
          id,
          userId: found.id,
          name,
          hash: hashApiKey(key),
          hint: apiKeyHint(key),
          scopes,
          expiresInDays,
        });
        return { ...found, existed: !isNew };
      });
      const { email: address, tier: inForce, existed } = account;
      return { id, key, name, email: address, tier: inForce, existed, scopes: [...scopes] };
    },
    async list(email) {
      return listApiKeys(deps.db, (await accountOf(email)).id);
    },
    async revoke(keyId) {
      const userId = await deps.db.tx(async (tx) => {
        const owner = await revokeApiKey(tx, keyId);
        if (owner === undefined) {
          throw new ServiceError('NOT_FOUND', `There is no API key with the id ${keyId}.`);
        }
        const about = { teamId: null, accountId: owner, target: keyId };
        await writeAudit(tx, { action: 'api_key.revoked', actor: OPERATOR, ...about });
        return owner;
      });
      deps.signals.emit('identity', [userId]);
    },
  };
}
