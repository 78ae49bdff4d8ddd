-- What command lines report of their runs while they are under way. A run that is reported need not be in
-- `runs` yet: its row there comes with its first job, which takes the quota.

create table run_reports (
  run_id text collate "C" primary key,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  -- JSON: how far it has come, as lists show it.
  summary text not null,
  -- JSON: tokens of the answers that are being written, by stream. Only the newest counts.
  progress text not null default '{}',
  last_seq integer not null default 0,
  cancel_requested_at timestamptz,
  reported_at timestamptz not null default now(),
  ended_at timestamptz
) with (fillfactor = 70);

create table run_events (
  run_id text collate "C" not null references run_reports on delete cascade,
  seq integer not null,
  -- JSON text: an event may hold whatever a command has printed.
  event text not null,
  primary key (run_id, seq)
);

create table run_changes (
  run_id text collate "C" not null references run_reports on delete cascade,
  stream_id text not null,
  -- JSON: the files with their patches.
  files text not null,
  primary key (run_id, stream_id)
);
