// What is known of the runs that a schedule or a trigger has started, and of its owner.
import type { Role } from '../../contract/permissions.ts';
import type { StartFacts } from '../../domain/start-rules/decide-start.ts';
import type { Queryable } from '../postgres/db.ts';

export type StarterKind = 'schedule' | 'trigger';

export interface Starter {
  kind: StarterKind;
  id: string;
  teamId: string;
  userId: string;
  activeSince: Date;
}

const THIS_MONTH = `date_trunc('month', now() at time zone 'utc') at time zone 'utc'`;

/** Of requests `q`, one row each: what their runs have spent. Simulated cost is not spent. */
const SPENT = `(
  select coalesce(sum(cost_usd), 0) from (
    select j.cost_usd from unnest(q.run_ids) r(id)
      join jobs j on j.run_id = r.id and j.team_id = q.team_id and not j.simulated
    union all
    select a.cost_usd from unnest(q.run_ids) i(id)
      join runs r on r.id = i.id and r.team_id = q.team_id
      join archived_jobs a on a.team_id = r.team_id and a.run_id = r.id and not a.simulated
        and a.id between r.archived_from and r.archived_to
    union all
    select u.cost_usd from unnest(q.run_ids) r(id)
      join recorded_usage u on u.run_id = r.id and u.team_id = q.team_id) spent)`;

const FIND = {
  name: 'start_facts',
  text: `select m.role, u.suspended_at is not null or u.deleted_at is not null as suspended,
      t.suspended_at is not null or t.deleted_at is not null as "teamSuspended",
      array(select q.id from run_requests q where q.origin_kind = $1 and q.origin_id = $2
        and q.status in ('queued', 'running') order by q.id) as open,
      (select count(*)::int from (
         select status, bool_or(status = 'completed') over (order by id desc) as over
         from (select id, status from run_requests q where q.origin_kind = $1 and q.origin_id = $2
             and q.status in ('completed', 'failed') and q.created_at >= $5
           order by id desc limit 100) latest) ended
       where status = 'failed' and not over) as "failuresInARow"
    from users u join teams t on t.id = $3
    left join team_members m on m.team_id = t.id and m.user_id = u.id
    where u.id = $4`,
};

interface FactsRow {
  role: Role | null;
  suspended: boolean;
  teamSuspended: boolean;
  open: string[];
  failuresInARow: number;
}

export async function findStartFacts(db: Queryable, starter: Starter): Promise<StartFacts> {
  const { kind, id, teamId, userId, activeSince } = starter;
  const { rows } = await db.query<FactsRow>(FIND, [kind, id, teamId, userId, activeSince]);
  const { role, suspended, ...facts } = rows[0]!;
  const spent = await findSpent(db, kind, [id]);
  return { ...facts, owner: { role, suspended }, spentUsd: spent.get(id) ?? 0 };
}

const FIND_SPENT = {
  name: 'start_spent',
  text: `select q.origin_id as id, sum(${SPENT}) as spent from run_requests q
    where q.origin_kind = $1 and q.origin_id = any($2) and q.created_at >= ${THIS_MONTH}
    group by q.origin_id`,
};

/** This month, by those that have spent anything. */
export async function findSpent(
  db: Queryable,
  kind: StarterKind,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<{ id: string; spent: number }>(FIND_SPENT, [kind, ids]);
  return new Map(rows.map(({ id, spent }) => [id, spent]));
}
