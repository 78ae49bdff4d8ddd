-- Jobs, their queue, and the nodes that work on them.
--
-- The high-volume tables carry no foreign keys: every row is written by one transaction that also writes its parent,
-- and the checks would lock the same team row for every job.

create table nodes (
  id text collate "C" primary key,
  role text not null,
  version text not null,
  slots integer not null,
  -- Whether it also holds its advisory lock. The beat of one that does not is its lease, and is all there is.
  holds_lock boolean not null,
  -- How long it may be without a beat before others give it up: each says it for itself, so that all agree.
  silent_ms integer not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);

create table jobs (
  id text collate "C" primary key,
  team_id text collate "C" not null,
  user_id text collate "C" not null,
  api_key_id text collate "C",
  run_id text collate "C" not null,
  execution_id text collate "C",
  stream_id text not null,
  stream_name text,
  wave_number integer not null,

  -- What was asked for.
  provider text not null,
  model text not null,
  simulated boolean not null,
  max_tokens integer not null,
  temperature double precision,
  -- low, medium or high; null leaves it to the model.
  reasoning text,
  prompt text not null, -- JSON text: string
  prompt_parts text, -- JSON text: the four parts, when they add up to the prompt
  -- A key that came with the request: sealed while the job is open, erased when it ends.
  sealed_key text,
  -- The job's share of a budget is reserved for one call that costs something. Once an attempt has used tokens, no
  -- further call is made: the execution decides whether there is budget for another.
  pay_once boolean not null default false,
  timeout_ms integer not null,
  deadline_at timestamptz not null,
  -- To which trace of the caller or the server it belongs, as a W3C traceparent. Only while traces are collected.
  trace text,

  -- How far it has come.
  status text not null check (status in ('pending', 'running', 'completed', 'failed')),
  priority smallint not null,
  -- Position in the queue, smallest first. A job is in the queue exactly while it has one: not while it is parked, and
  -- not from its start on.
  virtual_time bigint,
  -- Over its team's concurrency cap: joins the queue when a running job of the team ends.
  parked boolean not null default false,
  -- Not to be started before this time.
  start_after timestamptz,
  -- Goes up each time a worker takes the job: the fence that a worker which lost it cannot pass.
  attempt smallint not null default 0,
  -- Attempts whose worker died. Hand-backs by a draining node do not count.
  losses smallint not null default 0,
  node_id text collate "C",
  -- Model calls of attempts that were put off, so that a job does not start counting anew.
  calls smallint not null default 0,
  -- Of the text that is streamed: goes up when an attempt begins to write anew.
  text_generation smallint not null default 0,
  queued_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,

  -- What came of it.
  output text, -- JSON text: string
  -- The text of a job that failed or was cancelled, as far as it had come.
  partial_output text, -- JSON text: string
  artifact text, -- JSON text: artifact
  files_changed text, -- JSON text: array of paths
  -- Why the answer ended: the model was done, or no more tokens were allowed. Null in jobs that did not complete.
  stop_reason text check (stop_reason in ('stop', 'length')),
  error text, -- JSON text: string
  error_code text,

  -- What it used. Tokens and cost_usd are the sums of all attempts in the ledger.
  tokens_input integer not null default 0,
  tokens_output integer not null default 0,
  tokens_cached integer not null default 0,
  cost_usd double precision,
  -- What prompt caching saved.
  saved_usd double precision,
  -- Calls without a known price.
  unpriced_calls integer not null default 0,
  usage_estimated boolean not null default false,
  -- JSON text: what the calls of the running attempt used that broke off and were made again. Only the worker knows it
  -- otherwise, and a worker can die. It names its attempt: later ones do not count it.
  used_so_far text,
  -- What was reserved for the job when it was accepted, in the month of queued_at, until its cost is known. Null: its
  -- team had no budget.
  reserved_usd double precision,
  -- When the token counts became final: later than ended_at for a job cancelled while it ran.
  settled_at timestamptz,
  -- In the archive: where the texts are that are kept in an object store. Always null here.
  texts_key text,

  constraint jobs_queue
    check (virtual_time is null or (virtual_time >= 0 and status = 'pending' and not parked))
) with (fillfactor = 80);

-- The jobs of a team, newest first. No other index has them in that order: a small team on a busy server would read the
-- jobs of all others. Neither column ever changes, so only new jobs pay for it.
create index jobs_by_team on jobs (team_id, id);
create index jobs_by_run on jobs (run_id, team_id);
create index jobs_by_node on jobs (node_id) where status = 'running';
create index jobs_running_by_team on jobs (team_id) where status = 'running';
create index jobs_pending_deadline on jobs (deadline_at) where status = 'pending';
create index jobs_parked on jobs (team_id, priority desc, id) where parked;
create index jobs_lost on jobs (id) where status = 'pending' and losses >= 3;
create index jobs_unsettled on jobs (ended_at) where status = 'failed' and settled_at is null;
create index jobs_sealed_key on jobs (id) where sealed_key is not null;

-- Statistics say that hardly any job waits, which is true of most moments. By them one index is as good as another, and a
-- claim must be fast when many wait. So each of these is the only one that its queries can use: those in the order of
-- the queue ask for a position from 0 on, those by team for any position.
create index jobs_waiting on jobs (virtual_time) where virtual_time >= 0;
-- Most urgent first, in one direction, so that "before this one" is one range.
create index jobs_waiting_by_team on jobs (team_id, (-priority), id) where virtual_time is not null;

-- One row a team, locked by every submit in that team: keeps quota, caps, budget, idempotency keys and virtual times
-- consistent across nodes.
create table team_queue (
  team_id text collate "C" primary key,
  -- Jobs that are in the queue or run. Kept only for teams whose tier has a cap.
  in_queue integer not null default 0,
  -- Virtual time at which the team's last job ends.
  finish_time bigint not null default 0,
  -- A month; teams.settings is what people see.
  budget_usd double precision,
  -- When a member was last removed or got another role: for a while, submits look up who is a member.
  members_changed_at timestamptz
) with (fillfactor = 50);

-- The virtual time of the job that was started last.
create table queue_clock (
  singleton boolean primary key default true check (singleton),
  virtual_time bigint not null
);
insert into queue_clock (virtual_time) values (0);

-- Losing these two in a crash of the database loses nothing of value: the next wait is written anew, and text that was on
-- its way comes again from the job's next attempt.

-- What open jobs wait for, so that people see why nothing happens.
create unlogged table job_waits (
  job_id text collate "C" primary key,
  reason text not null,
  -- The wait is over by then at the latest: a row that was left behind says nothing any more.
  until_at timestamptz not null,
  detail text -- JSON text: string
);

-- The text of running jobs as far as it has come, in chunks.
create unlogged table streamed_text (
  job_id text collate "C" not null,
  generation smallint not null,
  start_offset integer not null,
  chunk text not null, -- JSON text: string
  primary key (job_id, generation, start_offset)
);
