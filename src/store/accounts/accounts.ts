// Users, their personal teams and API keys.
import type { Tier } from '../../domain/job/tiers.ts';
import type { Db, Queryable } from '../postgres/db.ts';

export interface Identity {
  userId: string;
  teamId: string;
  apiKeyId: string;
  tier: Tier;
  requestsPerMinute: number | null;
  scopes: string[];
  suspended: boolean;
  revoked: boolean;
  /** By the database's clock when it was read. */
  expired: boolean;
  /** Milliseconds from then on; null when the key has no end. */
  expiresInMs: number | null;
}

interface IdentityRow {
  user_id: string;
  team_id: string;
  api_key_id: string;
  tier: Tier;
  requests_per_minute: number | null;
  scopes: string[];
  suspended: boolean;
  revoked: boolean;
  expires_in_ms: number | null;
}

/** The caller behind a key, also when the key or the account is no longer good. */
export async function findIdentity(db: Db, keyHash: Buffer): Promise<Identity | undefined> {
  const { rows } = await db.read<IdentityRow>(
    {
      name: 'find_identity',
      text: `select u.id as user_id, t.id as team_id, k.id as api_key_id, u.tier,
               u.requests_per_minute, k.scopes, u.suspended_at is not null as suspended,
               k.revoked_at is not null as revoked,
               (extract(epoch from k.expires_at - now()) * 1000)::float8 as expires_in_ms
             from api_keys k
             join users u on u.id = k.user_id
             join teams t on t.personal_user_id = u.id
             where k.key_hash = $1`,
    },
    [keyHash],
  );
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    userId: row.user_id,
    teamId: row.team_id,
    apiKeyId: row.api_key_id,
    tier: row.tier,
    requestsPerMinute: row.requests_per_minute,
    scopes: row.scopes,
    suspended: row.suspended,
    revoked: row.revoked,
    expired: row.expires_in_ms !== null && row.expires_in_ms <= 0,
    expiresInMs: row.expires_in_ms,
  };
}

/** Remembers that keys were used; callers see to it that this is written rarely. */
export async function updateKeysLastUsed(
  db: Queryable,
  apiKeyIds: readonly string[],
): Promise<void> {
  await db.query('update api_keys set last_used_at = now() where id = any($1)', [apiKeyIds]);
}

export interface Account {
  id: string;
  email: string;
  tier: Tier;
}

export async function findAccountByEmail(
  db: Queryable,
  email: string,
): Promise<Account | undefined> {
  const { rows } = await db.query<Account>(
    'select id, email, tier from users where lower(email) = lower($1)',
    [email],
  );
  return rows[0];
}

/** Adds a user with the team that every user has; a user of that e-mail stays as it is. */
export async function insertAccount(
  tx: Queryable,
  account: { userId: string; teamId: string; email: string; tier: Tier },
): Promise<void> {
  const { rowCount } = await tx.query(
    'insert into users (id, email, tier) values ($1, $2, $3) on conflict do nothing',
    [account.userId, account.email, account.tier],
  );
  if (rowCount === 0) return;
  await tx.query('insert into teams (id, name, personal_user_id) values ($1, $2, $3)', [
    account.teamId,
    account.email,
    account.userId,
  ]);
  await tx.query(`insert into team_members (team_id, user_id, role) values ($1, $2, 'owner')`, [
    account.teamId,
    account.userId,
  ]);
  await tx.query('insert into user_queue (user_id) values ($1)', [account.userId]);
}

export async function updateTier(db: Queryable, userId: string, tier: Tier): Promise<void> {
  await db.query('update users set tier = $2 where id = $1', [userId, tier]);
}

export async function findTeamMembership(
  db: Queryable,
  teamId: string,
  userId: string,
): Promise<{ exists: boolean; member: boolean }> {
  const { rows } = await db.query<{ member: boolean }>(
    `select exists (select 1 from team_members where team_id = t.id and user_id = $2) as member
     from teams t where t.id = $1`,
    [teamId, userId],
  );
  return { exists: rows.length > 0, member: rows[0]?.member ?? false };
}

/** Holds back others that lock the same user until the transaction ends. */
export async function lockUser(tx: Queryable, userId: string): Promise<void> {
  await tx.query('select 1 from users where id = $1 for no key update', [userId]);
}
