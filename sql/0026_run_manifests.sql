-- What a run was made from, and by which models; who made it can be asked for.

alter table run_reports
  -- JSON: the text of its manifest, as it was when the run began. Null where it was not reported.
  add column manifest text,
  -- Of its streams, each once.
  add column models text[] not null default '{}';
create index run_reports_by_model on run_reports using gin (models);

create index runs_by_author on runs (team_id, user_id, started_at desc, id desc);
