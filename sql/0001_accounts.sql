-- Users, their teams and the API keys they call with.
-- Ids are TypeIDs (prefix, underscore, UUIDv7 in base32): byte order is creation order, hence "C".

create table users (
  id text collate "C" primary key,
  email text not null,
  name text,
  tier text not null check (tier in ('trial', 'pro', 'team', 'enterprise')),
  -- A rate agreed with this account alone; null means the tier's own rate.
  requests_per_minute integer check (requests_per_minute > 0),
  suspended_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));

create table teams (
  id text collate "C" primary key,
  name text not null,
  -- Set for the team that every user has for themselves.
  personal_user_id text collate "C" unique references users (id),
  created_at timestamptz not null default now()
);

create table team_members (
  team_id text collate "C" not null references teams (id),
  user_id text collate "C" not null references users (id),
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  joined_at timestamptz not null default now(),
  primary key (team_id, user_id)
);
create index team_members_by_user on team_members (user_id);

create table api_keys (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id),
  name text not null,
  -- SHA-256 of the key; the key itself is shown once and never stored.
  key_hash bytea not null unique,
  hint text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_by_user on api_keys (user_id);
