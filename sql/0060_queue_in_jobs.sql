-- A job that waits is its own entry in the queue: its place in the line and the time before which it must not
-- start are columns of its row, and a claim finds it by an index of the jobs that wait.
--
-- millrace: needs servers from 0060
-- allowed: change many rows: made before the first release, so no server of before works beside it
-- allowed: create index: made before the first release, so no server of before works beside it
-- allowed: drop index: made before the first release, so no server of before works beside it
-- allowed: drop: made before the first release, so no server of before works beside it

alter table jobs
  -- Place in the line, smallest first. Kept while the job runs, so that a job which is requeued has its place
  -- again; null while it is parked and once it has ended.
  add column virtual_time bigint,
  -- Not to be started before this time.
  add column start_after timestamptz;
alter table ended_jobs add column virtual_time bigint, add column start_after timestamptz;

update jobs set virtual_time = 0 where status in ('pending', 'running') and not parked;
create index jobs_waiting on jobs (virtual_time) where status = 'pending' and not parked;

-- Most urgent first, in one direction, so that "before this one" is one range.
drop index jobs_open_by_team;
create index jobs_open_by_team on jobs (team_id, status, (-priority), id)
  where status in ('pending', 'running') and not parked;

alter table team_queue add column finish_time bigint not null default 0;
update team_queue set finish_time = coalesce((select max(t) from unnest(finish_times) t), 0);
alter table team_queue drop column finish_times;

drop schema if exists pgboss cascade;
