// Users' provider keys, sealed.
import type { Db, Queryable } from '../postgres/db.ts';

export interface ProviderKeyRow {
  provider: string;
  sealed: string;
  masked: string;
  valid: boolean;
  createdAt: Date;
}

const COLUMNS = 'provider, sealed, masked, valid, created_at as "createdAt"';

export async function listProviderKeys(db: Queryable, userId: string): Promise<ProviderKeyRow[]> {
  const { rows } = await db.query<ProviderKeyRow>(
    `select ${COLUMNS} from provider_keys where user_id = $1 order by provider`,
    [userId],
  );
  return rows;
}

const FIND_KEY = {
  name: 'find_provider_key',
  text: `select ${COLUMNS} from provider_keys where user_id = $1 and provider = $2`,
};

export async function findProviderKey(
  db: Db,
  userId: string,
  provider: string,
): Promise<ProviderKeyRow | undefined> {
  const { rows } = await db.read<ProviderKeyRow>(FIND_KEY, [userId, provider]);
  return rows[0];
}

export interface NewProviderKey {
  userId: string;
  teamId: string;
  apiKeyId: string | null;
  provider: string;
  sealed: string;
  masterKeyId: string;
  masked: string;
  valid: boolean;
}

export async function upsertProviderKey(
  db: Queryable,
  key: NewProviderKey,
): Promise<{ createdAt: Date; replaced: boolean }> {
  const { rows } = await db.query<{ createdAt: Date; replaced: boolean }>(
    `insert into provider_keys
       (user_id, provider, sealed, master_key_id, masked, valid, team_id, api_key_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (user_id, provider) do update set sealed = excluded.sealed,
       master_key_id = excluded.master_key_id, masked = excluded.masked, valid = excluded.valid,
       team_id = excluded.team_id, api_key_id = excluded.api_key_id, created_at = now()
     returning created_at as "createdAt", xmax <> 0 as replaced`,
    [
      key.userId,
      key.provider,
      key.sealed,
      key.masterKeyId,
      key.masked,
      key.valid,
      key.teamId,
      key.apiKeyId,
    ],
  );
  return rows[0]!;
}

export async function deleteProviderKey(
  db: Queryable,
  userId: string,
  provider: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from provider_keys where user_id = $1 and provider = $2',
    [userId, provider],
  );
  return rowCount > 0;
}

/** Only for the very key that was looked at: it may have been replaced since. */
export async function updateKeyValidity(
  db: Queryable,
  key: { userId: string; provider: string; sealed: string },
  valid: boolean,
): Promise<void> {
  await db.query(
    `update provider_keys set valid = $4
     where user_id = $1 and provider = $2 and sealed = $3 and valid <> $4`,
    [key.userId, key.provider, key.sealed, valid],
  );
}
