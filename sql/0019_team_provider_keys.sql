-- Provider keys that a whole team uses, beside those of its members.

create table team_provider_keys (
  team_id text collate "C" not null references teams (id) on delete cascade,
  provider text not null,
  sealed text not null,
  master_key_id text not null,
  masked text not null,
  valid boolean not null,
  -- Who stored it.
  user_id text collate "C" not null,
  api_key_id text collate "C",
  created_at timestamptz not null default now(),
  primary key (team_id, provider)
);
