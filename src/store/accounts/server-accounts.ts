// Accounts and teams as those see them who manage the server.
import type { Tier } from '../../domain/job/tiers.ts';
import type { Queryable } from '../postgres/db.ts';
import { THIS_MONTH } from '../usage/usage-months.ts';

interface Suspension {
  suspendedAt: Date | null;
  suspendedReason: string | null;
}

export interface ServerUserRow extends Suspension {
  id: string;
  email: string;
  name: string | null;
  isAdmin: boolean;
  tier: Tier;
  personalTeamId: string;
  teamCount: number;
  createdAt: Date;
  lastUsedAt: Date | null;
  runs: number;
  costUsd: number;
}

export interface ServerTeamRow extends Suspension {
  id: string;
  name: string;
  slug: string;
  tier: Tier;
  personal: boolean;
  memberCount: number;
  ownerEmail: string | null;
  createdAt: Date;
  runs: number;
  costUsd: number;
}

/** Newest first; `id` names one. */
export interface ServerListQuery {
  search?: string | undefined;
  id?: string | undefined;
  before?: string | undefined;
  limit: number;
}

// What belongs to each is looked up for the page alone.
const USERS = `with page as materialized (
    select u.*, t.id as team_id, t.tier
    from users u join teams t on t.personal_user_id = u.id
    where u.deleted_at is null and ($1::text is null or u.id = $1)
      and ($2::text is null or u.id < $2)
      and ($3::text is null or u.email ilike $3 or u.name ilike $3 or u.id = $4)
    order by u.id desc limit $5
  )
  select p.id, p.email, p.name, p.is_admin as "isAdmin", p.suspended_at as "suspendedAt",
    p.suspended_reason as "suspendedReason", p.tier, p.team_id as "personalTeamId",
    (select count(*)::int from team_members m where m.user_id = p.id) as "teamCount",
    p.created_at as "createdAt",
    greatest((select max(k.last_used_at) from api_keys k where k.user_id = p.id),
      (select max(s.last_used_at) from sessions s where s.user_id = p.id)) as "lastUsedAt",
    coalesce(m.runs_counted, 0)::int as runs, coalesce(m.cost_usd, 0)::float8 as "costUsd"
  from page p left join usage_months m on m.team_id = p.team_id and m.month = ${THIS_MONTH}
  order by p.id desc`;

const TEAMS = `with page as materialized (
    select t.* from teams t
    where t.deleted_at is null and ($1::text is null or t.id = $1)
      and ($2::text is null or t.id < $2)
      and ($3::text is null or t.name ilike $3 or t.slug ilike $3 or t.id = $4)
    order by t.id desc limit $5
  )
  select p.id, p.name, p.slug, p.tier, p.personal_user_id is not null as personal,
    p.suspended_at as "suspendedAt", p.suspended_reason as "suspendedReason",
    (select count(*)::int from team_members m where m.team_id = p.id) as "memberCount",
    (select u.email from team_members m join users u on u.id = m.user_id
     where m.team_id = p.id and m.role = 'owner'
     order by m.joined_at, m.user_id limit 1) as "ownerEmail",
    p.created_at as "createdAt",
    coalesce(m.runs_counted, 0)::int as runs, coalesce(m.cost_usd, 0)::float8 as "costUsd"
  from page p left join usage_months m on m.team_id = p.id and m.month = ${THIS_MONTH}
  order by p.id desc`;

function valuesOf({ search, id, before, limit }: ServerListQuery): unknown[] {
  const pattern = search === undefined ? null : `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return [id ?? null, before ?? null, pattern, search ?? null, limit];
}

export async function listServerUsers(
  db: Queryable,
  query: ServerListQuery,
): Promise<ServerUserRow[]> {
  return (await db.query<ServerUserRow>(USERS, valuesOf(query))).rows;
}

export async function listServerTeams(
  db: Queryable,
  query: ServerListQuery,
): Promise<ServerTeamRow[]> {
  return (await db.query<ServerTeamRow>(TEAMS, valuesOf(query))).rows;
}

/**
 * How many manage the server and can sign in, without this one. Holds back others who would take that right
 * away until the transaction ends, so that two administrators cannot end each other.
 */
export async function lockOtherAdmins(tx: Queryable, userId: string): Promise<number> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from users where is_admin and suspended_at is null order by id for no key update`,
  );
  return rows.filter(({ id }) => id !== userId).length;
}

const SUSPEND = (table: 'users' | 'teams') => `update ${table} set
    suspended_at = case when $2 then coalesce(suspended_at, now()) end,
    suspended_reason = case when $2 then $3 end
  where id = $1 and (suspended_at is not null) <> $2`;

/** False when nothing changed. */
export async function updateSuspension(
  tx: Queryable,
  table: 'users' | 'teams',
  id: string,
  change: { suspended: boolean; reason: string | undefined },
): Promise<boolean> {
  const values = [id, change.suspended, change.reason ?? null];
  return (await tx.query(SUSPEND(table), values)).rowCount > 0;
}

/** A team by its id or slug. */
export async function findTeamIdByName(db: Queryable, name: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    'select id from teams where (id = $1 or slug = $1) and deleted_at is null',
    [name],
  );
  return rows[0]?.id;
}
