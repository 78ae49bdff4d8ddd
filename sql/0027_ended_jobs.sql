-- Jobs that ended a while ago move here, a partition a month, so that `jobs` stays small and a month whose time
-- is over is dropped whole. Ids begin with their time: a month is a range of ids, and an id names its partition.
-- Partitions are made when the first job of a month moves. There is no default one, which would have to be
-- searched for each new partition.
--
-- Whoever adds a column to jobs adds it here, too, in the same order.
create table ended_jobs (like jobs including defaults including constraints) partition by range (id);
alter table ended_jobs add primary key (id);
create index ended_jobs_by_run on ended_jobs (run_id);
create index ended_jobs_by_team on ended_jobs (team_id, id);

alter table runs
  -- Between these ids are the jobs of the run that have moved; null: none has. Only ever widened.
  add column ended_jobs_from text collate "C",
  add column ended_jobs_to text collate "C",
  -- Whether the usage of one of those is an estimate.
  add column ended_jobs_estimated boolean not null default false;
