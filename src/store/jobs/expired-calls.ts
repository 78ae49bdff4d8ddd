// Calls that belong to no run go when their team's time is over, as runs go with their jobs.
import type { Tiers } from '../../domain/job/tiers.ts';
import type { Db } from '../postgres/db.ts';
import { KEPT, keptValues } from '../runs/kept-days.ts';

const deleteFrom = (table: 'jobs' | 'archived_jobs') => `
  with ${KEPT}, expired as (
    select j.id from kept k cross join lateral (
      select id from ${table} where run_id is null and team_id = k.id and settled_at is not null
        and ended_at < now() - make_interval(days => k.days) limit $3) j
    where k.days is not null limit $3
  ),
  gone as (delete from ${table} j using expired e where j.id = e.id returning j.texts_key),
  discarded as (
    insert into discarded_texts (key, due_at)
    select texts_key, now() from gone where texts_key is not null
    on conflict (key) do update set due_at = excluded.due_at
  )
  select count(*)::int as count from gone`;

/** Returns how many went. */
export async function deleteExpiredCalls(db: Db, tiers: Tiers, limit: number): Promise<number> {
  let deleted = 0;
  for (const table of ['jobs', 'archived_jobs'] as const) {
    const { rows } = await db.query<{ count: number }>(deleteFrom(table), [
      ...keptValues(tiers),
      limit,
    ]);
    deleted += rows[0]!.count;
  }
  return deleted;
}
