-- Executions: tasks that the server plans and runs. Each is a run of its own, and its planning and its steps are jobs of
-- that run: what moves an execution on is the end of one of its jobs.

create table executions (
  id text collate "C" primary key,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  api_key_id text collate "C",
  run_id text collate "C" not null,
  status text not null check (status in ('running', 'completed', 'failed', 'cancelled')),
  task text not null, -- JSON text: string
  context text not null, -- JSON text: {files, contents, environment}
  dry_run boolean not null,
  max_steps integer not null,
  timeout_ms integer not null,
  -- What has been spent is on the run; what open jobs may still cost, here.
  budget_usd double precision,
  reserved_usd double precision not null default 0,
  provider text not null,
  model text not null,
  simulated boolean not null,
  reasoning text,
  -- How long answers may be; null: as long as the model's default.
  max_tokens integer,
  -- The number of the last event.
  sequence integer not null default 0,
  steps_total integer not null default 0,
  steps_done integer not null default 0,
  result text, -- JSON text: object
  trace text,
  created_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  ended_at timestamptz
) with (fillfactor = 80);
create index executions_by_status on executions (team_id, status, id);
create index executions_by_team on executions (team_id, id);
create index executions_due on executions (deadline_at) where status = 'running';

create table execution_steps (
  execution_id text collate "C" not null,
  -- From 0 in the order of the plan. Planning is a step, too: -2, and -1 for its repair.
  position integer not null,
  stream_id text not null,
  name text not null,
  wave integer not null,
  plan text not null, -- JSON text: {plan, deps, owns, reads, waitsFor}
  status text not null
    check (status in ('pending', 'queued', 'complete', 'failed', 'skipped', 'blocked')),
  tries smallint not null default 0,
  -- The job of the last try.
  job_id text collate "C",
  -- The most that the open job may cost; 0 when none is open.
  reserved_usd double precision not null default 0,
  -- The length that it is asked for again with after its answer was cut off; null until then.
  max_tokens integer,
  -- What was wrong with the answer of the last try.
  note text, -- JSON text: string
  artifact text, -- JSON text: artifact
  primary key (execution_id, position)
) with (fillfactor = 80);

create table execution_events (
  execution_id text collate "C" not null,
  sequence integer not null,
  event text not null,
  -- Empty for the last event, whose data is the execution itself.
  data text, -- JSON text: object
  created_at timestamptz not null default now(),
  primary key (execution_id, sequence)
);
