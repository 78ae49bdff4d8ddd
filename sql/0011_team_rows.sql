-- What belongs to somebody belongs to a team. The team pays: quota, concurrency, budget and place in
-- the queue are its own. user_id stays the user who made the row, and api_key_id is the key that was
-- used, where there was one. Until now every user has worked in their personal team only.
--
-- Nodes of an earlier version cannot work beside it: it was made before the first release.

alter table teams add column tier text check (tier in ('trial', 'pro', 'team', 'enterprise'));
update teams t set tier = coalesce(
  (select u.tier from users u where u.id = t.personal_user_id), 'enterprise');
alter table teams alter column tier set not null;
alter table users drop column tier;

-- Set: the key acts in this team only. Null: in its owner's personal team.
alter table api_keys add column team_id text collate "C" references teams (id);

-- A row whose user has no team cannot be; if one is found all the same, it keeps an owner of its own.
alter table jobs add column team_id text collate "C", add column api_key_id text collate "C";
update jobs j set team_id = coalesce(
  (select r.team_id from runs r where r.id = j.run_id),
  (select t.id from teams t where t.personal_user_id = j.user_id), j.user_id);
alter table jobs alter column team_id set not null;
drop index jobs_parked;
create index jobs_parked on jobs (team_id, priority desc, id) where parked;
drop index jobs_open_by_user;
create index jobs_open_by_team on jobs (team_id, status, priority desc, id)
  where status in ('pending', 'running') and not parked;

alter table runs add column api_key_id text collate "C";
drop index runs_by_user;
create index runs_by_team on runs (team_id, started_at desc, id desc);

alter table executions add column api_key_id text collate "C";
drop index executions_by_user;
drop index executions_by_status;
create index executions_by_team on executions (team_id, id);
create index executions_by_status on executions (team_id, status, id);

alter table usage_ledger add column team_id text collate "C", add column api_key_id text collate "C";
update usage_ledger l set team_id = coalesce(
  (select t.id from teams t where t.personal_user_id = l.user_id), l.user_id);
alter table usage_ledger alter column team_id set not null;
drop index usage_ledger_by_user;
create index usage_ledger_by_team on usage_ledger (team_id, recorded_at);

alter table usage_months add column team_id text collate "C";
update usage_months m set team_id = coalesce(
  (select t.id from teams t where t.personal_user_id = m.user_id), m.user_id);
alter table usage_months drop constraint usage_months_pkey;
alter table usage_months drop column user_id;
alter table usage_months add primary key (team_id, month);

-- One row a team, locked by every submit in that team.
alter table user_queue rename to team_queue;
alter table team_queue add column team_id text collate "C";
update team_queue q set team_id = coalesce(
  (select t.id from teams t where t.personal_user_id = q.user_id), q.user_id);
alter table team_queue drop constraint user_queue_pkey;
alter table team_queue drop column user_id;
alter table team_queue add primary key (team_id);

-- A caller is a user in a team: the same key in another team is another request.
alter table idempotency_keys add column team_id text collate "C";
update idempotency_keys k set team_id = coalesce(
  (select t.id from teams t where t.personal_user_id = k.user_id), k.user_id);
alter table idempotency_keys drop constraint idempotency_keys_pkey;
alter table idempotency_keys add primary key (team_id, user_id, key);

alter table provider_keys
  add column team_id text collate "C" references teams (id),
  add column api_key_id text collate "C";
update provider_keys k set team_id = t.id from teams t where t.personal_user_id = k.user_id;
alter table provider_keys alter column team_id set not null;

alter table webhooks
  add column team_id text collate "C" references teams (id),
  add column api_key_id text collate "C";
update webhooks w set team_id = t.id from teams t where t.personal_user_id = w.user_id;
alter table webhooks alter column team_id set not null;
drop index webhooks_by_user;
create index webhooks_by_team on webhooks (team_id, id) where execution_id is null;

alter table webhook_events add column team_id text collate "C";
update webhook_events e set team_id = coalesce(
  (select t.id from teams t where t.personal_user_id = e.user_id), e.user_id);
alter table webhook_events alter column team_id set not null;
