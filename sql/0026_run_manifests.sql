-- What a run was made from; who made it can be asked for.

-- JSON: the text of its manifest, as it was when the run began. Null where it was not reported.
alter table run_reports add column manifest text;

create index runs_by_author on runs (team_id, user_id, started_at desc, id desc);
