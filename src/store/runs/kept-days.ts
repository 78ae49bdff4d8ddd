// How long teams keep ended work, as statements ask for it.
import type { Tiers } from '../../domain/job/tiers.ts';

/** For `with`: every team with its days, null for those that keep everything. What a deleted team had goes at once. */
export const KEPT = `kept as (
    select t.id, case when t.deleted_at is not null then 0
      else least(v.days, (t.settings ->> 'retentionDays')::int) end as days
    from teams t left join unnest($1::text[], $2::int[]) v(tier, days) on v.tier = t.tier
  )`;

/** The parameters $1 and $2. */
export function keptValues(tiers: Tiers): unknown[] {
  const figures = Object.entries(tiers);
  return [figures.map(([tier]) => tier), figures.map(([, { retentionDays }]) => retentionDays)];
}

const UNTIL = 'now() - make_interval(days => k.days)';

/** Of a run `r` whose team is `k`. */
export const IS_EXPIRED = `(r.started_at < ${UNTIL} and coalesce(r.ended_at, r.started_at) < ${UNTIL}
  and r.open_jobs = 0 and (r.ended_at is not null or r.source = 'client'))`;

/** Whether the team `k` keeps what was there at the moment `$3`. */
export const IS_KEPT = `(k.days is null or $3::timestamptz > ${UNTIL})`;
