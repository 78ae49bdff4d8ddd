-- Runs, jobs, the nodes that work on them, and what they cost.
--
-- Columns commented "JSON text" hold a JSON value as text. A prompt or an output may contain NUL
-- and lone surrogates, which text and jsonb refuse; inside JSON text both are plain escapes.
--
-- The high-volume tables carry no foreign keys: every row is written by one transaction that also
-- writes its parent, and the checks would lock the same user row for every job.

create table nodes (
  id text collate "C" primary key,
  role text not null,
  version text not null,
  slots integer not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);

create table runs (
  id text collate "C" primary key,
  user_id text collate "C" not null,
  team_id text collate "C" not null,
  feature text not null,
  status text not null
    check (status in ('pending', 'in_progress', 'paused', 'complete', 'failed', 'cancelled')),
  -- 'jobs': made from submitted jobs; 'client': recorded by a client that orchestrated by itself.
  source text not null check (source in ('jobs', 'client')),
  stream_count integer not null,
  wave_count integer not null,
  open_jobs integer not null default 0,
  failed_jobs integer not null default 0,
  cancelled_jobs integer not null default 0,
  tokens_input bigint not null default 0,
  tokens_output bigint not null default 0,
  cost_usd double precision not null default 0,
  -- The month whose quota this run took; null when it took none.
  quota_month date,
  started_at timestamptz not null,
  ended_at timestamptz,
  duration_ms bigint
) with (fillfactor = 80);
create index runs_by_user on runs (user_id, started_at desc, id desc);

-- Stream records of runs that a client recorded. Streams of submitted jobs are the jobs themselves.
create table run_streams (
  run_id text collate "C" not null,
  position integer not null,
  stream_id text not null,
  name text not null,
  status text not null,
  wave_number integer not null,
  files_changed text not null, -- JSON text: array of paths
  tokens_input bigint not null,
  tokens_output bigint not null,
  cost_usd double precision not null,
  primary key (run_id, stream_id)
);

create table jobs (
  id text collate "C" primary key,
  user_id text collate "C" not null,
  run_id text collate "C" not null,
  stream_id text not null,
  stream_name text,
  wave_number integer not null,
  provider text not null,
  model text not null,
  simulated boolean not null,
  max_tokens integer not null,
  temperature double precision,
  priority smallint not null,
  prompt text not null, -- JSON text: string
  prompt_parts text, -- JSON text: the four parts, when they add up to the prompt
  timeout_ms integer not null,
  deadline_at timestamptz not null,
  status text not null check (status in ('pending', 'running', 'completed', 'failed')),
  -- Goes up each time a worker takes the job: the fence that a worker which lost it cannot pass.
  attempt smallint not null default 0,
  -- Attempts whose worker died. Hand-backs by a draining node do not count.
  losses smallint not null default 0,
  node_id text collate "C",
  -- Over the owner's concurrency cap: has no queue message until a running job of the owner ends.
  parked boolean not null default false,
  queued_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  output text, -- JSON text: string
  artifact text, -- JSON text: artifact
  files_changed text, -- JSON text: array of paths
  error text, -- JSON text: string
  error_code text,
  text_generation smallint not null default 0,
  tokens_input integer not null default 0,
  tokens_output integer not null default 0,
  tokens_cached integer not null default 0,
  cost_usd double precision,
  -- When the token counts became final: later than ended_at for a job cancelled while it ran.
  settled_at timestamptz
) with (fillfactor = 80);
create index jobs_by_run on jobs (run_id);
create index jobs_by_node on jobs (node_id) where status = 'running';
create index jobs_pending_deadline on jobs (deadline_at) where status = 'pending';
create index jobs_lost on jobs (id) where status = 'pending' and losses >= 3;
create index jobs_unsettled on jobs (ended_at) where status = 'failed' and settled_at is null;
create index jobs_parked on jobs (user_id, priority desc, id) where parked;

-- One row for each attempt that ended: what was used and what it cost. Never updated.
create table usage_ledger (
  job_id text collate "C" not null,
  attempt smallint not null,
  user_id text collate "C" not null,
  provider text not null,
  model text not null,
  tokens_input integer not null,
  tokens_output integer not null,
  tokens_cached integer not null,
  tokens_cache_write integer not null,
  cost_usd double precision,
  estimated boolean not null,
  outcome text not null,
  recorded_at timestamptz not null default now(),
  primary key (job_id, attempt)
);
create index usage_ledger_by_user on usage_ledger (user_id, recorded_at);

create table usage_months (
  user_id text collate "C" not null,
  month date not null,
  -- Runs that count against the quota, and runs that entered history.
  runs_counted integer not null default 0,
  runs_recorded integer not null default 0,
  tokens_input bigint not null default 0,
  tokens_output bigint not null default 0,
  tokens_cached bigint not null default 0,
  cost_usd double precision not null default 0,
  primary key (user_id, month)
) with (fillfactor = 50);

-- One row a user, locked by every submit of that user: keeps quota, caps, idempotency keys and
-- virtual times of one user consistent across nodes.
create table user_queue (
  user_id text collate "C" primary key,
  -- Jobs that have a queue message. Kept only for users whose tier has a cap.
  in_queue integer not null default 0,
  -- Virtual finish time of the user's last job at each priority, -10 to 10.
  finish_times bigint[] not null default array_fill(0::bigint, array[21])
) with (fillfactor = 50);

-- The virtual time of the job that was dispatched last.
create table queue_clock (
  singleton boolean primary key default true check (singleton),
  virtual_time bigint not null
);
insert into queue_clock (virtual_time) values (0);

create table idempotency_keys (
  user_id text collate "C" not null,
  key text not null,
  body_hash bytea not null,
  resource_id text collate "C" not null,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Losing these two in a crash of the database loses nothing of value: a limit starts afresh, and
-- text that was on its way is told again by the job's next attempt.
create unlogged table rate_limits (
  bucket text collate "C" primary key,
  -- Theoretical arrival time of the next request, as in the generic cell rate algorithm.
  arrival_at timestamptz not null
) with (fillfactor = 50);

create unlogged table job_text (
  job_id text collate "C" not null,
  generation smallint not null,
  start_offset integer not null,
  chunk text not null, -- JSON text: string
  primary key (job_id, generation, start_offset)
);
