// A claim takes waiting jobs for a node, in one statement. The job row is the entry in the queue: a job is in the line
// while it has a `virtual_time`, which is its place (see domain/job/fair-queue). What must not start yet is left out by
// conditions on the row.
//
// A claim waits for nothing. Ends lock runs before jobs, and a claim holds jobs before it opens their runs, so whatever
// another transaction holds is skipped and taken a moment later.
import type { Queryable } from '../postgres/db.ts';
import { fieldsOf } from './job-fields.ts';
import type { JobField, JobFields } from './job-fields.ts';
import { MAX_LOSSES } from './overdue-jobs.ts';
import { IS_SUSPENDED } from './suspended-jobs.ts';

const CLAIMED = [
  'id',
  'userId',
  'teamId',
  'runId',
  'executionId',
  'streamId',
  'provider',
  'model',
  'maxTokens',
  'temperature',
  'reasoning',
  'serviceTier',
  'prompt',
  'promptParts',
  'conversation',
  'sealedKey',
  'attempt',
  'calls',
  'payOnce',
  'reservedUsd',
  'queuedAt',
  'trace',
  'timeoutMs',
] as const satisfies JobField[];

export interface ClaimedJob extends Pick<JobFields, (typeof CLAIMED)[number]> {
  /** Whether earlier attempts have used any tokens. */
  hasUsage: boolean;
  /** Measured by the database's clock, so that nodes with wrong clocks agree. */
  remainingMs: number;
}

export interface Claim {
  jobs: ClaimedJob[];
  /** How many could have been taken: as many as were asked for means that there may be more. */
  found: number;
  /** How many of these were not, because another transaction is changing their run at this moment. */
  busy: number;
}

// Of a job `j`: it is in the line. Both say the same; each is for one index (see sql/0107_jobs.sql).
const BY_PLACE = 'j.virtual_time >= 0';
const BY_TEAM = 'j.virtual_time is not null';

/** Of a job `j` in the line. A node that is being given up at this moment claims nothing. */
const CAN_START = `exists (select 1 from node)
  and (j.start_after is null or j.start_after <= now()) and j.losses < ${MAX_LOSSES} and not ${IS_SUSPENDED}`;

// The teams whose place in the line is up: the jobs that hold the first places.
//
// Priorities order a team's own jobs: where more of a team waits than there are places, its most urgent jobs take the
// places, and those that held them move to the places that become free. The usual case costs one read of an index for
// each team, which finds nothing.
const IN_TURN = `due as materialized (
      select j.id, j.team_id, j.run_id, j.priority, j.virtual_time from jobs j
      where ${BY_PLACE} and ${CAN_START} order by j.virtual_time limit $2 for update of j skip locked
    ),
    last as materialized (
      select distinct on (team_id) team_id, -priority as urgency, id, count(*) over (partition by team_id) as places
      from due where (select count(*) from due) = $2 order by team_id, priority, id desc
    ),
    more_urgent as materialized (
      select u.* from last l cross join lateral (
        select j.id, j.team_id, j.run_id, j.priority, j.virtual_time from jobs j
        where j.team_id = l.team_id and (-j.priority, j.id) < (l.urgency, l.id)
          and j.id <> all(array(select id from due)) and ${BY_TEAM} and ${CAN_START}
        order by -j.priority, j.id limit l.places for update of j skip locked) u
    ),
    ranked as materialized (
      select c.*, row_number() over (partition by team_id order by priority desc, id) as rank
      from (select *, true as is_due from due union all select *, false from more_urgent) c
    ),
    place as materialized (
      select team_id, virtual_time, row_number() over (partition by team_id order by virtual_time, id) as rank from due
    ),
    chosen as materialized (
      select r.id, r.team_id, r.run_id, r.is_due, r.virtual_time as former, p.virtual_time as place
      from ranked r join place p on p.team_id = r.team_id and p.rank = r.rank
    )`;

// One job of each team that has none running, in the order of their places: for the slots that are reserved for such
// teams. A team with a backlog is one of them while others have all slots, and then comes after them. Steps
// from team to team through the index of waiting jobs, so that the length of a backlog does not matter; a claim is limited
// to so many teams, and the next one begins where it ended.
const MAX_TEAMS = 256;
const OF_IDLE_TEAMS = `lane as (
      (select team_id, 1 as nth from jobs j where ${BY_TEAM} and team_id > $3 order by team_id limit 1)
      union all
      select (select j.team_id from jobs j where ${BY_TEAM} and j.team_id > lane.team_id
              order by j.team_id limit 1), nth + 1
      from lane where lane.team_id is not null and nth < ${MAX_TEAMS}
    ),
    first as materialized (
      select f.id, f.virtual_time from lane cross join lateral (
        select j.id, j.virtual_time from jobs j where j.team_id = lane.team_id and ${BY_TEAM} and ${CAN_START}
        order by -j.priority, j.id limit 1) f
      where lane.team_id is not null and not exists (
        select 1 from jobs r where r.team_id = lane.team_id and r.status = 'running')
    ),
    due as materialized (
      select h.* from (select id from first order by virtual_time, id limit $2) f cross join lateral (
        select j.id, j.team_id, j.run_id, j.virtual_time, j.start_after from jobs j where j.id = f.id
        limit 1 for update of j skip locked) h
      where h.virtual_time is not null and (h.start_after is null or h.start_after <= now())
    ),
    chosen as materialized (
      select id, team_id, run_id, true as is_due, virtual_time as former, virtual_time as place from due
    )`;

