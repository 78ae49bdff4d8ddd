-- How people get in besides by a password: a command line by a code that somebody approves, a browser by
-- the provider that an organisation signs in with.

alter table sessions
  -- `device`: of a command line, which sends its token in a header. It lives longer than a browser's.
  add column kind text not null default 'session' check (kind in ('session', 'device')),
  -- What the command line calls itself, for the list of sessions.
  add column name text;

-- Sign-ins of command lines that are under way. A code that was used has no row.
create table device_codes (
  -- SHA-256 of what the command line keeps, and of what the person types.
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

-- Who an account is at a provider of OpenID Connect: the pair of issuer and subject never changes, the
-- email address may.
create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id text collate "C" not null references users (id) on delete cascade,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index oidc_identities_by_user on oidc_identities (user_id);
