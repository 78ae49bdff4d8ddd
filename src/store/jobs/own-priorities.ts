// When a team's place in the line is up, the most urgent of its waiting jobs takes it.
import { exchangePlaces } from '../../domain/job/fair-queue.ts';
import type { WaitingJob } from '../../domain/job/fair-queue.ts';
import type { Queryable } from '../postgres/db.ts';
import type { Queue, QueueMessage } from './queue.ts';

// Nothing where no job goes before those that were fetched, which is the usual case. Two ranges of
// one index: a single condition for both would read the whole backlog.
const FIND = {
  name: 'claim_find_more_urgent',
  text: `with fetched as materialized (
      select id, team_id, priority from jobs where id = any($1) and status = 'pending'
    ),
    owner as materialized (
      select distinct on (team_id) team_id, priority as lowest, id as newest,
        count(*) over (partition by team_id) as places
      from fetched order by team_id, priority, id desc
    ),
    urgent as materialized (
      select o.team_id, w.id, w.priority from owner o cross join lateral (
        (select id, priority from jobs j
         where j.team_id = o.team_id and j.status = 'pending' and not j.parked
           and j.priority > o.lowest and j.id <> all($1)
         order by j.priority desc, j.id limit o.places)
        union all
        (select id, priority from jobs j
         where j.team_id = o.team_id and j.status = 'pending' and not j.parked
           and j.priority = o.lowest and j.id < o.newest and j.id <> all($1)
         order by j.id limit o.places)) w
    )
    select id, team_id as "teamId", priority, false as fetched from urgent
    union all
    select id, team_id, priority, true from fetched
    where team_id in (select team_id from urgent)`,
};

/** The messages of the jobs that are to start. */
export async function preferUrgent(
  tx: Queryable,
  queue: Queue,
  messages: readonly QueueMessage[],
): Promise<readonly QueueMessage[]> {
  const ids = messages.map((message) => message.jobId);
  const { rows } = await tx.query<WaitingJob & { fetched: boolean }>(FIND, [ids]);
  if (rows.length === 0) return messages;
  const exchanges = exchangePlaces(
    rows.filter((row) => row.fetched),
    rows.filter((row) => !row.fetched),
  );
  const done = new Map(
    (await queue.exchange(tx, exchanges)).map(({ give, want }) => [give, want] as const),
  );
  return messages.map(({ jobId, virtualTime }) => ({
    jobId: done.get(jobId) ?? jobId,
    virtualTime,
  }));
}
