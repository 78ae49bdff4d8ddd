-- A run is its team and its id. Clients choose ids, so two teams may use the same one: what either of them sends,
-- reads, shares or cancels is its own. The id comes first in the indexes, which also find who else has it.
--
-- millrace: needs servers from 0033
-- allowed: add constraint: made before the first release, so no server of before works beside it
-- allowed: create index: made before the first release, so no server of before works beside it
-- allowed: drop index: made before the first release, so no server of before works beside it
-- allowed: change many rows: made before the first release, so no server of before works beside it
-- allowed: set not null: made before the first release, so no server of before works beside it

alter table runs drop constraint runs_pkey;
alter table runs add primary key (id, team_id);

drop index jobs_by_run;
create index jobs_by_run on jobs (run_id, team_id);
drop index ended_jobs_by_run;
create index ended_jobs_by_run on ended_jobs (run_id, team_id);

alter table run_streams add column team_id text collate "C";
update run_streams s set team_id = r.team_id from runs r where r.id = s.run_id;
delete from run_streams where team_id is null;
alter table run_streams alter column team_id set not null;
alter table run_streams drop constraint run_streams_pkey;
alter table run_streams add primary key (run_id, team_id, stream_id);

alter table recorded_usage drop constraint recorded_usage_pkey;
alter table recorded_usage add primary key (run_id, team_id);

alter table run_events drop constraint run_events_run_id_fkey;
alter table run_changes drop constraint run_changes_run_id_fkey;
alter table run_shares drop constraint run_shares_run_id_fkey;
alter table run_reports drop constraint run_reports_pkey;
alter table run_reports add primary key (run_id, team_id);

alter table run_events add column team_id text collate "C";
update run_events e set team_id = r.team_id from run_reports r where r.run_id = e.run_id;
alter table run_events alter column team_id set not null;
alter table run_events drop constraint run_events_pkey;
alter table run_events add primary key (run_id, team_id, seq);
alter table run_events add foreign key (run_id, team_id) references run_reports on delete cascade;

alter table run_changes add column team_id text collate "C";
update run_changes c set team_id = r.team_id from run_reports r where r.run_id = c.run_id;
alter table run_changes alter column team_id set not null;
alter table run_changes drop constraint run_changes_pkey;
alter table run_changes add primary key (run_id, team_id, stream_id);
alter table run_changes add foreign key (run_id, team_id) references run_reports on delete cascade;

alter table run_shares add column team_id text collate "C";
update run_shares s set team_id = r.team_id from run_reports r where r.run_id = s.run_id;
alter table run_shares alter column team_id set not null;
alter table run_shares add foreign key (run_id, team_id) references run_reports on delete cascade;
drop index run_shares_by_run;
create index run_shares_by_run on run_shares (team_id, run_id);