// A run needs its lock only for its first job; from then on it is known to have worked.
const claimText = (
  choose: string,
  { followUp, more }: { followUp: string; more: string },
) => `with recursive
    node as materialized (select id from nodes where id = $1 for key share skip locked),
    ${choose},
    unopened as materialized (
      select team_id, id from runs
      where (team_id, id) in (select team_id, run_id from chosen) and (status = 'pending' or not worked)
    ),
    opening as materialized (
      select team_id, id from runs where (team_id, id) in (select team_id, id from unopened)
      order by team_id, id for update skip locked
    ),
    claimed as (
      update jobs j set status = 'running', attempt = attempt + 1, node_id = $1, started_at = now(),
        start_after = null, virtual_time = null
      from chosen c
      where j.id = c.id and (c.team_id, c.run_id) not in (
        select team_id, id from unopened except select team_id, id from opening)
      returning ${fieldsOf(CLAIMED, 'j')}, j.tokens_input + j.tokens_output > 0 as "hasUsage",
        (extract(epoch from j.deadline_at - now()) * 1000)::float8 as "remainingMs",
        c.is_due, c.former, c.place
    ),
    opened as (
      update runs r set worked = true,
        status = case when r.status = 'pending' then 'in_progress' else r.status end
      from opening where r.team_id = opening.team_id and r.id = opening.id
    )${followUp}
    select f.found, f.busy, f.more, ${CLAIMED.map((field) => `"${field}"`).join(', ')}, "hasUsage", "remainingMs"
    from (select (select count(*) from due)::int as found,
        ((select count(*) from chosen) - (select count(*) from claimed))::int as busy, ${more} as more) f
    left join claimed on true order by place`;

// The clock is the place that was reached. It is not moved by jobs of idle teams, which are taken out of turn.
const CLAIM = {
  name: 'claim_jobs',
  text: claimText(IN_TURN, {
    followUp: `,
    displaced as (
      update jobs j set virtual_time = f.former
      from (select team_id, id, row_number() over (partition by team_id order by virtual_time, id) as nth
            from due where id not in (select id from chosen)) d
      join (select "teamId" as team_id, former, row_number() over (partition by "teamId" order by former) as nth
            from claimed where not is_due) f on f.team_id = d.team_id and f.nth = d.nth
      where j.id = d.id
    ),
    ticked as (
      update queue_clock q set virtual_time = p.place from (select max(place) as place from claimed) p
      where q.virtual_time < p.place
    )`,
    more: 'null::text',
  }),
};

const CLAIM_FOR_IDLE_TEAMS = {
  name: 'claim_jobs_for_idle_teams',
  text: claimText(OF_IDLE_TEAMS, {
    followUp: '',
    more: `(select max(team_id) from lane having count(team_id) = ${MAX_TEAMS})`,
  }),
};

type ClaimRow = ClaimedJob & { found: number; busy: number; more: string | null };

function claimOf(rows: readonly ClaimRow[]): Claim {
  const { found = 0, busy = 0 } = rows[0] ?? {};
  // One row comes in any case, without a job when there is none.
  const jobs = rows.flatMap(({ found: _f, busy: _b, more: _m, ...job }) =>
    (job.id as string | null) === null ? [] : [job],
  );
  return { jobs, found, busy };
}

/** Takes up to `limit` jobs in the order of the line. */
export async function claimJobs(db: Queryable, nodeId: string, limit: number): Promise<Claim> {
  const { rows } = await db.query<ClaimRow>(CLAIM, [nodeId, limit]);
  return claimOf(rows);
}

/** Takes up to `limit` jobs, one of each team that has none running on any node. */
export async function claimForIdleTeams(
  db: Queryable,
  nodeId: string,
  { limit, after }: { limit: number; after: string },
): Promise<Claim & { /** Where the next claim begins; empty for the beginning. */ after: string }> {
  const { rows } = await db.query<ClaimRow>(CLAIM_FOR_IDLE_TEAMS, [nodeId, limit, after]);
  return { ...claimOf(rows), after: rows[0]?.more ?? '' };
}

/** Whether there are others to reserve slots for. */
export async function hasSeveralTeams(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ several: boolean }>({
    name: 'has_several_teams',
    text: 'select count(*) > 1 as several from (select 1 from team_queue limit 2) t',
  });
  return rows[0]?.several === true;
}
