-- How much is kept of what the command line of a run has reported: events, changes and manifest. Teams and runs have
-- limits.
--
-- allowed: create index: made before the first release, so no server of before works beside it
-- allowed: change many rows: made before the first release, so no server of before works beside it

alter table run_reports add column stored_bytes bigint not null default 0;
update run_reports r set stored_bytes = coalesce(octet_length(r.manifest), 0)
  + coalesce((select sum(octet_length(e.event)) from run_events e
      where e.run_id = r.run_id and e.team_id = r.team_id), 0)
  + coalesce((select sum(octet_length(c.files)) from run_changes c
      where c.run_id = r.run_id and c.team_id = r.team_id), 0);
create index run_reports_by_team on run_reports (team_id);
