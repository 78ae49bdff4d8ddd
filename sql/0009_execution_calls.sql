-- How long the answers of an execution may be; null: as before this was kept.
alter table executions add column max_tokens integer;

-- The job's share of a budget is set aside for one call that costs something. Once an attempt has
-- used tokens, no further call is made: the execution decides whether there is budget for another.
alter table jobs add column pay_once boolean not null default false;
