-- Links with which anybody may look at one run until they expire. Only the hash of the secret is kept.

create table run_shares (
  id text collate "C" primary key,
  run_id text collate "C" not null references run_reports on delete cascade,
  token_hash bytea not null,
  -- Who made it.
  user_id text collate "C" not null,
  -- Whether the diffs may be seen, too.
  include_changes boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index run_shares_by_run on run_shares (run_id);
