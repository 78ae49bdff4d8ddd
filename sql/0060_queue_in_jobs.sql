-- A job that waits is its own entry in the queue: its place in the line and the time before which it must not
-- start are columns of its row, and a claim finds it by an index of the jobs that wait.
--
-- millrace: needs servers from 0060
-- allowed: change many rows: made before the first release, so no server of before works beside it
-- allowed: create index: made before the first release, so no server of before works beside it
-- allowed: drop index: made before the first release, so no server of before works beside it
-- allowed: add constraint: made before the first release, so no server of before works beside it
-- allowed: drop: made before the first release, so no server of before works beside it

alter table jobs
  -- Place in the line, smallest first. A job is in the line exactly while it has one: not while it is parked, and not
  -- from its start on.
  add column virtual_time bigint,
  -- Not to be started before this time.
  add column start_after timestamptz;
alter table ended_jobs add column virtual_time bigint, add column start_after timestamptz;

update jobs set virtual_time = 0 where status = 'pending' and not parked;
alter table jobs add constraint jobs_line
  check (virtual_time is null or (virtual_time >= 0 and status = 'pending' and not parked));

-- Statistics say that hardly any job waits, which is true of most moments. By them one index is as good as another, and a
-- claim must be fast when many wait. So each of these is the only one that its queries can use: those in the order of
-- the line ask for a place from 0 on, those by team for any place.
create index jobs_waiting on jobs (virtual_time) where virtual_time >= 0;
-- Most urgent first, in one direction, so that "before this one" is one range.
create index jobs_waiting_by_team on jobs (team_id, (-priority), id) where virtual_time is not null;
create index jobs_running_by_team on jobs (team_id) where status = 'running';
drop index jobs_open_by_team;

alter table team_queue add column finish_time bigint not null default 0;
update team_queue set finish_time = coalesce((select max(t) from unnest(finish_times) t), 0);
alter table team_queue drop column finish_times;

drop schema if exists pgboss cascade;
