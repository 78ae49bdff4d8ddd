-- What asks for runs at certain times, and the log of what each time came to.

create table schedules (
  id text collate "C" primary key,
  team_id text collate "C" not null references teams (id),
  -- Whom its runs act and pay as.
  user_id text collate "C" not null references users (id),
  api_key_id text collate "C",
  name text not null,
  cron text,
  time_zone text,
  every_seconds integer check (every_seconds >= 60),
  -- Intervals are counted from here.
  counted_from timestamptz not null default now(),
  -- JSON text: what is asked for.
  work text not null,
  catch_up text not null check (catch_up in ('none', 'once')),
  overlap text not null check (overlap in ('skip', 'queue', 'cancel_older')),
  -- In a month; null: no limit of its own.
  budget_usd double precision check (budget_usd > 0),
  -- In a row; null: never paused for failures.
  pause_after_failures integer check (pause_after_failures > 0),
  status text not null check (status in ('active', 'paused')),
  paused_reason text,
  paused_at timestamptz,
  -- Failures from before do not count.
  active_since timestamptz not null default now(),
  -- Null: never again, or paused.
  next_at timestamptz,
  created_at timestamptz not null default now(),
  check ((cron is null) = (time_zone is null)),
  check ((cron is null) <> (every_seconds is null)),
  check ((status = 'paused') = (paused_reason is not null))
);
create index schedules_by_team on schedules (team_id, id);
create index schedules_due on schedules (next_at) where status = 'active';

create table schedule_firings (
  id text collate "C" primary key,
  schedule_id text collate "C" not null references schedules (id) on delete cascade,
  cause text not null check (cause in ('time', 'catch_up', 'manual')),
  -- Null: a person asked for it.
  due_at timestamptz,
  result text not null check (result in ('started', 'skipped', 'paused')),
  -- Why nothing was started.
  reason text,
  request_id text collate "C",
  -- Times that passed before this one while no server was up.
  missed integer not null default 0,
  -- Older requests that were cancelled for it.
  cancelled integer not null default 0,
  created_at timestamptz not null default now(),
  check ((due_at is null) = (cause = 'manual')),
  check ((result = 'started') = (request_id is not null))
);
create index schedule_firings_by_schedule on schedule_firings (schedule_id, id);
-- A time is used once, whichever node gets to it.
create unique index schedule_firings_once on schedule_firings (schedule_id, due_at);
