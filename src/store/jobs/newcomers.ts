// Teams that have jobs waiting and none running on any node. Each node keeps a few slots for them.
import type { Db } from '../postgres/db.ts';

const MAX_TEAMS = 256;
/** The first ones may be put off, waiting for their provider. */
const JOBS_PER_TEAM = 3;

// Steps from team to team through the index of open jobs, so that the length of a backlog does not
// matter.
const FIND = {
  name: 'find_newcomers',
  text: `with recursive lane as (
      (select team_id, 1 as nth from jobs where status = 'pending' and not parked and team_id > $1
       order by team_id limit 1)
      union all
      select (select j.team_id from jobs j
              where j.status = 'pending' and not j.parked and j.team_id > lane.team_id
              order by j.team_id limit 1), nth + 1
      from lane where lane.team_id is not null and nth < ${MAX_TEAMS}
    )
    select lane.team_id as "teamId", nth, (
        select array_agg(w.id) from (
          select id from jobs p
          where p.team_id = lane.team_id and p.status = 'pending' and not p.parked
          order by p.priority desc, p.id limit ${JOBS_PER_TEAM}) w
        where not exists (
          select 1 from jobs r
          where r.team_id = lane.team_id and r.status = 'running' and not r.parked)) as "jobIds"
    from lane where lane.team_id is not null order by lane.team_id`,
};

export interface Newcomers {
  /** The most urgent jobs of each. */
  jobIds: string[][];
  /** Where the next look goes on; empty for the beginning. */
  cursor: string;
}

export async function findNewcomers(db: Db, cursor: string): Promise<Newcomers> {
  const { rows } = await db.query<{ teamId: string; jobIds: string[] | null }>(FIND, [cursor]);
  // The one that has waited longest first.
  const jobIds = rows.flatMap((row) => (row.jobIds === null ? [] : [row.jobIds]));
  jobIds.sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
  return { jobIds, cursor: rows.length < MAX_TEAMS ? '' : rows.at(-1)!.teamId };
}

/** Whether there is anybody to keep slots for. */
export async function hasSeveralTeams(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ several: boolean }>({
    name: 'has_several_teams',
    text: 'select count(*) > 1 as several from (select 1 from team_queue limit 2) t',
  });
  return rows[0]?.several === true;
}
