// Users, their personal teams and API keys.
import type { Role } from '../../contract/permissions.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { slugOf } from '../../domain/accounts/slug.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { findUserByEmail } from './users.ts';

/** A key or a session with its owner and team, also when it or the account is no longer good. */
export interface CredentialOwner {
  identity: Identity;
  /** The account; whatever team it acts in. */
  suspended: boolean;
  /** The team of the identity. */
  teamSuspended: boolean;
  revoked: boolean;
  /** By the database's clock when it was read. */
  expired: boolean;
  /** Milliseconds from then on; null when there is no end. */
  expiresInMs: number | null;
}

/** The owner of a credential, whichever kind it is. */
export interface OwnerRow {
  user_id: string;
  team_id: string;
  role: Role;
  tier: Tier;
  requests_per_minute: number | null;
  suspended: boolean;
  team_suspended: boolean;
  expires_in_ms: number | null;
}

interface KeyOwnerRow extends OwnerRow {
  api_key_id: string;
  own_team_only: boolean;
  scopes: string[];
  revoked: boolean;
}

export function toOwner(
  row: OwnerRow,
  credential: Identity['credential'],
  revoked: boolean,
): CredentialOwner {
  return {
    identity: {
      userId: row.user_id,
      teamId: row.team_id,
      role: row.role,
      tier: row.tier,
      requestsPerMinute: row.requests_per_minute,
      credential,
    },
    suspended: row.suspended,
    teamSuspended: row.team_suspended,
    revoked,
    expired: row.expires_in_ms !== null && row.expires_in_ms <= 0,
    expiresInMs: row.expires_in_ms,
  };
}

// A user who has left the team that a key was made for is nobody there: the key finds no owner.
export const FIND_KEY_OWNER = {
  name: 'find_key_owner',
  text: `select u.id as user_id, t.id as team_id, m.role, k.id as api_key_id,
           k.team_id is not null as own_team_only, t.tier, u.requests_per_minute, k.scopes,
           u.suspended_at is not null as suspended,
           t.suspended_at is not null as team_suspended, k.revoked_at is not null as revoked,
           (extract(epoch from k.expires_at - now()) * 1000)::float8 as expires_in_ms
         from api_keys k
         join users u on u.id = k.user_id
         join teams t on t.id = coalesce(k.team_id,
           (select p.id from teams p where p.personal_user_id = u.id))
         join team_members m on m.team_id = t.id and m.user_id = u.id
         where k.key_hash = $1`,
};

export async function findKeyOwner(db: Db, keyHash: Buffer): Promise<CredentialOwner | undefined> {
  const { rows } = await db.read<KeyOwnerRow>(FIND_KEY_OWNER, [keyHash]);
  const row = rows[0];
  if (row === undefined) return undefined;
  const credential = {
    kind: 'key' as const,
    id: row.api_key_id,
    scopes: row.scopes,
    ownTeamOnly: row.own_team_only,
  };
  return toOwner(row, credential, row.revoked);
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
  const user = await findUserByEmail(db, email);
  const { rows } = await db.query<Account>(
    `select u.id, u.email, t.tier from users u join teams t on t.personal_user_id = u.id
     where u.id = $1`,
    [user?.id ?? null],
  );
  return rows[0];
}

/** With the end of the id: people of the same name are common. */
function personalSlug({ email, teamId }: { email: string; teamId: string }): string {
  return `${slugOf(email.split('@', 1)[0]!)}-${teamId.slice(-6)}`;
}

/**
 * Adds a user with the team that every user has. A user of that e-mail stays as it is, and the answer is
 * false.
 */
export async function insertAccount(
  tx: Queryable,
  account: {
    userId: string;
    teamId: string;
    email: string;
    tier: Tier;
    /** Whether it is certain that the mailbox is the person's own. */
    emailVerified: boolean;
  },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into users (id, email, email_verified_at)
     values ($1, $2, case when $3 then now() end) on conflict do nothing`,
    [account.userId, account.email, account.emailVerified],
  );
  if (rowCount === 0) return false;
  await tx.query(
    'insert into teams (id, name, personal_user_id, tier, slug) values ($1, $2, $3, $4, $5)',
    [account.teamId, account.email, account.userId, account.tier, personalSlug(account)],
  );
  await tx.query(`insert into team_members (team_id, user_id, role) values ($1, $2, 'owner')`, [
    account.teamId,
    account.userId,
  ]);
  await tx.query('insert into team_queue (team_id) values ($1)', [account.teamId]);
  return true;
}

/** `role` is null for a user who is not a member. */
export async function findTeamRole(
  db: Queryable,
  teamId: string,
  userId: string,
): Promise<{ exists: boolean; suspended: boolean; role: Role | null }> {
  const { rows } = await db.query<{ role: Role | null; suspended: boolean }>(
    `select m.role, t.suspended_at is not null as suspended from teams t left join team_members m on m.team_id = t.id and m.user_id = $2
     where t.id = $1 and t.deleted_at is null`,
    [teamId, userId],
  );
  const [row] = rows;
  return {
    exists: row !== undefined,
    suspended: row?.suspended === true,
    role: row?.role ?? null,
  };
}

/** Holds back others that lock the same team until the transaction ends. */
export async function lockTeam(tx: Queryable, teamId: string): Promise<void> {
  await tx.query('select 1 from teams where id = $1 for no key update', [teamId]);
}

export interface Membership {
  role: Role;
  tier: Tier;
  /** Whether the team is suspended. */
  suspended: boolean;
}

const FIND_MEMBERSHIP = {
  name: 'find_membership',
  text: `select m.role, t.tier, t.suspended_at is not null as suspended from team_members m join teams t on t.id = m.team_id
         where m.team_id = $1 and m.user_id = $2 and t.deleted_at is null`,
};

/** The role of a user in a team; undefined for users who are not members. */
export async function findMembership(
  db: Db,
  teamId: string,
  userId: string,
): Promise<Membership | undefined> {
  const { rows } = await db.read<Membership>(FIND_MEMBERSHIP, [teamId, userId]);
  return rows[0];
}
