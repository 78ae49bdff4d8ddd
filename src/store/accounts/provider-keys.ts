// Provider keys, sealed: those of users, and those that a team has for all its members.
import type { Db, Queryable } from '../postgres/db.ts';

/** Whose key it is. */
export interface KeyOwner {
  kind: 'personal' | 'team';
  /** Of the user, or of the team. */
  id: string;
}

export interface ProviderKeyRow {
  owner: KeyOwner;
  provider: string;
  sealed: string;
  masked: string;
  valid: boolean;
  createdAt: Date;
}

type Row = Omit<ProviderKeyRow, 'owner'> & { ownerKind: KeyOwner['kind']; ownerId: string };

const TABLES = {
  personal: { table: 'provider_keys', column: 'user_id' },
  team: { table: 'team_provider_keys', column: 'team_id' },
} as const;

const COLUMNS = 'provider, sealed, masked, valid, created_at as "createdAt"';

/** With a condition for each table; `$1` is the user, `$2` the team. The personal ones first. */
const select = (more: string) => `select * from (
    select 'personal' as "ownerKind", user_id as "ownerId", ${COLUMNS}
    from provider_keys where user_id = $1 ${more}
    union all
    select 'team', team_id, ${COLUMNS} from team_provider_keys where team_id = $2 ${more}
  ) k order by "ownerKind", provider`;

function toRow({ ownerKind, ownerId, ...row }: Row): ProviderKeyRow {
  return { ...row, owner: { kind: ownerKind, id: ownerId } };
}

/** Those that jobs of this user in this team may use. */
export async function listProviderKeys(
  db: Queryable,
  { userId, teamId }: { userId: string; teamId: string },
): Promise<ProviderKeyRow[]> {
  const { rows } = await db.query<Row>(select(''), [userId, teamId]);
  return rows.map(toRow);
}

const FIND_USABLE = {
  name: 'find_usable_provider_key',
  text: `${select('and provider = $3')} limit 1`,
};

/** The key that a job uses: the user's own, or else the team's. */
export async function findUsableKey(
  db: Db,
  { userId, teamId }: { userId: string; teamId: string },
  provider: string,
): Promise<ProviderKeyRow | undefined> {
  const { rows } = await db.read<Row>(FIND_USABLE, [userId, teamId, provider]);
  return rows[0] && toRow(rows[0]);
}

export async function findProviderKey(
  db: Queryable,
  owner: KeyOwner,
  provider: string,
): Promise<ProviderKeyRow | undefined> {
  const { table, column } = TABLES[owner.kind];
  const { rows } = await db.query<Omit<ProviderKeyRow, 'owner'>>(
    `select ${COLUMNS} from ${table} where ${column} = $1 and provider = $2`,
    [owner.id, provider],
  );
  return rows[0] && { ...rows[0], owner };
}

export interface NewProviderKey {
  owner: KeyOwner;
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
  const { table, column } = TABLES[key.owner.kind];
  const { rows } = await db.query<{ createdAt: Date; replaced: boolean }>(
    `insert into ${table}
       (user_id, provider, sealed, master_key_id, masked, valid, team_id, api_key_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (${column}, provider) do update set sealed = excluded.sealed,
       master_key_id = excluded.master_key_id, masked = excluded.masked, valid = excluded.valid,
       user_id = excluded.user_id, team_id = excluded.team_id, api_key_id = excluded.api_key_id,
       created_at = now()
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

/** Undefined when there was none. */
export async function deleteProviderKey(
  db: Queryable,
  owner: KeyOwner,
  provider: string,
): Promise<{ masked: string } | undefined> {
  const { table, column } = TABLES[owner.kind];
  const { rows } = await db.query<{ masked: string }>(
    `delete from ${table} where ${column} = $1 and provider = $2 returning masked`,
    [owner.id, provider],
  );
  return rows[0];
}

/** Only for the very key that was looked at: it may have been replaced since. */
export async function updateKeyValidity(
  db: Queryable,
  key: { owner: KeyOwner; provider: string; sealed: string },
  valid: boolean,
): Promise<void> {
  const { table, column } = TABLES[key.owner.kind];
  await db.query(
    `update ${table} set valid = $4
     where ${column} = $1 and provider = $2 and sealed = $3 and valid <> $4`,
    [key.owner.id, key.provider, key.sealed, valid],
  );
}
