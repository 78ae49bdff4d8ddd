-- Jobs that ended a while ago move here, a partition a month, so that `jobs` stays small and a month whose time is over
-- is dropped whole. Ids begin with their time: a month is a range of ids, and an id names its partition. Partitions are
-- made when the first job of a month moves. There is no default one, which would have to be searched for each new
-- partition.
--
-- A migration that adds a column to jobs adds it here, too.
create table archived_jobs (like jobs including defaults including constraints) partition by range (id);
alter table archived_jobs add primary key (id);
create index archived_jobs_by_team on archived_jobs (team_id, id);
create index archived_jobs_by_run on archived_jobs (run_id, team_id);

-- Large texts of archived jobs may be in an object store, under archived_jobs.texts_key: prompt, parts, output, artifact
-- and partial output are then empty here. Texts leave the database when a job is archived, never earlier.

-- Objects to be deleted. Written before an object is, and taken back by the transaction that names the object: what a
-- crash left behind is found here.
create table discarded_texts (
  key text primary key,
  due_at timestamptz not null
);
create index discarded_texts_due on discarded_texts (due_at);
