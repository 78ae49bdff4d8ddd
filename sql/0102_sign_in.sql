-- How people and programs get in: API keys, sessions, links that work once, codes for command lines, and providers of
-- OpenID Connect. Of every secret only the SHA-256 is kept.

create table api_keys (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id),
  -- Set: the key acts in this team only. Null: in its owner's personal team.
  team_id text collate "C" references teams (id),
  name text not null,
  key_hash bytea not null unique,
  hint text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  -- The key that took its place when it was rotated.
  replaced_by text collate "C"
);
create index api_keys_by_user on api_keys (user_id);

create table sessions (
  id text collate "C" primary key,
  user_id text collate "C" not null references users (id) on delete cascade,
  -- `device`: of a command line, which sends its token in a header. It lives longer than a browser's.
  kind text not null default 'session' check (kind in ('session', 'device')),
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- What the person sees in the list of their sessions.
  address text not null,
  user_agent text,
  name text
);
create index sessions_by_user on sessions (user_id);

-- The set-up of a new server, an invitation to a team, a new password, a sign-in made at the machine of the server.
create table account_links (
  id text collate "C" primary key,
  kind text not null check (kind in ('setup', 'invitation', 'reset', 'sign-in')),
  -- Of what follows the # in the link.
  token_hash bytea not null unique,
  -- Of an invitation.
  email text,
  team_id text collate "C" references teams (id) on delete cascade,
  role text check (role in ('owner', 'admin', 'member', 'viewer')),
  -- Whose password is set anew, or who is signed in.
  user_id text collate "C" references users (id) on delete cascade,
  -- It went to the mailbox alone: the person who uses it has shown that the mailbox is theirs.
  mailed boolean not null default false,
  created_by text collate "C" references users (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check (kind <> 'invitation' or (email is not null and team_id is not null and role is not null)),
  check (kind not in ('reset', 'sign-in') or user_id is not null)
);
create unique index account_links_invited on account_links (team_id, lower(email collate "C"))
  where kind = 'invitation';
create index account_links_by_user on account_links (user_id) where kind = 'reset';

-- Sign-ins of command lines that are under way. A code that was used has no row.
create table device_codes (
  -- Of what the command line keeps, and of what the person types.
  device_hash bytea primary key,
  user_hash bytea not null unique,
  client_name text,
  -- Where the command line asked from.
  address text not null,
  state text not null default 'pending' check (state in ('pending', 'approved', 'denied')),
  -- Who approved.
  user_id text collate "C" references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- How often the command line may ask; it grows when that is ignored.
  interval_seconds integer not null,
  asked_at timestamptz,
  check ((state = 'approved') = (user_id is not null))
);
create index device_codes_by_user on device_codes (user_id) where user_id is not null;
create index device_codes_by_end on device_codes (expires_at);

-- The pair of issuer and subject never changes, the email address may.
create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id text collate "C" not null references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index oidc_identities_by_user on oidc_identities (user_id);
