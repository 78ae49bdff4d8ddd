-- People and the teams they work in.
--
-- Of all tables: ids are TypeIDs (prefix, underscore, UUIDv7 in base32). Their byte order is the order in which they
-- were made, hence collate "C". What belongs to a customer belongs to a team; user_id is the person who made the
-- row, and api_key_id the key that was used, where there was one.
--
-- These files, 0101 to 0113, are the schema of the first release, one for each family of tables. A later release adds
-- files with higher numbers and leaves these as they are.

create table users (
  id text collate "C" primary key,
  email text not null,
  -- Since when it is certain that the mailbox is the person's own. Null: nobody has shown it.
  email_verified_at timestamptz,
  name text,
  -- Null: this account signs in with API keys or a provider of OpenID Connect only.
  password_hash text,
  password_changed_at timestamptz,
  -- May manage the accounts of this server, whatever their role in a team.
  is_admin boolean not null default false,
  -- Commands act as this account when their caller owns the data folder. There is one at the most.
  is_local_owner boolean not null default false,
  -- A rate agreed with this account alone; null means the tier's own rate.
  requests_per_minute integer check (requests_per_minute > 0),
  suspended_at timestamptz,
  -- What the operator noted; shown to operators only.
  suspended_reason text,
  created_at timestamptz not null default now(),
  -- A deleted account keeps its row, without anything that says who it was: what was used stays counted.
  deleted_at timestamptz
);
-- Letters of ASCII alone have no case, whatever the locale of the database.
create unique index users_email on users (lower(email collate "C"));
-- Looked at by every claim of jobs; empty nearly everywhere.
create index users_suspended on users (id) where suspended_at is not null;

create table teams (
  id text collate "C" primary key,
  name text not null,
  slug text not null unique,
  -- Set for the team that every user has alone.
  personal_user_id text collate "C" unique references users (id),
  tier text not null check (tier in ('trial', 'pro', 'team', 'enterprise')),
  settings jsonb not null default '{}',
  -- Null for personal teams.
  created_by text collate "C" references users (id) on delete set null,
  created_at timestamptz not null default now(),
  -- Set: nothing acts in it, and what waits in it does not start.
  suspended_at timestamptz,
  suspended_reason text,
  -- A deleted team keeps its row, so that what was used in it stays counted.
  deleted_at timestamptz
);
create index teams_by_creator on teams (created_by, created_at) where created_by is not null;
create index teams_suspended on teams (id) where suspended_at is not null;

create table team_members (
  team_id text collate "C" not null references teams (id),
  user_id text collate "C" not null references users (id),
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  joined_at timestamptz not null default now(),
  primary key (team_id, user_id)
);
create index team_members_by_user on team_members (user_id);
