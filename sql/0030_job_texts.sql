-- Large texts of archived jobs may live in an object store. Its key is kept with the job; prompt, parts, output,
-- artifact and partial output are then in the object and empty here. Always null in `jobs`: texts leave the
-- database when a job is archived, never earlier.
alter table jobs add column texts_key text;
alter table ended_jobs add column texts_key text;

-- Objects to be deleted. Written before an object is, and taken back by the transaction that names the object:
-- what a crash left behind is found here.
create table discarded_texts (
  key text primary key,
  due_at timestamptz not null
);
create index discarded_texts_due on discarded_texts (due_at);
