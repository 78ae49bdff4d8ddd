-- People who sign in: passwords, sessions, links that work once, and teams beyond the personal one.

alter table users
  -- Null: this account signs in with API keys only.
  add column password_hash text,
  add column password_changed_at timestamptz,
  -- May manage the accounts of this server, whatever their role in a team.
  add column is_admin boolean not null default false;

create table sessions (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  -- SHA-256 of the token in the cookie, which is stored nowhere.
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- What the person sees in the list of their sessions.
  address text not null,
  user_agent text
);
create index sessions_by_user on sessions (user_id);

-- Links that let somebody in once: the set-up of a new server, an invitation to a team, a new password.
create table account_links (
  id text collate "C" primary key,
  kind text not null check (kind in ('setup', 'invitation', 'reset')),
  -- SHA-256 of what follows the # in the link.
  token_hash bytea not null unique,
  -- Of an invitation.
  email text,
  team_id text collate "C" references teams (id) on delete cascade,
  role text check (role in ('owner', 'admin', 'member', 'viewer')),
  -- Whose password is set anew.
  user_id text collate "C" references users (id) on delete cascade,
  created_by text collate "C" references users (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check (kind <> 'invitation' or (email is not null and team_id is not null and role is not null)),
  check (kind <> 'reset' or user_id is not null)
);
create unique index account_links_invited on account_links (team_id, lower(email))
  where kind = 'invitation';
create index account_links_by_user on account_links (user_id) where kind = 'reset';

alter table teams
  -- Nodes of an earlier version add teams without one.
  add column slug text not null unique default 'team-' || substr(md5(random()::text), 1, 12),
  add column settings jsonb not null default '{}',
  -- Null for personal teams.
  add column created_by text collate "C" references users (id) on delete set null,
  -- A deleted team keeps its row, so that what was used in it stays counted.
  add column deleted_at timestamptz;

create index teams_by_creator on teams (created_by, created_at) where created_by is not null;

-- The key that took this one's place when it was rotated.
alter table api_keys add column replaced_by text collate "C";
