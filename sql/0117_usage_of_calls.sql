-- What calls through the model endpoint used that belong to no run. They are in no history, so usage shows them apart, by
-- key and day.
alter table usage_ledger add column is_single_call boolean not null default false;

-- Like usage_days, of such calls alone: what is here is in usage_days, too.
create table usage_call_days (
  team_id text collate "C" not null,
  day date not null,
  user_id text collate "C" not null,
  -- Empty: no key was used.
  api_key_id text collate "C" not null,
  provider text not null,
  model text not null,
  jobs integer not null,
  tokens_input bigint not null,
  tokens_output bigint not null,
  tokens_cached bigint not null,
  cost_usd double precision not null,
  unpriced_jobs integer not null,
  unpriced_calls integer not null,
  primary key (team_id, day, user_id, api_key_id, provider, model)
);
