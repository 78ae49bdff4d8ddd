// The API keys of an account, as its owner sees them.
import type { Queryable } from '../postgres/db.ts';
import { lockUser } from './users.ts';

export interface ApiKeyRecord {
  id: string;
  userId: string;
  /** The only team it acts in, if any. */
  teamId: string | null;
  name: string;
  hint: string;
  scopes: string[];
  createdAt: Date;
  expiresAt: Date | null;
  /** By the database's clock. */
  expired: boolean;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  /** The key it was rotated to. */
  replacedBy: string | null;
}

const COLUMNS = `id, user_id as "userId", team_id as "teamId", name, hint, scopes,
  created_at as "createdAt", expires_at as "expiresAt",
  coalesce(expires_at <= now(), false) as expired,
  revoked_at as "revokedAt", last_used_at as "lastUsedAt", replaced_by as "replacedBy"`;

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
    teamId?: string | null;
  },
): Promise<ApiKeyRecord> {
  const { rows } = await tx.query<ApiKeyRecord>(
    `insert into api_keys (id, user_id, name, key_hash, hint, scopes, expires_at, team_id)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7::float8 * 86400), $8)
     returning ${COLUMNS}`,
    [
      key.id,
      key.userId,
      key.name,
      key.hash,
      key.hint,
      key.scopes,
      key.expiresInDays ?? null,
      key.teamId ?? null,
    ],
  );
  return rows[0]!;
}

/** Holds back other changes to the keys of this user, and counts those that work. */
export async function lockKeyCount(tx: Queryable, userId: string): Promise<number> {
  await lockUser(tx, userId);
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from api_keys where user_id = $1 and revoked_at is null
       and (expires_at is null or expires_at > now())`,
    [userId],
  );
  return rows[0]!.count;
}

export async function findApiKey(
  db: Queryable,
  id: string,
): Promise<(ApiKeyRecord & { hash: Buffer }) | undefined> {
  const { rows } = await db.query<ApiKeyRecord & { hash: Buffer }>(
    `select ${COLUMNS}, key_hash as hash from api_keys where id = $1`,
    [id],
  );
  return rows[0];
}

/** The new key lives as long as the old one was meant to, and the old one until its grace is over. */
export async function replaceApiKey(
  tx: Queryable,
  oldId: string,
  next: { id: string; hash: Buffer; hint: string },
  graceHours: number,
): Promise<{ record: ApiKeyRecord; oldExpiresAt: Date }> {
  const inserted = await tx.query<ApiKeyRecord>(
    `insert into api_keys (id, user_id, team_id, name, key_hash, hint, scopes, expires_at)
     select $2, user_id, team_id, name, $3, $4, scopes, now() + (expires_at - created_at)
     from api_keys where id = $1 returning ${COLUMNS}`,
    [oldId, next.id, next.hash, next.hint],
  );
  const old = await tx.query<{ expires_at: Date }>(
    `update api_keys set replaced_by = $2,
       expires_at = least(expires_at, now() + make_interval(secs => $3::float8 * 3600))
     where id = $1 returning expires_at`,
    [oldId, next.id, graceHours],
  );
  return { record: inserted.rows[0]!, oldExpiresAt: old.rows[0]!.expires_at };
}

export async function listApiKeys(db: Queryable, userId: string): Promise<ApiKeyRecord[]> {
  const { rows } = await db.query<ApiKeyRecord>(
    `select ${COLUMNS}
     from api_keys where user_id = $1 order by id`,
    [userId],
  );
  return rows;
}

/** Those that work in a team: made for it, or for all teams of one of its members. */
export async function listTeamApiKeys(
  db: Queryable,
  teamId: string,
): Promise<(ApiKeyRecord & { email: string })[]> {
  const { rows } = await db.query<ApiKeyRecord & { email: string }>(
    `select k.*, u.email from (select ${COLUMNS} from api_keys) k
     join team_members m on m.team_id = $1 and m.user_id = k."userId"
     join users u on u.id = k."userId"
     where (k."teamId" = $1 or k."teamId" is null) and k."revokedAt" is null and not k.expired
     order by k.id`,
    [teamId],
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

/** All of a user that work; returns how many there were. */
export async function revokeApiKeys(tx: Queryable, userId: string): Promise<number> {
  const { rowCount } = await tx.query(
    `update api_keys set revoked_at = now() where user_id = $1 and revoked_at is null
       and (expires_at is null or expires_at > now())`,
    [userId],
  );
  return rowCount;
}
