// Teams as their members see and change them.
import type { Role } from '../../contract/permissions.ts';
import type { TeamSettings } from '../../contract/teams-api.ts';
import type { Tier } from '../../domain/job/tiers.ts';
import type { Db, Queryable } from '../postgres/db.ts';
import { endRunnersOf } from '../runners/leave.ts';

export interface TeamRow {
  id: string;
  name: string;
  slug: string;
  tier: Tier;
  role: Role;
  memberCount: number;
  personal: boolean;
  createdAt: Date;
  settings: TeamSettings;
}

/** As one member sees them. */
const SELECT = `select t.id, t.name, t.slug, t.tier, m.role,
    (select count(*)::int from team_members o where o.team_id = t.id) as "memberCount",
    t.personal_user_id is not distinct from $1 as personal,
    t.created_at as "createdAt", t.settings
  from team_members m join teams t on t.id = m.team_id
  where m.user_id = $1 and t.deleted_at is null`;

/** The personal one first. */
export async function listTeams(db: Queryable, userId: string): Promise<TeamRow[]> {
  const { rows } = await db.query<TeamRow>(`${SELECT} order by personal desc, t.id`, [userId]);
  return rows;
}

export async function findTeam(
  db: Queryable,
  teamId: string,
  userId: string,
): Promise<TeamRow | undefined> {
  const { rows } = await db.query<TeamRow>(`${SELECT} and t.id = $2`, [userId, teamId]);
  return rows[0];
}

export async function findTeamName(db: Queryable, teamId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ name: string }>('select name from teams where id = $1', [
    teamId,
  ]);
  return rows[0]?.name;
}

export async function findTier(db: Queryable, teamId: string): Promise<Tier | undefined> {
  const { rows } = await db.query<{ tier: Tier }>('select tier from teams where id = $1', [teamId]);
  return rows[0]?.tier;
}

const FIND_SETTINGS = { name: 'team_settings', text: 'select settings from teams where id = $1' };

export async function findTeamSettings(db: Db, teamId: string): Promise<TeamSettings> {
  const { rows } = await db.read<{ settings: TeamSettings }>(FIND_SETTINGS, [teamId]);
  return rows[0]?.settings ?? {};
}

/** With its first owner. A slug that is taken gets the end of the id. */
export async function insertTeam(
  tx: Queryable,
  team: { id: string; name: string; slug: string; tier: Tier; ownerId: string },
): Promise<void> {
  const longer = `${team.slug}-${team.id.slice(-6)}`;
  await tx.query(
    `insert into teams (id, name, tier, slug, created_by) values ($1, $2, $3,
       case when exists (select 1 from teams where slug = $4) then $5 else $4 end, $6)`,
    [team.id, team.name, team.tier, team.slug, longer, team.ownerId],
  );
  await tx.query(`insert into team_members (team_id, user_id, role) values ($1, $2, 'owner')`, [
    team.id,
    team.ownerId,
  ]);
  await tx.query('insert into team_queue (team_id) values ($1)', [team.id]);
}

/** Settings that are null are as on the server. */
export async function updateTeam(
  tx: Queryable,
  teamId: string,
  change: { name: string | undefined; settings: TeamSettings | undefined },
): Promise<void> {
  await tx.query(
    `with changed as (
       update teams set name = coalesce($2, name),
         settings = jsonb_strip_nulls(settings || $3::jsonb)
       where id = $1 returning id, settings
     )
     update team_queue q set budget_usd = c.budget_usd, allowed_models = c.allowed_models,
       max_call_cost_usd = c.max_call_cost_usd
     from (select id, (settings ->> 'budgetUsd')::float8 as budget_usd,
             (settings ->> 'maxCallCostUsd')::float8 as max_call_cost_usd,
             case when settings ? 'allowedModels' then array(
               select jsonb_array_elements_text(settings -> 'allowedModels')) end as allowed_models
           from changed) c
     where q.team_id = c.id and (q.budget_usd, q.allowed_models, q.max_call_cost_usd)
       is distinct from (c.budget_usd, c.allowed_models, c.max_call_cost_usd)`,
    [teamId, change.name ?? null, JSON.stringify(change.settings ?? {})],
  );
}

/** Since the first of the month, in UTC, as quotas are counted; deleted ones, too. */
export async function countCreatedTeams(tx: Queryable, userId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from teams where created_by = $1
       and created_at >= date_trunc('month', now() at time zone 'utc') at time zone 'utc'`,
    [userId],
  );
  return rows[0]!.count;
}

/** Submits to the team wait until the transaction ends. */
export async function lockTeamQueue(tx: Queryable, teamId: string): Promise<void> {
  await tx.query('select 1 from team_queue where team_id = $1 for update', [teamId]);
}

/** The answer holds until the transaction ends: submits to the team wait. */
export async function hasOpenWork(tx: Queryable, teamId: string): Promise<boolean> {
  await lockTeamQueue(tx, teamId);
  const { rows } = await tx.query<{ any: boolean }>(
    // In parts, each of which has an index of its own.
    `select exists (select 1 from jobs where team_id = $1 and status = 'running')
       or exists (select 1 from jobs where team_id = $1 and virtual_time is not null)
       or exists (select 1 from jobs where team_id = $1 and parked) as any`,
    [teamId],
  );
  return rows[0]!.any;
}

/** Nobody is in it any more, and nothing acts in it; what was used in it stays counted. */
export async function deleteTeam(tx: Queryable, teamId: string): Promise<string[]> {
  await endRunnersOf(tx, teamId, null);
  const { rows } = await tx.query<{ user_id: string }>(
    'delete from team_members where team_id = $1 returning user_id',
    [teamId],
  );
  await tx.query('delete from account_links where team_id = $1', [teamId]);
  await tx.query('delete from team_provider_keys where team_id = $1', [teamId]);
  await tx.query(
    'update api_keys set revoked_at = coalesce(revoked_at, now()) where team_id = $1',
    [teamId],
  );
  await tx.query(
    `update webhooks set status = 'disabled', disabled_reason = 'The team was deleted.'
     where team_id = $1`,
    [teamId],
  );
  await tx.query('delete from schedules where team_id = $1', [teamId]);
  await tx.query('delete from triggers where team_id = $1', [teamId]);
  // A caller that still holds a good credential finds no queue to submit to.
  await tx.query('delete from team_queue where team_id = $1', [teamId]);
  // Another team may use its address from now on.
  await tx.query('update teams set deleted_at = now(), slug = id where id = $1', [teamId]);
  return rows.map((row) => row.user_id);
}
