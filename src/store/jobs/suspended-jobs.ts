// Jobs of suspended accounts and teams: what runs ends as it would, what waits does not start.
import type { Queryable } from '../postgres/db.ts';
import { overdueColumns } from './overdue-jobs.ts';
import type { OverdueJob } from './overdue-jobs.ts';

/** Of a job `j`. Nearly nobody is suspended, and for these there is an index of their own. */
export const IS_SUSPENDED = `(
  exists (select 1 from users u where u.id = j.user_id and u.suspended_at is not null)
  or exists (select 1 from teams t where t.id = j.team_id and t.suspended_at is not null))`;

const COLUMNS = overdueColumns('suspended');

// From those who are suspended to their jobs, because there is no index by user. In two parts, each of
// which has an index of its own.
const LIST = {
  name: 'suspended_jobs',
  text: `with suspended as materialized (
      select t.id as team_id, null as user_id from teams t where t.suspended_at is not null
      union all
      select m.team_id, m.user_id from users u join team_members m on m.user_id = u.id
      where u.suspended_at is not null
    )
    (select ${COLUMNS} from suspended s join jobs j on j.team_id = s.team_id
     where j.virtual_time is not null and (s.user_id is null or s.user_id = j.user_id)
     limit $1)
    union
    (select ${COLUMNS} from suspended s join jobs j on j.team_id = s.team_id
     where j.parked and (s.user_id is null or s.user_id = j.user_id) limit $1)`,
};

export async function listSuspended(db: Queryable, limit: number): Promise<OverdueJob[]> {
  const { rows } = await db.query<OverdueJob>(LIST, [limit]);
  return rows;
}
