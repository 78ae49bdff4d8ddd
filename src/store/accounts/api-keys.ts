// The API keys of an account, as its owner sees them.
import type { Queryable } from '../postgres/db.ts';

export interface ApiKeyRecord {
  id: string;
  name: string;
  hint: string;
  scopes: string[];
  createdAt: Date;
  expiresAt: Date | null;
  /** By the database's clock. */
  expired: boolean;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

export async function insertApiKey(
  tx: Queryable,
  key: {
    id: string;
    userId: string;
    name: string;
    hash: Buffer;
    hint: string;
    scopes: readonly string[];
    expiresInDays: number | undefined;
  },
): Promise<void> {
  await tx.query(
    `insert into api_keys (id, user_id, name, key_hash, hint, scopes, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7::float8 * 86400))`,
    [key.id, key.userId, key.name, key.hash, key.hint, key.scopes, key.expiresInDays ?? null],
  );
}

export async function listApiKeys(db: Queryable, userId: string): Promise<ApiKeyRecord[]> {
  const { rows } = await db.query<ApiKeyRecord>(
    `select id, name, hint, scopes, created_at as "createdAt", expires_at as "expiresAt",
       coalesce(expires_at <= now(), false) as expired,
       revoked_at as "revokedAt", last_used_at as "lastUsedAt"
     from api_keys where user_id = $1 order by id`,
    [userId],
  );
  return rows;
}

/** Returns the owner when the key was there to revoke (revoking twice is fine). */
export async function revokeApiKey(db: Queryable, keyId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ user_id: string }>(
    'update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1 returning user_id',
    [keyId],
  );
  return rows[0]?.user_id;
}
