-- Keys for the vendors of models, sealed: those of people, and those that a whole team uses.

create table provider_keys (
  user_id text collate "C" not null references users (id),
  team_id text collate "C" not null references teams (id),
  api_key_id text collate "C",
  provider text not null check (provider in ('anthropic', 'openai', 'google', 'openrouter')),
  -- The sealed key, and the id of the master key that its data key is wrapped with.
  sealed text not null,
  master_key_id text not null,
  masked text not null,
  -- False until the vendor has accepted the key.
  valid boolean not null,
  created_at timestamptz not null default now(),
  primary key (user_id, provider)
);
create index provider_keys_by_master_key on provider_keys (master_key_id);

create table team_provider_keys (
  team_id text collate "C" not null references teams (id) on delete cascade,
  -- Who stored it.
  user_id text collate "C" not null,
  api_key_id text collate "C",
  provider text not null check (provider in ('anthropic', 'openai', 'google', 'openrouter')),
  sealed text not null,
  master_key_id text not null,
  masked text not null,
  valid boolean not null,
  created_at timestamptz not null default now(),
  primary key (team_id, provider)
);
