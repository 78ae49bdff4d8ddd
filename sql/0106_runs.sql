-- Runs, and what command lines report of theirs.
--
-- A run is its team and its id. Clients choose ids, so two teams may use the same one: what either of them sends, reads,
-- shares or cancels is its own. The id comes first in the keys, which also find who else has it.
--
-- Columns commented "JSON text" hold a JSON value as text. A prompt or an output may contain NUL and lone surrogates,
-- which text and jsonb refuse; inside JSON text both are plain escapes.
--
-- The index that finds one row is made last, here and in the files that follow. As long as a table has no statistics, in the
-- first minute of a new database, all of its indexes cost the same, and PostgreSQL takes the newest: with another one it
-- would read everything that a team has to find one row.

create table runs (
  id text collate "C" not null,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  api_key_id text collate "C",
  feature text not null,
  status text not null
    check (status in ('pending', 'in_progress', 'paused', 'complete', 'failed', 'cancelled')),
  -- 'jobs': made from submitted jobs; 'client': recorded by a client that orchestrated by itself; 'execution': the
  -- execution decides the run's state, not the count of its open jobs.
  source text not null check (source in ('jobs', 'client', 'execution')),
  stream_count integer not null,
  wave_count integer not null,
  open_jobs integer not null default 0,
  failed_jobs integer not null default 0,
  cancelled_jobs integer not null default 0,
  tokens_input bigint not null default 0,
  tokens_output bigint not null default 0,
  cost_usd double precision not null default 0,
  -- Calls without a known price.
  unpriced_calls integer not null default 0,
  -- The month whose quota this run took; null when it took none.
  quota_month date,
  -- Whether one of its jobs was ever taken by a worker: such a run keeps the quota it took.
  worked boolean not null default false,
  -- Between these ids are those of its jobs that are in the archive; null: none is. Only ever widened.
  archived_from text collate "C",
  archived_to text collate "C",
  -- Whether the usage of one of those is an estimate.
  archived_estimated boolean not null default false,
  started_at timestamptz not null,
  ended_at timestamptz,
  duration_ms bigint
) with (fillfactor = 80);
create index runs_by_team on runs (team_id, started_at desc, id desc);
create index runs_by_author on runs (team_id, user_id, started_at desc, id desc);
alter table runs add primary key (id, team_id);

-- Stream records of runs that a client recorded. Streams of submitted jobs are the jobs themselves.
create table run_streams (
  run_id text collate "C" not null,
  team_id text collate "C" not null,
  position integer not null,
  stream_id text not null,
  name text not null,
  status text not null,
  wave_number integer not null,
  files_changed text not null, -- JSON text: array of paths
  tokens_input bigint not null,
  tokens_output bigint not null,
  cost_usd double precision not null,
  unpriced_calls integer not null default 0,
  primary key (run_id, team_id, stream_id)
);

-- What a command line reports while its run is under way. Such a run need not be in `runs` yet: its row there comes
-- with its first job, which takes the quota.
create table run_reports (
  run_id text collate "C" not null,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  -- JSON: the text of its manifest, as it was when the run began. Null where it was not reported.
  manifest text,
  -- JSON: how far it has come, as lists show it.
  summary text not null,
  -- JSON: tokens of the answers that are being written, by stream. Only the newest counts.
  progress text not null default '{}',
  last_seq integer not null default 0,
  -- Of events, changes and manifest. Teams and runs have limits.
  stored_bytes bigint not null default 0,
  cancel_requested_at timestamptz,
  reported_at timestamptz not null default now(),
  ended_at timestamptz
) with (fillfactor = 70);
create index run_reports_by_team on run_reports (team_id);
alter table run_reports add primary key (run_id, team_id);

create table run_events (
  run_id text collate "C" not null,
  team_id text collate "C" not null,
  seq integer not null,
  event text not null, -- JSON text: it may hold whatever a command has printed
  primary key (run_id, team_id, seq),
  foreign key (run_id, team_id) references run_reports on delete cascade
);

create table run_changes (
  run_id text collate "C" not null,
  team_id text collate "C" not null,
  stream_id text not null,
  -- JSON: the files with their patches.
  files text not null,
  primary key (run_id, team_id, stream_id),
  foreign key (run_id, team_id) references run_reports on delete cascade
);

-- Links with which anybody may look at one run until they expire. Only the hash of the secret is kept.
create table run_shares (
  id text collate "C" primary key,
  run_id text collate "C" not null,
  team_id text collate "C" not null,
  -- Who made it.
  user_id text collate "C" not null,
  token_hash bytea not null,
  -- Whether the diffs may be seen, too.
  include_changes boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  foreign key (run_id, team_id) references run_reports on delete cascade
);
create index run_shares_by_run on run_shares (team_id, run_id);
