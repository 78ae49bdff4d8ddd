-- What was used, what it cost, and what may still be spent.

-- One row for each attempt that ended. Never updated.
create table usage_ledger (
  job_id text collate "C" not null,
  attempt smallint not null,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  api_key_id text collate "C",
  provider text not null,
  model text not null,
  tokens_input integer not null,
  tokens_output integer not null,
  tokens_cached integer not null,
  tokens_cache_write integer not null,
  cost_usd double precision,
  unpriced_calls integer not null default 0,
  estimated boolean not null,
  outcome text not null,
  recorded_at timestamptz not null default now(),
  primary key (job_id, attempt)
);
create index usage_ledger_by_team on usage_ledger (team_id, recorded_at);
create index usage_ledger_late on usage_ledger (team_id, recorded_at)
  where outcome in ('late', 'lost');

-- Sums of the ledger up to usage_rollup.rolled_until. Attempts whose usage may yet be corrected (`late` and `lost`) are
-- left out: they are few, and read from the ledger.
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
insert into usage_rollup (rolled_until) values (now());

-- What clients say that runs used which they orchestrated by themselves: of each run, the streams that were no jobs
-- here. One row a run, however often it is recorded.
create table recorded_usage (
  run_id text collate "C" not null,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  -- Empty: no key was used.
  api_key_id text collate "C" not null,
  -- The day on which the run started.
  day date not null,
  tokens_input bigint not null,
  tokens_output bigint not null,
  cost_usd double precision not null,
  unpriced_calls integer not null
);
create index recorded_usage_by_team on recorded_usage (team_id, day);
alter table recorded_usage add primary key (run_id, team_id);

create table usage_months (
  team_id text collate "C" not null,
  month date not null,
  -- Runs that count against the quota, and runs that entered history.
  runs_counted integer not null default 0,
  runs_recorded integer not null default 0,
  tokens_input bigint not null default 0,
  tokens_output bigint not null default 0,
  tokens_cached bigint not null default 0,
  -- Simulated cost is not spent: the ledger has it, under its provider.
  cost_usd double precision not null default 0,
  recorded_cost_usd double precision not null default 0,
  -- What open jobs that were accepted in this month may cost at most.
  reserved_usd double precision not null default 0,
  primary key (team_id, month)
) with (fillfactor = 50);

-- Which events were sent about which budget: once for a team, a month and a limit.
create table budget_events (
  team_id text collate "C" not null,
  month date not null,
  event text not null,
  limit_usd double precision not null,
  created_at timestamptz not null default now(),
  primary key (team_id, month, event, limit_usd)
);
