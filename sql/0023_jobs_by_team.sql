-- The jobs of a team, newest first. No other index has them in that order: a small team on a busy server
-- would read the jobs of everybody else. Neither column ever changes, so only new jobs pay for it.
create index jobs_by_team on jobs (team_id, id);
