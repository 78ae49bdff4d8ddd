// Users who have jobs waiting and none running on any node. Each node keeps a few slots for them.
import type { Db } from '../postgres/db.ts';

const MAX_USERS = 256;
/** The first ones may be put off, waiting for their provider. */
const JOBS_PER_USER = 3;

// Steps from user to user through the index of open jobs, so that the length of a backlog does not
// matter.
const FIND = {
  name: 'find_newcomers',
  text: `with recursive lane as (
      (select user_id, 1 as nth from jobs where status = 'pending' and not parked and user_id > $1
       order by user_id limit 1)
      union all
      select (select j.user_id from jobs j
              where j.status = 'pending' and not j.parked and j.user_id > lane.user_id
              order by j.user_id limit 1), nth + 1
      from lane where lane.user_id is not null and nth < ${MAX_USERS}
    )
    select lane.user_id as "userId", nth, (
        select array_agg(w.id) from (
          select id from jobs p
          where p.user_id = lane.user_id and p.status = 'pending' and not p.parked
          order by p.priority desc, p.id limit ${JOBS_PER_USER}) w
        where not exists (
          select 1 from jobs r
          where r.user_id = lane.user_id and r.status = 'running' and not r.parked)) as "jobIds"
    from lane where lane.user_id is not null order by lane.user_id`,
};

export interface Newcomers {
  /** The most urgent jobs of each. */
  jobIds: string[][];
  /** Where the next look goes on; empty for the beginning. */
  cursor: string;
}

export async function findNewcomers(db: Db, cursor: string): Promise<Newcomers> {
  const { rows } = await db.query<{ userId: string; jobIds: string[] | null }>(FIND, [cursor]);
  // The one that has waited longest first.
  const jobIds = rows.flatMap((row) => (row.jobIds === null ? [] : [row.jobIds]));
  jobIds.sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
  return { jobIds, cursor: rows.length < MAX_USERS ? '' : rows.at(-1)!.userId };
}

/** Whether there is anybody to keep slots for. */
export async function hasSeveralUsers(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ several: boolean }>({
    name: 'has_several_users',
    text: 'select count(*) > 1 as several from (select 1 from user_queue limit 2) u',
  });
  return rows[0]?.several === true;
}
