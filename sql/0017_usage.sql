-- What a team used by day, and what it may still spend this month.

-- Sums of the ledger up to usage_rollup.rolled_until. Attempts that may yet be told better (`late` and
-- `lost`) are left out: they are few, and read from the ledger.
create table usage_days (
  team_id text collate "C" not null,
  day date not null,
  user_id text collate "C" not null,
  -- Empty: no key was used.
  api_key_id text collate "C" not null,
  provider text not null,
  model text not null,
  -- A job counts once, with the first of its attempts that was recorded.
  jobs integer not null,
  tokens_input bigint not null,
  tokens_output bigint not null,
  tokens_cached bigint not null,
  cost_usd double precision not null,
  unpriced_jobs integer not null,
  unpriced_calls integer not null,
  primary key (team_id, day, user_id, api_key_id, provider, model)
);

create table usage_rollup (
  singleton boolean primary key default true check (singleton),
  rolled_until timestamptz not null
);
insert into usage_rollup (rolled_until)
  select coalesce(min(recorded_at), now()) from usage_ledger;

create index usage_ledger_late on usage_ledger (team_id, recorded_at)
  where outcome in ('late', 'lost');

-- What clients say that runs used which they orchestrated by themselves: of each run, the streams that
-- were no jobs here. One row a run, however often it is recorded.
create table recorded_usage (
  run_id text collate "C" primary key,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  api_key_id text collate "C" not null,
  -- The day on which the run started.
  day date not null,
  tokens_input bigint not null,
  tokens_output bigint not null,
  cost_usd double precision not null,
  unpriced_calls integer not null
);
create index recorded_usage_by_team on recorded_usage (team_id, day);

insert into recorded_usage
  select r.id, r.team_id, r.user_id, coalesce(r.api_key_id, ''),
    (r.started_at at time zone 'utc')::date, sum(s.tokens_input), sum(s.tokens_output),
    sum(s.cost_usd), sum(s.unpriced_calls)
  from run_streams s join runs r on r.id = s.run_id
  where s.stream_id not in (select j.stream_id from jobs j where j.run_id = r.id)
  group by r.id;

alter table usage_months
  add column recorded_cost_usd double precision not null default 0,
  -- What open jobs that were accepted in this month may cost at most.
  add column reserved_usd double precision not null default 0;

insert into usage_months as m (team_id, month, recorded_cost_usd)
  select team_id, date_trunc('month', day)::date, sum(cost_usd) from recorded_usage group by 1, 2
  on conflict (team_id, month) do update set recorded_cost_usd = excluded.recorded_cost_usd;

-- The team's budget a month, beside what every submit locks and reads; teams.settings is what people see.
alter table team_queue add column budget_usd double precision;

-- When somebody was last removed or got another role: for a while, submits look up who is a member.
alter table team_queue add column members_changed_at timestamptz;

-- What was set aside for the job when it was accepted, in the month of queued_at, until its cost is
-- known. Null: its team had no budget.
alter table jobs add column reserved_usd double precision;

-- Which events were sent about which budget: once for a team, a month and a limit.
create table budget_events (
  team_id text collate "C" not null,
  month date not null,
  event text not null,
  limit_usd double precision not null,
  created_at timestamptz not null default now(),
  primary key (team_id, month, event, limit_usd)
);

-- Events about a budget are nobody's in particular.
alter table webhook_events alter column user_id drop not null;
